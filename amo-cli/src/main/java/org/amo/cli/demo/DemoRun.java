package org.amo.cli.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.amo.cli.CliException;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;

/** One demo: processes, load, a kill, and what came of it. One thread uses it; a signal may end it at any time. */
final class DemoRun implements AutoCloseable {
    private static final long TICK_MILLIS = 50;
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long START_MILLIS = 90_000;
    private static final long SETTLE_MILLIS = 60_000;
    private static final long AUDIT_MILLIS = 60_000;
    private static final long STOP_MILLIS = 5_000;

    /** After the load's end, for calls that wait for their deadline, and for the reports. */
    private static final long GRACE_MILLIS = DemoSettings.DEADLINE_MILLIS + 20_000;

    private static final int SIGNALLED = 143;

    private final DemoSettings settings;
    private final Consumer<String> progress;
    private final WorkFolder folder;
    private final List<Replica> replicas = new ArrayList<>();
    private final List<ClientProcess> clients = new ArrayList<>();

    /** Every process that was ever started; guarded by itself. */
    private final List<Child> children = new ArrayList<>();

    private final List<String> remarks = new ArrayList<>();
    private final Thread hook = new Thread(this::onSignal, "amo-demo-stop");
    private final DemoPeaks peaks = new DemoPeaks();

    private Optional<Replica> victim = Optional.empty();
    private long killNanos;
    private boolean stayedEqual = true;
    private boolean keepFolder = true;

