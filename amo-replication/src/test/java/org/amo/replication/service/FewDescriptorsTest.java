package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.replication.ChildJvm;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member whose process may have few files and connections, and a stranger that opens more than that. */
@Timeout(60)
final class FewDescriptorsTest {
    private static final int DESCRIPTORS = 256;
    private static final int CONNECT_MILLIS = 1_000;

    private final Member self = FreePorts.members(1).get(0);
    private final List<Socket> stranger = new ArrayList<>();
    private Optional<Process> member = Optional.empty();

    @TempDir
    private Path folder;

    @AfterEach
    void end() throws IOException {
        member.ifPresent(Process::destroyForcibly);
        for (Socket each : stranger) {
            each.close();
        }
    }

    private Process start() throws IOException {
        List<String> words = new ArrayList<>(List.of("sh", "-c", "ulimit -n " + DESCRIPTORS + "; exec \"$@\"", "sh"));
        words.addAll(ChildJvm.words(List.of("-Xmx64m")));
        words.addAll(
                List.of(FragileMember.class.getName(), self.id(), Member.format(List.of(self)), folder.toString()));
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
    }

    private AmoClient client() {
        return AmoClient.builder("fragile")
                .members(Member.format(List.of(self)))
                .insecure()
                .deadline(Duration.ofSeconds(20))
                .build();
    }

    private long add(AmoClient client) {
        return client.proxy(FragileMember.Fragile.class).add(1);
    }

    /** As many as the port takes: it may leave connections in the queue of the kernel, which is full then. */
    private void crowd(int port) throws IOException {
        for (int i = 0; i < DESCRIPTORS + DESCRIPTORS / 4; i++) {
            Socket connection = new Socket();
            stranger.add(connection);
            try {
                connection.connect(new InetSocketAddress(self.host(), port), CONNECT_MILLIS);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }

    private void takeSnapshot() throws Exception {
        String order = MemberChange.of("fragile", MemberChange.Kind.SNAPSHOT, self, 0, Optional.empty())
                .format();
        String told = new OperatorClient("fragile", Optional.empty(), Optional.empty())
                .ask(self.host(), self.clientPort(), Administration.CHANGE, order, 20_000);
        assertEquals(
                Administration.Outcome.DONE, Administration.readChange(told).outcome(), told);
    }

    @Test
    void theConnectionsOfAStrangerLeaveRoomForFilesAndForClients() throws Exception {
        member = Optional.of(start());
        try (AmoClient connected = client()) {
            assertEquals(1, add(connected));
            crowd(self.clientPort());
            assertEquals(2, add(connected));
            takeSnapshot();
            try (AmoClient newcomer = client()) {
                assertEquals(3, add(newcomer));
            }
            crowd(self.orderPort());
            takeSnapshot();
            assertEquals(4, add(connected));
        }
        String said = Files.readString(folder.resolve("said"));
        assertTrue(member.orElseThrow().isAlive(), said);
        assertTrue(!said.contains("Too many open files"), said);
    }
}
