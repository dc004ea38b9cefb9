package org.amo.lab.attack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.cli.CliException;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.Wait;
import org.amo.lab.cluster.WorkFolder;
import org.amo.lab.load.BankAudit;
import org.amo.lab.load.Clients;
import org.amo.lab.load.LoadReport;
import org.amo.lab.load.LoadSettings;
import org.amo.lab.load.LoadVerdict;

/**
 * One attack: a group of three members and honest clients, the time before the attack, the attack, the time after it, and the
 * books. Members that end are started again. One thread uses it; a signal may end it at any time.
 */
final class AttackRun implements AutoCloseable {
    private static final int CLIENTS = 2;
    private static final int THREADS = 4;

    /** Clients that rest between calls leave the machine room, so that their rate tells of the group, not of the processor. */
    private static final int MOST_PAUSE_MILLIS = 20;

    /** From the end of the attack until honest clients are watched again. */
    private static final long RECOVERY_MILLIS = 1_000;

    /** From the last call without a pause until honest clients are watched. */
    private static final long REST_MILLIS = 2_000;

    /** As a supervisor's pause between two lives of a process: that of docs/how-to/run-under-a-supervisor.md. */
    private static final long RESTART_NANOS = 200_000_000L;

    private static final long LONGEST_CLIENTS_MILLIS = 3_600_000;
    private static final long LAST_CALLS_MILLIS = 40_000;
    private static final long ALIVE_MILLIS = 30_000;
    private static final long JOIN_MILLIS = 5_000;

    /** Bounds the wait for the runs beside this one; all their own waits are shorter. */
    private static final long LONGEST_WAIT_MILLIS = 3_600_000;

    /**
     * Members run as their users run them. The first compiler alone makes AES-GCM some twenty times slower, so that a
     * large reply holds a processor for 25 ms. It follows the shorter setting of the command's other members, and the last
     * one counts.
     */
    private static final String BOTH_COMPILERS = "-XX:TieredStopAtLevel=4";

    private final Attack attack;
    private final Service service;
    private final AttackSettings settings;
    private final Phaser lanes;
    private final Consumer<String> progress;
    private final WorkFolder folder;
    private final Processes processes;
    private final ProcessGroup group;
    private final HeapWatch heap;
    private final LogWatch logs;
    private final List<String> remarks = new ArrayList<>();
    private final Map<ReplicaProcess, Long> endedNanos = new HashMap<>();

    private boolean complete = true;
    private int ends;
    private int restarts;
    private boolean keepFolder = true;

    /** @param lanes has a party for each run beside this one, and one for itself */
    AttackRun(
            Attack attack,
            Service service,
            AttackSettings settings,
            Function<MemberProgram.Of, MemberProgram> members,
            Phaser lanes,
            Consumer<String> progress) {
        this.attack = attack;
        this.service = service;
        this.settings = settings;
        this.lanes = lanes;
        this.progress = line -> progress.accept(attack.name() + ": " + line);
        this.folder = WorkFolder.create("attack-" + attack.name());
        this.processes = new Processes(folder);
        this.heap = new HeapWatch(folder.path(), settings.heapBytes());
        this.logs = new LogWatch(folder.path());
        ProcessGroup.Place here = ProcessGroup.Place.here(folder.file("data"));
        this.group = new ProcessGroup(
                members,
                new ProcessGroup.Settings(Order.RAFT, Log.FSYNC, false, Style.ACTIVE),
                Collections.nCopies(
                        service.members(),
                        new ProcessGroup.Place(here.host(), here.prefix(), here.data(), options(), here.classes())),
                0,
                folder,
                processes);
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(heap.options(settings.heapBytes()));
        options.add(BOTH_COMPILERS);
        // wrap server sets them; a Java service has them by docs/how-to/run-under-a-supervisor.md.
        options.addAll(ServerWrap.LATE_COMPILER);
        options.addAll(service.options(
                folder,
                IntStream.range(0, service.members())
                        .mapToObj(ProcessGroup::name)
                        .toList()));
        options.addAll(attack.memberOptions());
        return options;
    }

