package org.amo.lab.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.cli.CliException;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.Wait;
import org.amo.lab.cluster.WorkFolder;
import org.amo.observe.Trial;

/** The client processes of one run. One thread owns it. */
public final class Clients {
    private static final long START_MILLIS = 90_000;

    /** After the load's end, for calls that wait for their deadline, and for the reports. */
    private static final long GRACE_MILLIS = Programs.DEADLINE_MILLIS + 20_000;

    private final LoadPrograms programs;
    private final Path reference;
    private final WorkFolder folder;
    private final Processes processes;
    private final List<ClientProcess> all = new ArrayList<>();
    private final long durationMillis;

    private Clients(
            LoadPrograms programs, Path reference, WorkFolder folder, Processes processes, long durationMillis) {
        this.programs = programs;
        this.reference = reference;
        this.folder = folder;
        this.processes = processes;
        this.durationMillis = durationMillis;
    }

    /** Starts them and waits until each has called the service once. The load begins with {@link #go}. */
    public static Clients start(
            LoadPrograms programs,
            int count,
            LoadSettings.Shape shape,
            Path reference,
            boolean withHistory,
            WorkFolder folder,
            Processes processes) {
        Clients clients = new Clients(programs, reference, folder, processes, shape.durationMillis());
        for (int i = 1; i <= count; i++) {
            String name = "c" + i;
            LoadSettings load = new LoadSettings(
                    name,
                    shape,
                    reference,
                    folder.file("go"),
                    folder.file("report-" + name + ".json"),
                    withHistory ? folder.file("history-" + name + ".jsonl") : Path.of(""));
            processes.start(() -> {
                ClientProcess client = new ClientProcess(load, programs, folder);
                clients.all.add(client);
                return client.child();
            });
        }
        Wait.until(START_MILLIS, "the clients could not call the service", () -> {
            for (ClientProcess client : clients.all) {
                if (!client.child().isAlive()) {
                    throw CliException.environment("client " + client.child().name() + " could not call the service: "
                            + client.child().lastWords() + "; see " + folder.path());
                }
            }
            return clients.all.stream().allMatch(ClientProcess::ready);
        });
        return clients;
    }

    /** Lets all of them begin. */
    public void go() {
        try {
            Files.createFile(folder.file("go"));
        } catch (IOException e) {
            throw cannotChange(e);
        }
    }

    /**
     * Lets all of them call without their pauses until {@link #rest}, within half a second. Before {@link #go}: from the first call on.
     */
    public void hurry() {
        try {
            Files.createFile(hurryFile());
        } catch (IOException e) {
            throw cannotChange(e);
        }
    }

    /** Lets all of them pause between calls as their shape says, within half a second. */
    public void rest() {
        try {
            Files.deleteIfExists(hurryFile());
        } catch (IOException e) {
            throw cannotChange(e);
        }
    }

    /** Lets none of them begin a call until {@link #release}, within half a second. Calls under way go on. */
    public void hold() {
        try {
            Files.createFile(holdFile());
        } catch (IOException e) {
            throw cannotChange(e);
        }
    }

    /** Lets all of them call again, within half a second; their {@link #reports} are gone. */
    public void release() {
        try {
            for (ClientProcess client : all) {
                // A client that is killed later leaves none, rather than an old one.
                Files.deleteIfExists(client.settings().report());
            }
            Files.deleteIfExists(holdFile());
        } catch (IOException e) {
            throw cannotChange(e);
        }
    }

    /** Whether none has a call under way, so that {@link #reports} are of now; true of clients that have ended. */
    public boolean areHeld() {
        return all.stream().allMatch(client -> client.held() || !client.child().isAlive());
    }

    /** Whether all have heard of {@link #release}. */
    public boolean areReleased() {
        return all.stream().noneMatch(client -> client.held() && client.child().isAlive());
    }

    private Path holdFile() {
        return all.get(0).settings().hold();
    }

    private Path hurryFile() {
        return all.get(0).settings().hurry();
    }

    private CliException cannotChange(IOException e) {
        return CliException.environment("cannot change " + folder.path() + " (" + e.getMessage() + ")");
    }

    /** Lets all of them end, before their time if need be. */
    public void stop() {
        try {
            Files.deleteIfExists(folder.file("go"));
        } catch (IOException e) {
            throw cannotChange(e);
        }
    }

    /** When a load that began then must be over, in the same clock's nanoseconds. */
    public long end(long startNanos) {
        return startNanos + (durationMillis + GRACE_MILLIS) * 1_000_000;
    }

    /** Whether one still calls. */
    public boolean atWork() {
        return all.stream().anyMatch(client -> client.child().isAlive());
    }

    /** Calls that were answered so far. */
    public long ok() {
        return progress().ok();
    }

    /**
     * The verdict of their records so far, at most half a second old.
     *
     * @param events of the run, the latest last
     */
    public Trial.Verdict soFar(List<String> events) {
        return progress().verdict(events);
    }

    private LoadProgress progress() {
        return all.stream().map(ClientProcess::progress).reduce(LoadProgress.NONE, LoadProgress::plus);
    }

    /** {@code host:port} of the member that answered the last call of the first client; empty before that. */
    public String servedBy() {
        return all.get(0).servedBy();
    }

    /** Their own records, once they have ended, or while they are held. */
    public List<LoadReport> reports() {
        return all.stream().map(ClientProcess::report).toList();
    }

    /** The files with their events; empty paths for clients without. */
    public List<Path> histories() {
        return all.stream().map(client -> client.settings().history()).toList();
    }

    /** Asks the service for its books, through the group. */
    public BankAudit.Books books() {
        return Audit.books(programs, reference, folder, processes);
    }

    /**
     * Writes the events of clients and replicas into one file.
     *
     * @param books empty: then no final states are written
     */
    public void writeHistory(Path target, ProcessGroup group, Optional<BankAudit.Books> books) {
        Audit.writeHistory(target, this, group, books, programs);
    }

    /** How often calls ended with which exception. */
    public static List<String> problems(List<LoadReport> reports) {
        Map<String, Long> problems = new TreeMap<>();
        reports.forEach(report -> report.problems().forEach((text, count) -> problems.merge(text, count, Long::sum)));
        List<String> lines = new ArrayList<>();
        problems.forEach((text, count) -> lines.add(count + " calls ended with " + text));
        return lines;
    }
}
