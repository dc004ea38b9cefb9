package org.amo.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.amo.cli.Amo;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.examples.kv.KvAccess;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.WorkFolder;
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
    private final TreeMap<String, List<String>> commands = new TreeMap<>();
    private final TreeMap<String, Child> running = new TreeMap<>();
    private int started;

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

    private void add(String id, String command, List<String> options) {
        List<String> words = new ArrayList<>(List.of("kv", command, "--id", id, "--data", disk(id).toString()));
        words.addAll(List.of("--coordinators", Member.format(coordinators), "--secret-file", secret.toString()));
        words.addAll(options);
        commands.put(id, words);
    }

    KvAccess access() throws IOException {
        return new KvAccess(
                Member.format(coordinators),
                Optional.of(Files.readString(secret).strip()));
    }

    /** Ids that begin so: c, s or b. */
    List<String> ids(String kind) {
        return kind.equals("c")
                ? coordinators.stream().map(Member::id).toList()
                : commands.keySet().stream()
                        .filter(each -> each.startsWith(kind)
                                && coordinators.stream()
                                        .noneMatch(member -> member.id().equals(each)))
                        .toList();
    }

    void startAll() {
        commands.keySet().forEach(this::start);
    }

    void start(String id) {
        Path log = folder.file(id + "-" + ++started + ".log");
        List<String> words =
                Programs.small(Amo.class, commands.getOrDefault(id, List.of())).words();
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
        if (Files.notExists(disk(id))) {
            return;
        }
        try (Stream<Path> files = Files.walk(disk(id))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw CliException.environment("cannot delete " + disk(id) + " (" + e.getMessage() + ")");
        }
    }
}