    AttackResult run() throws InterruptedException {
        try {
            return measured();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        processes.close();
        if (keepFolder) {
            progress.accept("the processes' output is in " + folder.path());
        } else {
            folder.delete();
        }
    }

    private AttackResult measured() throws IOException, InterruptedException {
        progress.accept("starting");
        group.startAll();
        Path reference = service.reference(group, folder);
        Clients clients = Clients.start(
                service.clients(),
                CLIENTS,
                new LoadSettings.Shape(THREADS, LONGEST_CLIENTS_MILLIS, settings.seed(), true, 0, MOST_PAUSE_MILLIS),
                reference,
                true,
                folder,
                processes);
        // As fast as they can: compilers take up what has run often.
        clients.hurry();
        clients.go();
        progress.accept("warming up");
        AttackWarmUp.await(settings, this::spent, this::supervise).ifPresent(remarks::add);
        clients.rest();
        supervise(REST_MILLIS);
        awaitOthers();
        progress.accept("honest clients without an attack");
        HonestCalls.Window before = watch(settings.calmMillis());
        heap.begin();
        logs.begin();
        Target target = new Target(
                service,
                group.members().stream().map(ReplicaProcess::member).toList(),
                reference,
                group.secret(),
                settings.seed());
        awaitOthers();
        AttackRate pace = new AttackRate(settings.durationMillis() + JOIN_MILLIS);
        HonestCalls.Window during = attack(target, pace);
        awaitOthers();
        supervise(RECOVERY_MILLIS);
        progress.accept("honest clients after the attack");
        HonestCalls.Window after = watch(settings.calmMillis());
        awaitOthers();
        clients.stop();
        if (!superviseUntil(LAST_CALLS_MILLIS, () -> !clients.atWork())) {
            incomplete("honest clients did not end within " + LAST_CALLS_MILLIS / 1_000 + " s");
        }
        boolean alive = superviseUntil(ALIVE_MILLIS, this::allAnswer);
        if (!alive) {
            group.replicas().stream()
                    .filter(replica -> replica.ask().isEmpty())
                    .forEach(replica ->
                            remarks.add("member " + replica.id() + " does not answer: " + replica.lastWords()));
        }
        boolean equal = alive && settle();
        Judgement judgement = judge(clients, target);
        equal = equal && settle();
        List<String> lines = logs.lines();
        if (lines.size() > AttackResult.MOST_LOG_LINES) {
            remarks.addAll(LogWatch.mostFrequent(lines));
        }
        long exhausted =
                lines.stream().filter(line -> line.contains("OutOfMemoryError")).count();
        if (exhausted > 0) {
            remarks.add(exhausted + " log lines speak of OutOfMemoryError");
        }
        remarks.addAll(target.notes());
        complete &= !target.hasFailed();
        target.lack(pace).ifPresent(this::incomplete);
        if (attack.mayEndMembers() && ends == 0) {
            incomplete("no member ended, so the operation that ends them did not run");
        }
        OptionalLong left = heap.mostLeftBytes();
        if (left.isEmpty()) {
            incomplete("no member made a full collection during the attack, so its heap is not known");
        }
        AttackResult.Measured measured = new AttackResult.Measured(
                alive && (restarts == 0 || attack.mayEndMembers()),
                heap.percent(left.orElse(0)),
                HonestCalls.read(clients.histories()).compare(before, during, after),
                equal,
                lines.size(),
                restarts,
                judgement.twice,
                judgement.lost);
        remarks.add(String.format(
                java.util.Locale.ROOT,
                "honest clients without an attack: %.0f calls a second, p99 %.1f ms",
                measured.honest().calmRate(),
                measured.honest().calmP99Millis()));
        AttackResult result = AttackResult.of(attack, service, measured, complete, pace, during.seconds(), remarks);
        keepFolder = !result.passed();
        return result;
    }

    private Spent spent() {
        return Spent.of(group.members().stream()
                .flatMap(replica -> replica.process().stream())
                .mapToLong(Child::pid));
    }

    /** Runs the attack for its time, or until it has nothing left to do; the heap is looked at while its connections are open. */
    private HonestCalls.Window attack(Target target, AttackRate pace) throws InterruptedException {
        progress.accept("attack");
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread attacker = DaemonThreads.unstarted("amo-attack", () -> {
            try {
                attack.run(target, pace);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        });
        long begin = System.nanoTime();
        attacker.start();
        superviseUntil(settings.durationMillis(), () -> !attacker.isAlive());
        HonestCalls.Window window = new HonestCalls.Window(begin, System.nanoTime());
        List<String> silent = heap.collect(group.members());
        for (String id : silent) {
            String words = "member " + id + " did not collect its heap when it was asked";
            if (attack.mayEndMembers()) {
                remarks.add(words);
            } else {
                // The fullest heap counts, and it may be the one that is not known.
                incomplete(words);
            }
        }
        pace.end();
        attacker.interrupt();
        target.close();
        attacker.join(JOIN_MILLIS);
        target.close();
        Exception found = failure.get();
        if (found != null) {
            incomplete("the attack itself failed: " + found);
        } else if (attacker.isAlive()) {
            incomplete("the attack itself did not end");
        }
        return window;
    }

    /** Windows without an attack are the same for all lanes, and so are those under attack. */
    private void awaitOthers() {
        int phase = lanes.arrive();
        superviseUntil(LONGEST_WAIT_MILLIS, () -> lanes.getPhase() != phase);
    }

    private HonestCalls.Window watch(long millis) {
        long begin = System.nanoTime();
        supervise(millis);
        return new HonestCalls.Window(begin, System.nanoTime());
    }

    private void supervise(long millis) {
        superviseUntil(millis, () -> false);
    }

    /** Waits, and meanwhile starts members again that have ended. @return whether the condition came true in time */
    private boolean superviseUntil(long millis, BooleanSupplier condition) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            group.members().forEach(this::lookAfter);
            Wait.aTick();
        }
        return true;
    }

