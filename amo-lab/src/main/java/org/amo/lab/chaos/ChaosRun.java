package org.amo.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.Terminal;
import org.amo.core.order.Member;
import org.amo.core.replica.MutantHooks;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.CounterProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.Status;
import org.amo.lab.cluster.Wait;
import org.amo.lab.cluster.WorkFolder;
import org.amo.lab.load.BankAudit;
import org.amo.lab.load.Clients;
import org.amo.lab.load.LoadPrograms;
import org.amo.lab.load.LoadReport;
import org.amo.lab.load.LoadSettings;
import org.amo.lab.load.LoadVerdict;
import org.amo.testkit.check.CheckReport;
import org.amo.testkit.check.Checker;
import org.amo.testkit.fault.TestFaultHooks;
import org.amo.testkit.history.HistoryFile;

/** Runs one chaos test: processes, load, faults and the result. One thread uses it; a signal may end it at any time. */
final class ChaosRun implements AutoCloseable {
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** Few enough calls that a replica can run its log again soon, many enough that every fault meets some. */
    private static final int MOST_PAUSE_MILLIS = 40;

    private static final int SHARED_ACCOUNTS = 4;

    /** So that there are snapshots to be damaged. */
    private static final int SNAPSHOT_BYTES = 200_000;

    private static final int KEPT_ENTRIES = 50;

    /** Replicas that may join while calls run. */
    private static final int SPARES = 1;

    private final ChaosSettings settings;
    private final Terminal.Progress progress;
    private final WorkFolder folder;
    private final Processes processes;
    private final FaultControl controls;
    private final Disks disks;

    /** Empty where the machine does not permit one. */
    private final Optional<Network> network;

    /** Groups behind the one that clients call. */
    private final Optional<GroupChain> chain;

    private final ProcessGroup group;
    private final List<String> remarks = new CopyOnWriteArrayList<>();
    /** One for each member, if clients call by datagrams. */
    private final List<ClientRelay> relays = new ArrayList<>();

    private final LeaderChanges elections = new LeaderChanges();

    private Optional<ClusterView> view = Optional.empty();
    private boolean allHaveDisks = true;
    private long wrong;
    private boolean keepFolder = true;

    ChaosRun(ChaosSettings settings, Terminal.Progress progress) {
        this.settings = settings;
        this.folder = WorkFolder.create("chaos");
        this.progress = new Timeline(folder.file("timeline.txt"), progress);
        this.disks = new Disks(folder, settings.durationMillis());
        this.processes = new Processes(folder, disks::unmountAll);
        this.controls = new FaultControl(folder);
        boolean chained = settings.subject() == ServiceUnderTest.CHAIN;
        int sides = settings.replicas() + SPARES;
        this.network = Isolation.isInside()
                ? Optional.of(new Network(sides + (chained ? GroupChain.PROCESSES : 0), folder, processes))
                : Optional.empty();
        ProcessGroup.Settings each =
                new ProcessGroup.Settings(settings.order(), settings.log(), true, settings.style());
        this.chain = chained ? Optional.of(new GroupChain(each, folder, processes, network, sides)) : Optional.empty();
        this.group = new ProcessGroup(settings.subject().members(), each, places(), SPARES, folder, processes);
    }

    /** The member as clients reach it, over datagrams that are lost and repeated. */
    private Member relayed(Member member) {
        String here = network.map(net -> net.address(Network.CLIENTS)).orElse("127.0.0.1");
        ClientRelay relay = new ClientRelay(here, member, settings.seed() + relays.size());
        relays.add(relay);
        return relay.reached(member);
    }

    private List<ProcessGroup.Place> places() {
        List<ProcessGroup.Place> places = new ArrayList<>();
        for (int i = 0; i < settings.replicas() + SPARES; i++) {
            String name = ProcessGroup.name(i);
            List<String> options = new ArrayList<>(
                    List.of("-Damo.faultFile=" + controls.of(name).file()));
            options.addAll(settings.subject().options(settings.style()));
            if (settings.udp()) {
                options.add(CounterProgram.TAKES_DATAGRAMS);
            }
            settings.plant().ifPresent(plant -> options.add("-Damo.plant=" + plant));
            if (settings.faults().contains(FaultFamily.DISK)) {
                options.add("-Damo.snapshotBytes=" + SNAPSHOT_BYTES);
            }
            if (settings.faults().contains(FaultFamily.MEMORY)) {
                options.add("-Xmx64m");
            }
            if (chain.isEmpty()) {
                // So that members which come back need snapshots, too. A nested call needs the entries.
                options.add("-Damo.keptEntries=" + KEPT_ENTRIES);
            }
            chain.ifPresent(behind -> options.addAll(behind.optionsOfCallers()));
            Optional<Path> disk = Isolation.isInside() ? disks.make(name) : Optional.empty();
            allHaveDisks &= disk.isPresent();
            int index = i;
            controls.renew(name);
            places.add(new ProcessGroup.Place(
                    network.map(net -> net.address(index)).orElse("127.0.0.1"),
                    network.map(net -> net.prefix(index)).orElse(List.of()),
                    disk.orElse(folder.file("data")),
                    options,
                    settings.plant().isPresent()
                            ? List.of(TestFaultHooks.class, MutantHooks.class)
                            : List.of(TestFaultHooks.class)));
        }
        return places;
    }