    DemoRun(DemoSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
        this.folder = WorkFolder.create();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    DemoResult run() {
        startReplicas();
        startClients();
        load();
        List<LoadReport> reports = clients.stream().map(ClientProcess::report).toList();
        settle();
        BankAudit.Books books = audit();
        boolean equal = settle() && stayedEqual;
        Verdict verdict = Verdict.of(
                reports.stream().flatMap(report -> report.accounts().stream()).toList(), books);
        remarks.addAll(verdict.remarks());
        remarkProblems(reports);
        DemoResult result = result(reports, verdict, equal);
        settings.history().ifPresent(file -> writeHistory(file, books));
        keepFolder = !result.passed();
        return result;
    }

    @Override
    public void close() {
        letSignalGoFirst();
        endAll();
        if (keepFolder) {
            progress.accept("the processes' output is in " + folder.path());
        } else {
            folder.delete();
        }
    }

    /** After a signal, what fails here fails because of it, and must not be reported: the hook ends the process. */
    private void letSignalGoFirst() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException signalled) {
            try {
                hook.join(2 * STOP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void onSignal() {
        endAll();
        folder.delete();
        // The main thread must not report the death of its processes as a failure.
        Runtime.getRuntime().halt(SIGNALLED);
    }

    private void endAll() {
        synchronized (children) {
            children.forEach(Child::stop);
            long end = System.nanoTime() + STOP_MILLIS * 1_000_000;
            for (Child child : children) {
                if (!child.awaitEnd(Math.max(0, (end - System.nanoTime()) / 1_000_000))) {
                    child.kill();
                    child.awaitEnd(STOP_MILLIS);
                }
            }
        }
    }

    private void startReplicas() {
        List<Integer> ports = FreePorts.find(2 * settings.replicas());
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < settings.replicas(); i++) {
            members.add(
                    new Member(String.valueOf((char) ('a' + i)), "127.0.0.1", ports.get(2 * i), ports.get(2 * i + 1)));
        }
        Path secret = folder.secret();
        for (Member member : members) {
            ServerWrap wrap = new ServerWrap(
                    "bank",
                    member.id(),
                    members,
                    folder.file("data"),
                    settings.order(),
                    settings.log(),
                    Optional.empty(),
                    Optional.of(secret),
                    Optional.empty());
            Replica replica = new Replica(member, wrap, folder.path());
            replicas.add(replica);
            start(replica);
        }
        progress.accept("starting " + settings.replicas() + " replicas");
        await(START_MILLIS, "the replicas did not form a group", () -> {
            for (Replica replica : replicas) {
                if (replica.process().filter(Child::isAlive).isEmpty()) {
                    throw CliException.environment("replica " + replica.id() + " did not start: "
                            + replica.process().map(Child::lastWords).orElse("") + "; see " + folder.path());
                }
                if (replica.ask().filter(status -> !status.leader().isEmpty()).isEmpty()
                        || !Files.exists(replica.reference())) {
                    return false;
                }
            }
            return true;
        });
    }

    private void start(Replica replica) {
        synchronized (children) {
            children.add(replica.start(settings.history().isPresent()));
        }
    }

    private void startClients() {
        progress.accept("starting " + settings.clients() + " clients");
        Path reference = replicas.get(0).reference();
        for (int i = 1; i <= settings.clients(); i++) {
            String name = "c" + i;
            LoadSettings load = new LoadSettings(
                    name,
                    settings.threads(),
                    settings.durationMillis(),
                    settings.seed(),
                    reference,
                    folder.file("go"),
                    folder.file("report-" + name + ".json"),
                    settings.history().isPresent() ? folder.file("history-" + name + ".jsonl") : Path.of(""));
            synchronized (children) {
                ClientProcess client = new ClientProcess(load, settings.sack(), folder);
                clients.add(client);
                children.add(client.child());
            }
        }
        await(START_MILLIS, "the clients could not call the bank", () -> {
            for (ClientProcess client : clients) {
                if (!client.child().isAlive()) {
                    throw CliException.environment("client " + client.child().name() + " could not call the bank: "
                            + client.child().lastWords() + "; see " + folder.path());
                }
            }
            return clients.stream().allMatch(ClientProcess::ready);
        });
    }

    private void load() {
        try {
            Files.createFile(folder.file("go"));
        } catch (IOException e) {
            throw CliException.environment("cannot write to " + folder.path() + " (" + e.getMessage() + ")");
        }
        long start = System.nanoTime();
        long end = start + (settings.durationMillis() + GRACE_MILLIS) * 1_000_000;
        long second = 0;
        long before = 0;
        boolean kill = settings.kill() != DemoSettings.Kill.NONE;
        boolean restart = kill && settings.restartAfterMillis().isPresent();
        while (clients.stream().anyMatch(client -> client.child().isAlive()) || kill || restart) {
            pause();
            long now = System.nanoTime();
            long millis = (now - start) / 1_000_000;
            if (kill && millis >= settings.killAtMillis()) {
                kill();
                kill = false;
            }
            if (restart
                    && !kill
                    && (now - killNanos) / 1_000_000
                            >= settings.restartAfterMillis().getAsLong()) {
                victim.ifPresent(this::start);
                restart = false;
            }
            if (now - start >= (second + 1) * SECOND_NANOS) {
                second++;
                sample();
                long ok = clients.stream().mapToLong(ClientProcess::ok).sum();
                progress.accept(
                        String.format(Locale.ROOT, "%4d s %,10d calls %,8d/s   %s", second, ok, ok - before, group()));
                before = ok;
            }
            if (now > end) {
                throw CliException.environment("the clients did not end in time; see " + folder.path());
            }
        }
    }

    /** Asks all replicas, and notices those that ended without being killed. */
    private void sample() {
        for (Replica replica : replicas) {
            replica.ask().ifPresent(status -> peaks.add(replica.lives(), status));
            if (replica.process().filter(child -> !child.isAlive()).isPresent() && stayedEqual) {
                stayedEqual = false;
                remarks.add("replica " + replica.id() + " ended by itself: "
                        + replica.process().map(Child::lastWords).orElse(""));
            }
        }
    }

    private String group() {
        String leader = leader();
        return replicas.stream()
                .map(replica -> replica.id() + (replica.isUp() ? replica.id().equals(leader) ? "*" : "" : " (killed)"))
                .collect(Collectors.joining(" "));
    }

    private void kill() {
        sample();
        Replica target = target();
        killNanos = System.nanoTime();
        target.kill();
        victim = Optional.of(target);
        progress.accept(
                "kill -9 replica " + target.id() + " (" + settings.kill().name().toLowerCase(Locale.ROOT) + ")");
    }

    private Replica target() {
        String leader = leader();
        String served = clients.get(0).servedBy();
        Optional<Replica> connected = replicas.stream()
                .filter(replica -> served.endsWith(":" + replica.member().clientPort()))
                .findFirst();
        Optional<Replica> leading =
                replicas.stream().filter(replica -> replica.id().equals(leader)).findFirst();
        return switch (settings.kill()) {
            case CONNECTED, NONE ->
                connected
                        .or(() -> {
                            remarks.add(
                                    "nobody serves client c1 at the time of the kill; the leader was killed instead");
                            return leading;
                        })
                        .orElse(replicas.get(0));
            case LEADER -> leading.orElse(replicas.get(0));
            case FOLLOWER -> {
                List<Replica> followers = replicas.stream()
                        .filter(replica -> !replica.id().equals(leader))
                        .toList();
                yield followers.stream()
                        .filter(replica -> connected.filter(replica::equals).isEmpty())
                        .findFirst()
                        .orElse(followers.get(0));
            }
        };
    }

    private String leader() {
        return replicas.stream()
                .filter(Replica::isUp)
                .flatMap(replica -> replica.last().stream())
                .map(Status::leader)
                .filter(leader -> !leader.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Waits until all replicas that are up have executed the same; says whether they are equal then. */
    private boolean settle() {
        long end = System.nanoTime() + SETTLE_MILLIS * 1_000_000;
        while (true) {
            sample();
            List<Replica> up = replicas.stream().filter(DemoRun::isAlive).toList();
            List<Status> statuses =
                    up.stream().flatMap(replica -> replica.ask().stream()).toList();
            boolean level = statuses.size() == up.size()
                    && statuses.stream().allMatch(Status::isQuiet)
                    && statuses.stream()
                                    .mapToLong(Status::executedPosition)
                                    .distinct()
                                    .count()
                            == 1;
            boolean late = System.nanoTime() > end;
            if (level || late) {
                long digests = statuses.stream().map(Status::digest).distinct().count();
                if (late && !level) {
                    remarks.add("the replicas did not reach the same position in " + SETTLE_MILLIS / 1_000 + " s");
                } else if (digests > 1) {
                    remarks.add("the replicas have executed the same positions with different results");
                }
                return level && digests == 1;
            }
            pause();
        }
    }

    private static boolean isAlive(Replica replica) {
        return replica.process().filter(Child::isAlive).isPresent();
    }

    private BankAudit.Books audit() {
        Path file = folder.file("books.json");
        ClientWrap wrap = new ClientWrap(
                List.of(),
                Optional.of(DemoSettings.DEADLINE_MILLIS),
                settings.sack(),
                Optional.empty(),
                Optional.of("audit"));
        Child child;
        synchronized (children) {
            child = Child.quiet(
                    "audit",
                    wrap.apply(Programs.audit(replicas.get(0).reference(), file))
                            .words(),
                    folder.file("audit.log"));
            children.add(child);
        }
        try {
            if (child.awaitEnd(AUDIT_MILLIS) && child.exitCode() == 0) {
                return new ObjectMapper().readValue(file.toFile(), BankAudit.Books.class);
            }
        } catch (IOException e) {
            throw CliException.environment("cannot read the bank's books (" + e.getMessage() + ")");
        }
        throw CliException.environment(
                "the bank's books could not be had: " + child.lastWords() + "; see " + folder.path());
    }

    private void remarkProblems(List<LoadReport> reports) {
        Map<String, Long> problems = new TreeMap<>();
        reports.forEach(report -> report.problems().forEach((text, count) -> problems.merge(text, count, Long::sum)));
        problems.forEach((text, count) -> remarks.add(count + " calls ended with " + text));
    }

    private DemoResult result(List<LoadReport> reports, Verdict verdict, boolean equal) {
        Histogram latencies = new Histogram(3);
        reports.forEach(report -> latencies.add(decode(report.histogram())));
        long ok = reports.stream().mapToLong(LoadReport::ok).sum();
        long start = reports.stream().mapToLong(LoadReport::startNanos).min().orElse(0);
        long end = reports.stream().mapToLong(LoadReport::endNanos).max().orElse(0);
        return new DemoResult(
                reports.stream().mapToLong(LoadReport::calls).sum(),
                ok,
                reports.stream().mapToLong(LoadReport::failed).sum(),
                reports.stream().mapToLong(LoadReport::unknown).sum(),
                peaks.replayed(),
                verdict.executedTwice(),
                verdict.lost(),
                equal,
                reports.stream().mapToLong(this::longestGapMicros).max().orElse(0) / 1_000.0,
                end > start ? Math.round(ok * 10.0 * SECOND_NANOS / (end - start)) / 10.0 : 0,
                new DemoResult.Latency(
                        latencies.getValueAtPercentile(50),
                        latencies.getValueAtPercentile(99),
                        latencies.getMaxValue()),
                peaks.cache(replicas),
                peaks.sack(),
                replicas.stream().map(DemoRun::result).toList(),
                settings.seed(),
                Commit.hash(),
                List.copyOf(remarks));
    }

    private static DemoResult.ReplicaResult result(Replica replica) {
        Optional<Status> last = replica.last();
        return new DemoResult.ReplicaResult(
                replica.id(),
                replica.killed(),
                replica.restarted(),
                last.map(status -> status.number("executed")).orElse(0L),
                last.map(Status::executedPosition).orElse(0L),
                last.map(Status::digest).orElse(""));
    }

    /** From the kill on; all of them when nobody was killed. */
    private long longestGapMicros(LoadReport report) {
        long longest = 0;
        for (int i = 0; i < report.longestGapMicros().size(); i++) {
            long tickEnd = report.startNanos() + (i + 1) * LoadReport.TICK_NANOS;
            if (victim.isEmpty() || tickEnd >= killNanos) {
                longest = Math.max(longest, report.longestGapMicros().get(i));
            }
        }
        return longest;
    }

    private static Histogram decode(String base64) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0);
        } catch (DataFormatException e) {
            throw new IllegalStateException("a client's histogram is damaged", e);
        }
    }

    private void writeHistory(Path target, BankAudit.Books books) {
        try {
            HistoryMerge merge = new HistoryMerge(Set.copyOf(books.callIds()));
            for (ClientProcess client : clients) {
                merge.source().file(client.settings().history());
            }
            for (Replica replica : replicas) {
                HistoryMerge.Source source = merge.source();
                for (int life = 1; life <= replica.lives(); life++) {
                    source.file(replica.history(life));
                    if (life == 1 && replica.killed()) {
                        source.event(
                                "{\"type\":\"crash\",\"replica\":\"" + replica.id() + "\",\"t\":" + killNanos + "}");
                    }
                }
                if (replica.isUp()) {
                    source.event(finalState(replica, books));
                }
            }
            merge.write(target);
        } catch (IOException e) {
            throw CliException.environment("cannot write " + target + " (" + e.getMessage()
                    + "); give --history a file in a folder that exists");
        }
    }

    /**
     * The books were read through the log, so every replica has answered them itself, and equal digests at equal
     * positions mean that it answered the same.
     */
    private String finalState(Replica replica, BankAudit.Books books) {
        String digest = replica.last().map(Status::digest).orElse("");
        String usual = replicas.stream()
                .filter(Replica::isUp)
                .flatMap(other -> other.last().stream())
                .map(Status::digest)
                .findFirst()
                .orElse("");
        Map<String, Object> state = new TreeMap<>();
        if (digest.equals(usual)) {
            books.lines().forEach(line -> state.put(line.account(), line.balance()));
        } else {
            state.put("digest", digest);
        }
        return new ObjectMapper()
                .createObjectNode()
                .put("type", "state")
                .put("replica", replica.id())
                .putPOJO("final", state)
                .put("t", System.nanoTime())
                .toString();
    }

    private static void await(long millis, String failure, BooleanSupplier condition) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw CliException.environment(failure + " in " + millis / 1_000 + " s");
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(TICK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.environment("the demo was interrupted");
        }
    }
}
