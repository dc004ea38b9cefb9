package org.amo.lab.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.Terminal;
import org.amo.core.replica.ReplicaSettings;
import org.amo.lab.cluster.CounterProgram;
import org.amo.lab.cluster.MemberProgram;
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
import org.amo.observe.Observation;
import org.amo.observe.ObservationOptions;

/** Runs one demo: processes, load, a kill and the result. One thread uses it; a signal may end it at any time. */
final class DemoRun implements AutoCloseable {
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** Between two calls of a client thread, so that a person can use the machine. */
    private static final int PAGE_PAUSE_MILLIS = 20;

    /** From a kill by the page to the start. */
    private static final long AWAY_NANOS = 3_000_000_000L;

    /** Entries that a replica which has come back may lag. */
    private static final long MOST_LAG = 1_000;

    private final DemoSettings settings;
    private final Terminal.Progress progress;
    private final Consumer<String> told;
    private final WorkFolder folder;
    private final Processes processes;
    private final ProcessGroup group;
    private final List<String> remarks = new ArrayList<>();
    private final DemoPeaks peaks = new DemoPeaks();

    private Optional<Clients> clients = Optional.empty();
    private Optional<DemoTrial> trial = Optional.empty();
    private Optional<Observation> page = Optional.empty();

    /** The replica that the page has killed, until it serves again. */
    private Optional<ReplicaProcess> away = Optional.empty();

    private Optional<ReplicaProcess> victim = Optional.empty();
    private long killNanos;
    private boolean stayedEqual = true;
    private boolean keepFolder = true;

    /**
     * Nothing is started yet.
     *
     * @param progress for a person that watches
     * @param told takes the address of the page
     */
    DemoRun(DemoSettings settings, Terminal.Progress progress, Consumer<String> told) {
        this.settings = settings;
        this.progress = progress;
        this.told = told;
        this.folder = WorkFolder.create("demo");
        this.processes = new Processes(folder);
        this.group = new ProcessGroup(
                settings.udp() ? MemberProgram::counters : MemberProgram::bank,
                new ProcessGroup.Settings(
                        settings.order(), settings.log(), settings.history().isPresent(), settings.style()),
                Collections.nCopies(settings.replicas(), place()),
                0,
                folder,
                processes);
    }

    private ProcessGroup.Place place() {
        ProcessGroup.Place here = ProcessGroup.Place.here(folder.file("data"));
        return settings.udp() ? here.withOption(CounterProgram.TAKES_DATAGRAMS) : here;
    }

    DemoResult run() {
        progress.accept("starting " + settings.replicas() + " replicas");
        group.startAll();
        progress.accept("starting " + settings.clients() + " clients");
        Path reference = settings.udp()
                ? LoadPrograms.firstCallReference(group, CounterProgram.GROUP, folder, member -> member)
                : group.replicas().get(0).reference();
        LoadPrograms programs = settings.udp() ? LoadPrograms.counters() : LoadPrograms.bank(settings.sack());
        clients = Optional.of(Clients.start(
                programs,
                settings.clients(),
                new LoadSettings.Shape(
                        settings.threads(),
                        settings.durationMillis(),
                        settings.seed(),
                        false,
                        0,
                        settings.page().isPresent() ? PAGE_PAUSE_MILLIS : 0),
                reference,
                settings.history().isPresent(),
                folder,
                processes));
        openPage(clients.get());
        load(clients.get());
        List<LoadReport> reports = clients.get().reports();
        settle();
        BankAudit.Books books = clients.get().books();
        boolean equal = settle() && stayedEqual;
        LoadVerdict verdict = programs.verdict(reports, books);
        remarks.addAll(verdict.remarks());
        remarks.addAll(Clients.problems(reports));
        DemoResult result = result(reports, verdict, equal);
        settings.history().ifPresent(file -> clients.get().writeHistory(file, group, Optional.of(books)));
        keepFolder = !result.passed();
        return result;
    }