    ChaosResult run() {
        chain.ifPresent(behind -> {
            progress.accept("starting the groups behind");
            behind.startAll();
        });
        progress.accept("starting " + settings.replicas() + " replicas");
        group.startAll();
        progress.accept("starting " + settings.clients() + " clients");
        Path reference = settings.udp()
                ? LoadPrograms.firstCallReference(group, CounterProgram.GROUP, folder, this::relayed)
                : settings.subject().reference(group, folder);
        LoadSettings.Shape shape = new LoadSettings.Shape(
                settings.clients(),
                settings.durationMillis(),
                settings.seed(),
                true,
                SHARED_ACCOUNTS,
                MOST_PAUSE_MILLIS,
                (int) Math.round(100 * settings.reads()));
        Clients clients = Clients.start(settings.subject().clients(), 1, shape, reference, true, folder, processes);
        Injector injector = injector(clients);
        load(clients, injector);
        injector.endAll();
        List<LoadReport> reports = clients.reports();
        progress.end();
        progress.accept("the load is over; waiting until the replicas are level");
        settle();
        Optional<BankAudit.Books> books = books(clients);
        boolean equal = settle();
        if (settings.style() == Style.PASSIVE && settings.log() != Log.MEMORY) {
            books = books.flatMap(before -> booksOfNextLeader(clients, before));
            equal &= settle();
        }
        chain.ifPresent(behind -> behind.compare(group, settings.clients(), this::violation, remarks::add));
        Path history = settings.history().orElse(folder.file("history.jsonl"));
        clients.writeHistory(history, group, books);
        progress.accept("checking the history");
        RunWork.of(reports, settings.clients(), injector).lacks().forEach(this::violation);
        if (diverged() > 0) {
            violation(diverged() + " members were found diverged");
        }
        ChaosResult result = result(reports, books, equal, check(history), faults(injector));
        keepFolder = !result.passed();
        return result;
    }

    private Map<String, Integer> faults(Injector injector) {
        Map<String, Integer> faults = injector.counts();
        if (settings.udp()) {
            faults.put("datagramLost", sum(ClientRelay::lost));
            faults.put("datagramRepeated", sum(ClientRelay::repeated));
            if (sum(ClientRelay::carried) < settings.clients()) {
                violation("hardly any client sent a datagram");
            }
        }
        return faults;
    }

    private int sum(ToLongFunction<ClientRelay> counter) {
        return Math.toIntExact(relays.stream().mapToLong(counter).sum());
    }

    @Override
    public void close() {
        processes.close();
        relays.forEach(ClientRelay::close);
        if (!keepFolder) {
            folder.delete();
        }
    }

    /** Where the processes' output and the history are, if they are worth a look. */
    Optional<Path> kept() {
        return keepFolder ? Optional.of(folder.path()) : Optional.empty();
    }

