package org.amo.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.cli.Amo;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.kv.KvAccess;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.WorkFolder;
import org.amo.net.CheckedFile;
import org.amo.replication.FreePorts;

/** The processes of a key-value cluster, each with a folder of its own, which is its disk. One thread owns it. */
final class KvProcesses {
    private static final int COORDINATORS = 3;
    private static final String DEAD_AFTER = "2s";

    /** Ranges of keys. */
    static final int RANGES = 16;

    private final WorkFolder folder;
    private final Processes processes;
    private final Path secret;
    private final List<Member> coordinators = FreePorts.members(COORDINATORS);
    private final TreeMap<String, Program> programs = new TreeMap<>();
    private final TreeMap<String, Child> running = new TreeMap<>();
    private int started;

    /** @param kind coordinator, server or backup */
    private record Program(String kind, List<String> words) {}

    KvProcesses(WorkFolder folder, Processes processes, int servers, int backups) {
        this.folder = folder;
        this.processes = processes;
        this.secret = folder.secret();
        for (Member member : coordinators) {
            add(
                    member.id(),
                    "coordinator",
                    List.of(
                            "--servers", Integer.toString(servers),
                            "--ranges", Integer.toString(RANGES),
                            "--backups", Integer.toString(backups),
                            "--dead-after", DEAD_AFTER,
                            "--log", "file"));
        }
        for (int i = 0; i < servers; i++) {
            add("s" + i, "server", List.of());
        }
        // One more than each write needs: the others go on while one is away.
        for (int i = 0; backups > 0 && i <= backups; i++) {
            add("b" + i, "backup", List.of());
        }
    }

    private void add(String id, String kind, List<String> options) {
        List<String> words = new ArrayList<>(List.of("kv", kind, "--id", id, "--data", disk(id).toString()));
        words.addAll(List.of("--coordinators", Member.format(coordinators), "--secret-file", secret.toString()));
        words.addAll(options);
        programs.put(id, new Program(kind, words));
    }

    KvAccess access() throws IOException {
        return new KvAccess(
                Member.format(coordinators),
                Optional.of(Files.readString(secret).strip()));
    }

    /** Of all processes of that kind: coordinator, server or backup. */
    List<String> ids(String kind) {
        return programs.keySet().stream().filter(id -> kind(id).equals(kind)).toList();
    }

    /** Coordinator, server or backup. */
    String kind(String id) {
        return program(id).kind;
    }

    private Program program(String id) {
        return Objects.requireNonNull(programs.get(id), id);
    }

    void startAll() {
        programs.keySet().forEach(this::start);
    }

    void start(String id) {
        Path log = folder.file(id + "-" + ++started + ".log");
        List<String> words = Programs.small(Amo.class, program(id).words).words();
        running.put(id, processes.start(() -> Child.quiet(id, words, log)));
    }

    /** As kill -9 does; the disk may go, too. */
    void kill(String id, boolean withDisk) {
        Child child = running.remove(id);
        if (child != null) {
            child.kill();
            child.awaitEnd(Long.MAX_VALUE);
        }
        if (withDisk) {
            deleteDisk(id);
        }
    }

    /** As a supervisor does: a coordinator, say, is refused until the others have noticed that its last process is dead. */
    void startWhatEnded() {
        for (Map.Entry<String, Child> each : List.copyOf(running.entrySet())) {
            if (!each.getValue().isAlive()) {
                start(each.getKey());
            }
        }
    }

    private Path disk(String id) {
        return folder.path().resolve("disks").resolve(id);
    }

    private void deleteDisk(String id) {
        try {
            CheckedFile.deleteTree(disk(id));
        } catch (IOException e) {
            throw CliException.environment("cannot delete " + disk(id) + " (" + e.getMessage() + ")");
        }
    }
}