    private void lookAfter(ReplicaProcess replica) {
        Optional<Child> dead = replica.process().filter(child -> !child.isAlive());
        if (dead.isPresent()) {
            if (!attack.mayEndMembers() || restarts < 3) {
                remarks.add("member " + replica.id() + " ended: " + replica.lastWords());
            }
            if (attack.mayEndMembers()) {
                heap.leaveOut(dead.get().pid());
            }
            ends++;
            endedNanos.put(replica, System.nanoTime());
            replica.ended();
        }
        Long ended = endedNanos.get(replica);
        if (ended != null && System.nanoTime() - ended > RESTART_NANOS) {
            endedNanos.remove(replica);
            restarts++;
            group.start(replica);
        }
    }

    private boolean allAnswer() {
        return group.members().stream().allMatch(replica -> replica.ask().isPresent());
    }

    private boolean settle() {
        return group.settle(() -> group.members().forEach(this::lookAfter), remarks::add);
    }

    private record Judgement(long twice, long lost) {}

    private Judgement judge(Clients clients, Target target) {
        try {
            List<LoadReport> reports = clients.reports();
            remarks.addAll(Clients.problems(reports));
            if (reports.stream().anyMatch(report -> report.defects() > 0)) {
                incomplete("an honest client stopped at an exception that no call may have");
            }
            BankAudit.Books books = clients.books();
            // Attacks deposit where they like; whether their calls ran once is asked for the accounts that they name.
            LoadVerdict verdict = service.clients().verdict(reports, books.of(reports));
            remarks.addAll(verdict.remarks());
            long twice = verdict.executedTwice();
            long lost = verdict.lost();
            for (Map.Entry<String, Target.Bounds> each : target.expected().entrySet()) {
                long ran = books.lines().stream()
                        .filter(line -> line.account().equals(each.getKey()))
                        .mapToLong(service::executions)
                        .sum();
                Target.Bounds bounds = each.getValue();
                if (ran > bounds.most() || ran < bounds.least()) {
                    remarks.add("account " + each.getKey() + ": " + ran + " executions, expected " + bounds.least()
                            + " to " + bounds.most());
                }
                if (bounds.some() && ran == 0) {
                    incomplete("no call of the attack on account " + each.getKey() + " ran, so it attacked nothing");
                }
                twice += Math.max(0, ran - bounds.most());
                lost += Math.max(0, bounds.least() - ran);
            }
            return new Judgement(twice, lost);
        } catch (CliException e) {
            incomplete(String.valueOf(e.getMessage()));
            return new Judgement(0, 0);
        }
    }

    private void incomplete(String why) {
        complete = false;
        remarks.add(why);
    }
}