    private Injector injector(Clients clients) {
        ClusterView scene = new ClusterView(group, clients, controls, settings.log() != Log.MEMORY);
        view = Optional.of(scene);
        ProcessFaults process = new ProcessFaults(scene, controls);
        Map<FaultKind, Function<FaultSchedule.Slot, Optional<Active>>> faults = new EnumMap<>(FaultKind.class);
        faults.put(FaultKind.KILL, process::kill);
        faults.put(FaultKind.STOP, process::stop);
        chain.ifPresent(behind -> faults.put(FaultKind.KILL_BEHIND, behind::kill));
        InnerFaults inner = new InnerFaults(scene, controls);
        faults.put(FaultKind.CLOCK, inner::clock);
        if (scene.comesBack()) {
            faults.put(FaultKind.KILL_ALL, process::killAll);
            faults.put(FaultKind.KILL_BEFORE_REPLY, inner::killBeforeReply);
            faults.put(FaultKind.MEMORY, inner::memory);
            DiskFaults disk = new DiskFaults(scene, controls, disks, this::violation);
            faults.put(FaultKind.BIT_FLIP, disk::flip);
            faults.put(FaultKind.BIT_FLIP_RUNNING, disk::flipRunning);
            faults.put(FaultKind.TORN_WRITE, disk::tear);
            faults.put(FaultKind.LOST_WRITE, disk::lose);
            if (settings.log() == Log.FSYNC) {
                faults.put(FaultKind.SYNC_FAILS, disk::syncFails);
            }
            if (allHaveDisks) {
                faults.put(FaultKind.DISK_FULL, disk::full);
            }
        }
        network.ifPresent(net -> {
            NetworkFaults nets = new NetworkFaults(scene, net);
            faults.put(FaultKind.PARTITION, nets::partition);
            faults.put(FaultKind.ONE_WAY, nets::oneWay);
            if (net.canLose()) {
                faults.put(FaultKind.LOSS, nets::loss);
            }
        });
        faults.keySet().removeIf(kind -> !kind.isOf(settings.faults()));
        List<FaultKind> anyTime = List.copyOf(faults.keySet());
        boolean membersChange = settings.order() == Order.RAFT
                && settings.subject().changesMembers()
                && settings.faults().contains(FaultFamily.DEFAULT);
        if (membersChange) {
            MemberFaults members = new MemberFaults(scene, remarks::add);
            faults.put(FaultKind.JOIN, slot -> members.join());
            faults.put(FaultKind.LEAVE, members::leave);
        }
        for (FaultKind kind : FaultKind.values()) {
            boolean exists = kind != FaultKind.KILL_BEHIND || chain.isPresent();
            if (exists && kind.isOf(settings.faults()) && !faults.containsKey(kind)) {
                remarks.add("this machine, order, log or service does not permit the fault " + kind.word()
                        + "; see docs/how-to/run-chaos.md");
            }
        }
        List<FaultSchedule.Slot> slots = FaultSchedule.of(settings.seed(), settings.durationMillis(), anyTime);
        return new Injector(
                scene, faults, membersChange ? FaultSchedule.withMembers(settings.seed(), slots) : slots, progress);
    }

    private void load(Clients clients, Injector injector) {
        clients.go();
        long start = System.nanoTime();
        long end = clients.end(start);
        long second = 0;
        long before = 0;
        // A replica that was damaged last may need longer than the load lasts to be repaired.
        while (clients.atWork() || injector.isWaiting()) {
            Wait.aTick();
            long now = System.nanoTime();
            long millis = (now - start) / 1_000_000;
            if (millis >= settings.durationMillis()) {
                injector.finish();
            }
            injector.tick(millis);
            if (now - start >= (second + 1) * SECOND_NANOS) {
                second = (now - start) / SECOND_NANOS;
                noticeEnded();
                noticeLeader();
                long ok = clients.ok();
                progress.state(String.format(
                        Locale.ROOT,
                        "%4d of %d s %,9d calls %,6d/s   %s",
                        second,
                        settings.durationMillis() / 1_000,
                        ok,
                        ok - before,
                        group.inWords() + chain.map(GroupChain::inWords).orElse("")));
                before = ok;
            }
            if (now > end && clients.atWork()) {
                throw CliException.environment("the clients did not end in time; see " + folder.path());
            }
        }
    }

    private void violation(String what) {
        wrong++;
        remarks.add(what);
    }

    private void noticeEnded() {
        for (ReplicaProcess replica : group.replicas()) {
            if (replica.process().filter(child -> !child.isAlive()).isPresent()) {
                onEnded(replica);
            }
        }
        chain.ifPresent(behind -> behind.noticeEnded(this::violation));
    }

    /** A replica that is stopped, cut off or behind may name a former leader, or keep the question waiting. */
    private void noticeLeader() {
        view.orElseThrow().sound().stream()
                .flatMap(replica -> replica.ask().stream())
                .map(Status::leader)
                .filter(leader -> !leader.isEmpty())
                .findFirst()
                .ifPresent(elections::see);
    }

    private void onEnded(ReplicaProcess replica) {
        boolean expected = view.filter(all -> all.mayEnd(replica)).isPresent();
        if (!expected && ClusterView.mustBeginAnew(replica)) {
            progress.accept("replica " + replica.id() + " gives up its state and begins anew: " + replica.lastWords());
            view.orElseThrow().beginsAnew(replica);
            return;
        }
        if (!expected) {
            violation("replica " + replica.id() + " ended by itself: " + replica.lastWords());
        }
        replica.ended();
    }