    private void openPage(Clients running) {
        if (settings.page().isEmpty()) {
            return;
        }
        DemoTrial shown = new DemoTrial(
                group.replicas().stream().map(ReplicaProcess::member).toList(),
                settings.log() != ReplicaSettings.Log.MEMORY,
                running::soFar);
        ObservationOptions options =
                ObservationOptions.builder(settings.page().getAsInt()).build();
        try {
            Observation offered = Observation.offer(shown, Optional.of(options));
            page = Optional.of(offered);
            trial = Optional.of(shown);
            told.accept("page: http://127.0.0.1:" + offered.port().orElseThrow() + "/");
        } catch (IOException e) {
            throw CliException.environment("--page: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        processes.close();
        page.ifPresent(Observation::close);
        if (keepFolder) {
            progress.accept("the processes' output is in " + folder.path());
        } else {
            folder.delete();
        }
    }

    private void load(Clients running) {
        running.go();
        long start = System.nanoTime();
        long end = running.end(start);
        long second = 0;
        long before = 0;
        boolean kill = settings.kill() != DemoSettings.Kill.NONE;
        boolean restart = kill && settings.restartAfterMillis().isPresent();
        while (running.atWork() || kill || restart || away.isPresent()) {
            Wait.aTick();
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
                victim.ifPresent(group::start);
                restart = false;
            }
            obeyPage(second);
            if (now - start >= (second + 1) * SECOND_NANOS) {
                second++;
                sample();
                comeBack(second);
                long ok = running.ok();
                progress.state(String.format(
                        Locale.ROOT,
                        "%4d of %d s %,10d calls %,8d/s   %s",
                        second,
                        settings.durationMillis() / 1_000,
                        ok,
                        ok - before,
                        group.inWords()));
                before = ok;
            }
            if (now > end) {
                throw CliException.environment("the clients did not end in time; see " + folder.path());
            }
        }
    }

    private boolean settle() {
        return group.settle(this::sample, remarks::add);
    }

    /** Asks all replicas, and notices those that ended without being killed. */
    private void sample() {
        for (ReplicaProcess replica : group.replicas()) {
            replica.ask().ifPresent(status -> peaks.add(replica.lives(), status));
            if (replica.process().filter(child -> !child.isAlive()).isPresent() && stayedEqual) {
                stayedEqual = false;
                remarks.add("replica " + replica.id() + " ended by itself: " + replica.lastWords());
            }
        }
    }

    private void kill() {
        sample();
        ReplicaProcess target = target();
        kill(target);
        progress.accept(
                "kill -9 replica " + target.id() + " (" + settings.kill().name().toLowerCase(Locale.ROOT) + ")");
    }

    /** Kills the replica that a person has pressed the button of, and starts it again. */
    private void obeyPage(long second) {
        Optional<String> wish = trial.flatMap(DemoTrial::takeWish);
        if (wish.isPresent() && away.isEmpty()) {
            ReplicaProcess target = group.replicas().stream()
                    .filter(replica -> replica.id().equals(wish.get()))
                    .findFirst()
                    .orElseThrow();
            String role = target.id().equals(group.leader()) ? ", the leader" : "";
            kill(target);
            away = victim;
            trial.ifPresent(shown -> shown.away(Optional.of(target.id())));
            tell(second, "kill -9 " + target.id() + role);
        } else if (away.filter(replica -> !replica.isUp()).isPresent() && System.nanoTime() - killNanos >= AWAY_NANOS) {
            group.start(away.get());
            tell(second, away.get().id() + " starts again");
        }
    }

    private void kill(ReplicaProcess target) {
        killNanos = System.nanoTime();
        target.kill();
        victim = Optional.of(target);
    }

    private void comeBack(long second) {
        long newest = group.replicas().stream()
                .flatMap(replica -> replica.last().stream())
                .mapToLong(Status::executedPosition)
                .max()
                .orElse(0);
        if (away.filter(ReplicaProcess::isUp)
                .flatMap(ReplicaProcess::ask)
                .filter(status -> newest - status.executedPosition() <= MOST_LAG)
                .isPresent()) {
            tell(second, away.get().id() + " serves again; " + group.leader() + " leads");
            away = Optional.empty();
            trial.ifPresent(shown -> shown.away(away.map(ReplicaProcess::id)));
        }
    }

    private void tell(long second, String event) {
        String line = second + " s: " + event;
        trial.ifPresent(shown -> shown.tell(line));
        progress.accept(line);
    }

    private ReplicaProcess target() {
        List<ReplicaProcess> replicas = group.replicas();
        String leader = group.leader();
        String served = clients.map(Clients::servedBy).orElse("");
        Optional<ReplicaProcess> connected = replicas.stream()
                .filter(replica -> served.endsWith(":" + replica.member().clientPort()))
                .findFirst();
        Optional<ReplicaProcess> leading =
                replicas.stream().filter(replica -> replica.id().equals(leader)).findFirst();
        return switch (settings.kill()) {
            case CONNECTED, NONE ->
                connected
                        .or(() -> {
                            remarks.add(
                                    "no member serves client c1 at the time of the kill; the leader was killed instead");
                            return leading;
                        })
                        .orElse(replicas.get(0));
            case LEADER -> leading.orElse(replicas.get(0));
            case FOLLOWER -> {
                List<ReplicaProcess> followers = replicas.stream()
                        .filter(replica -> !replica.id().equals(leader))
                        .toList();
                yield followers.stream()
                        .filter(replica -> connected.filter(replica::equals).isEmpty())
                        .findFirst()
                        .orElse(followers.get(0));
            }
        };
    }

    private DemoResult result(List<LoadReport> reports, LoadVerdict verdict, boolean equal) {
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
                peaks.cache(group.replicas()),
                peaks.sack(),
                group.replicas().stream().map(DemoRun::result).toList(),
                settings.seed(),
                Commit.hash(),
                List.copyOf(remarks));
    }

    private static DemoResult.ReplicaResult result(ReplicaProcess replica) {
        Optional<Status> last = replica.last();
        return new DemoResult.ReplicaResult(
                replica.id(),
                replica.killed(),
                replica.restarted(),
                last.map(status -> status.number("executed")).orElse(0L),
                last.map(Status::executedPosition).orElse(0L),
                last.map(Status::digest).orElse(""));
    }

    /** From the kill on; of the whole run if no replica was killed. */
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
}
