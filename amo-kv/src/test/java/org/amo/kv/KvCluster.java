package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.net.CheckedFile;
import org.amo.replication.FreePorts;
import org.awaitility.Awaitility;

/** Coordinators and servers as processes of this machine, each killed with SIGKILL or not at all. */
final class KvCluster implements AutoCloseable {
    /** A random key: each process would stretch a password when it starts. */
    static final String SECRET = "5e".repeat(32);

    private final Path folder;
    private final long termMillis;
    private final int servers;
    private final long deadAfterMillis;
    private final String proof;
    private final int copies;
    private final List<Member> members;
    private final Map<String, Integer> ports = new HashMap<>();
    private final Map<String, Process> running = new LinkedHashMap<>();

    /** Of three coordinators, without backups. */
    KvCluster(Path folder, long termMillis, int servers, long deadAfterMillis, Optional<String> secret) {
        this(folder, termMillis, servers, deadAfterMillis, secret, 3, 0);
    }

    KvCluster(
            Path folder,
            long termMillis,
            int servers,
            long deadAfterMillis,
            Optional<String> secret,
            int coordinators,
            int copies) {
        this(folder, termMillis, servers, deadAfterMillis, secret.orElse(KvProcess.NO_SECRET), coordinators, copies);
    }

    /**
     * @param proof a secret, or as {@link KvProcess} takes it
     * @param copies backups that have each write
     */
    KvCluster(
            Path folder,
            long termMillis,
            int servers,
            long deadAfterMillis,
            String proof,
            int coordinators,
            int copies) {
        this.folder = folder;
        this.termMillis = termMillis;
        this.servers = servers;
        this.deadAfterMillis = deadAfterMillis;
        this.proof = proof;
        this.copies = copies;
        this.members = FreePorts.members(coordinators);
        List<Integer> free = FreePorts.find(servers + 4 + copies + 1);
        for (int i = 0; i < servers + 4; i++) {
            ports.put("s" + i, free.get(i));
        }
        for (int i = 0; i <= copies; i++) {
            ports.put("b" + i, free.get(servers + 4 + i));
        }
    }

    KvAccess access() {
        return access(proof);
    }

    /** With another secret or certificate. */
    KvAccess access(String other) {
        return KvProcess.access(Member.format(members), other);
    }

    KvClient client() {
        return KvClient.open(access(), Duration.ofMinutes(2), Duration.ofSeconds(1));
    }

    /** All of it; the servers as they are needed. */
    void start() throws IOException {
        for (Member member : members) {
            startCoordinator(member.id());
        }
        for (int i = 0; i < servers; i++) {
            startServer("s" + i);
        }
    }

    void startCoordinator(String id, String... flags) throws IOException {
        start(
                id,
                List.of(flags),
                "coordinator",
                id,
                Member.format(members),
                proof,
                folder.resolve("c").toString(),
                Long.toString(termMillis),
                Integer.toString(servers),
                Long.toString(deadAfterMillis),
                Integer.toString(copies));
    }

    List<String> coordinators() {
        return members.stream().map(Member::id).toList();
    }

    void startServer(String id) throws IOException {
        startServer(id, port(id));
    }

    /** One that clients reach by another port than its own. */
    void startServer(String id, int advertised) throws IOException {
        startServer(id, advertised, proof);
    }

    /** One with another secret or certificate. */
    void startServerAs(String id, String other) throws IOException {
        startServer(id, port(id), other);
    }

    private void startServer(String id, int advertised, String own) throws IOException {
        start(
                id,
                List.of(),
                "server",
                id,
                Member.format(members),
                own,
                directory(id).toString(),
                Integer.toString(port(id)),
                Integer.toString(advertised));
    }

    /** The next process of a server while the present one runs. It has a port of its own. */
    void startBeside(String id) throws IOException {
        running.put(first(id), running.get(id));
        ports.put(id, ports.get("s" + servers));
        startServer(id);
    }

    private static String first(String id) {
        return id + ", the first";
    }

    /** Waits until the process before that has ended of itself; all that both have said. */
    String awaitEndOfFirst(String id) throws InterruptedException {
        assertTrue(running.get(first(id)).waitFor(2, TimeUnit.MINUTES), () -> "it still runs: " + text(id));
        return text(id);
    }

    void startBackup(String id) throws IOException {
        startBackupAs(id, proof);
    }

    /** One with another secret or certificate. */
    void startBackupAs(String id, String own) throws IOException {
        start(
                id,
                List.of(),
                "backup",
                id,
                Member.format(members),
                own,
                directory(id).toString(),
                Integer.toString(port(id)));
    }

    Path directory(String id) {
        return folder.resolve("data-" + id);
    }

    int port(String id) {
        return ports.get(id);
    }

    void kill(String id) throws InterruptedException {
        running.get(id).destroyForcibly().waitFor();
    }

    /** Its process may run, and make files meanwhile. */
    void deleteDisk(String id) {
        Awaitility.await("the disk of " + id + " is empty").ignoreExceptions().until(() -> {
            CheckedFile.deleteTree(directory(id));
            return Files.notExists(directory(id));
        });
    }

    private void start(String id, List<String> flags, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MetaspaceSize=128m"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), KvProcess.class.getName()));
        Collections.addAll(command, arguments);
        running.put(
                id,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log(id).toFile()))
                        .start());
    }

    /** Waits until a process has said something, in this life or an earlier one. */
    void awaitText(String id, String text) {
        Awaitility.await(id + " says " + text).atMost(Duration.ofMinutes(2)).until(() -> {
            assertTrue(running.get(id).isAlive(), () -> id + " ended: " + text(id));
            return text(id).contains(text);
        });
    }

    /** Waits until a process has ended of itself; all that it has said. */
    String awaitEnd(String id) throws InterruptedException {
        assertTrue(running.get(id).waitFor(2, TimeUnit.MINUTES), () -> id + " still runs: " + text(id));
        return text(id);
    }

    String text(String id) {
        try {
            return Files.readString(log(id), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private Path log(String id) {
        return folder.resolve(id + ".log");
    }

    @Override
    public void close() {
        running.values().forEach(Process::destroyForcibly);
    }
}