    private boolean settle() {
        boolean equal = group.settle(this::noticeEnded, remarks::add);
        if (!equal) {
            group.replicas().forEach(this::remarkState);
        }
        return chain.map(behind -> behind.settle(this::violation, remarks::add)).orElse(true) && equal;
    }

    private void remarkState(ReplicaProcess replica) {
        replica.process().filter(Child::isAlive).ifPresent(Child::dumpThreads);
        remarks.add("replica " + replica.id() + ": "
                + replica.ask()
                        .map(status -> "position " + status.position() + ", executed " + status.executedPosition()
                                + ", leader " + status.leader() + ", digest " + status.digest())
                        .orElse("no answer")
                + "; its threads are in its log");
    }

    /** Empty if the group does not answer, long after the last fault is over: a violation. */
    private Optional<BankAudit.Books> books(Clients clients) {
        try {
            return Optional.of(clients.books());
        } catch (CliException e) {
            remarks.add("after the faults the group does not answer: " + e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Style passive: kills the leader and asks the next one, whose state came by updates alone. The books must be the same; executions of
     * its own would have drawn other numbers.
     */
    private Optional<BankAudit.Books> booksOfNextLeader(Clients clients, BankAudit.Books before) {
        ReplicaProcess leader = group.members().stream()
                .filter(member -> member.id().equals(group.leader()))
                .findFirst()
                .orElseGet(() -> group.members().get(0));
        progress.accept("killing the leader " + leader.id() + ", to compare the books of the next one");
        leader.kill();
        Optional<BankAudit.Books> after = books(clients);
        view.orElseThrow().start(leader);
        if (after.filter(books -> !books.areThoseOf(before)).isPresent()) {
            violation("the books of the leader after " + leader.id() + " are not those of " + leader.id());
        }
        return after.map(books -> books.withCallIds(before.callIds()));
    }

    private CheckReport check(Path history) {
        try {
            return Checker.check(HistoryFile.read(history), settings.subject().model());
        } catch (IOException e) {
            throw CliException.environment("cannot read " + history + " (" + e.getMessage() + ")");
        }
    }

    private ChaosResult result(
            List<LoadReport> reports,
            Optional<BankAudit.Books> books,
            boolean equal,
            CheckReport report,
            Map<String, Integer> faults) {
        LoadVerdict verdict = books.map(all -> settings.subject().clients().verdict(reports, all.withoutShared()))
                .orElse(new LoadVerdict(0, 0, List.of()));
        remarks.addAll(verdict.remarks());
        remarks.addAll(Clients.problems(reports));
        long calls = reports.stream().mapToLong(LoadReport::calls).sum();
        long unknown = reports.stream().mapToLong(LoadReport::unknown).sum();
        double unknownPercent = calls == 0 ? 0 : Math.round(10_000.0 * unknown / calls) / 100.0;
        boolean tooManyUnknown = unknownPercent > ChaosResult.MOST_UNKNOWN_PERCENT;
        if (tooManyUnknown) {
            remarks.add("more than " + ChaosResult.MOST_UNKNOWN_PERCENT + " % of the calls have no definite answer");
        }
        return new ChaosResult(
                settings.seed(),
                settings.durationMillis() / 1_000.0,
                faults,
                calls,
                reports.stream().mapToLong(LoadReport::ok).sum(),
                reports.stream().mapToLong(LoadReport::failed).sum(),
                unknown,
                Math.max(verdict.executedTwice(), report.violations("once")),
                Math.max(verdict.lost(), report.violations("acknowledged")),
                equal,
                report.violations()
                        + verdict.executedTwice()
                        + verdict.lost()
                        + (equal ? 0 : 1)
                        + (tooManyUnknown ? 1 : 0)
                        + (books.isEmpty() ? 1 : 0)
                        + wrong,
                longestGapMillis(reports),
                elections.count(),
                group.replicas().stream().mapToLong(ReplicaProcess::repaired).sum(),
                diverged(),
                unknownPercent,
                settings.replicas(),
                settings.order().name().toLowerCase(Locale.ROOT),
                settings.log().name().toLowerCase(Locale.ROOT),
                settings.plant().orElse(""),
                Commit.hash(),
                report,
                List.copyOf(remarks));
    }

    private long diverged() {
        return group.replicas().stream()
                .mapToLong(ReplicaProcess::diverged)
                .max()
                .orElse(0);
    }

    private static double longestGapMillis(List<LoadReport> reports) {
        return reports.stream()
                        .flatMap(report -> report.longestGapMicros().stream())
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0)
                / 1_000.0;
    }
}
