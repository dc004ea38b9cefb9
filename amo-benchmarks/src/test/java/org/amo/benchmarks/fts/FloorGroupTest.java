package org.amo.benchmarks.fts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.Bench.Run;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A floor that answers before a majority has a request makes every ratio over it wrong; such floors are planted here. */
@Timeout(120)
class FloorGroupTest {
    private static final byte[] REQUEST = "request".getBytes(UTF_8);
    private static final long ANSWER_SECONDS = 30;
    /** Answers come within a millisecond. */
    private static final long NO_ANSWER_MILLIS = 700;

    @TempDir
    private Path folder = Path.of("unset");

    private final List<Member> members = FreePorts.members(3);
    private final List<FloorMember> opened = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<AutoCloseable> clients = new ArrayList<>();

    private interface Maker {
        FloorMember make(List<Member> members, String id, Optional<FloorWriter.Forcing> forcing) throws IOException;
    }

    /** Planted: one member is enough. */
    private static final class MajorityOfOne extends FloorMember {
        MajorityOfOne(List<Member> members, String id, Optional<FloorWriter.Forcing> forcing) throws IOException {
            super(members, id, forcing);
        }

        @Override
        int majority() {
            return 1;
        }
    }

    /** Planted: an entry counts when it is appended, though it is not forced. */
    private static final class CountsAtAppend extends FloorMember {
        CountsAtAppend(List<Member> members, String id, Optional<FloorWriter.Forcing> forcing) throws IOException {
            super(members, id, forcing);
        }

        @Override
        long durable() {
            return appended();
        }
    }

    /** A disk that brings nothing to its end until it is let go. */
    private static final class HeldDisk implements FloorWriter.Forcing {
        private final CountDownLatch released = new CountDownLatch(1);

        @Override
        public void force(List<ByteBuffer> appended) throws IOException {
            try {
                released.await();
            } catch (InterruptedException e) {
                throw new IOException("the member has ended", e);
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable client : clients) {
            client.close();
        }
        opened.forEach(FloorMember::close);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void aMajorityAnswers() throws Exception {
        FloorClient client = start(FloorMember::new, List.of());
        assertAnswered(client.callAsync(REQUEST));
        stop(2);
        assertAnswered(client.callAsync(REQUEST));
        stop(1);
        assertFalse(isAnswered(client.callAsync(REQUEST)), "two of three members are gone");
    }

    @Test
    void aFloorThatAnswersAloneIsSeen() throws Exception {
        FloorClient client = start(MajorityOfOne::new, List.of());
        stop(2);
        stop(1);
        assertTrue(isAnswered(client.callAsync(REQUEST)), "the test above would not see a majority of one");
    }

    @Test
    void forcedOnlyCounts() throws Exception {
        List<HeldDisk> disks = List.of(new HeldDisk(), new HeldDisk(), new HeldDisk());
        FloorClient client = start(FloorMember::new, disks);
        CompletableFuture<byte[]> reply = client.callAsync(REQUEST);
        assertFalse(isAnswered(reply), "no member has forced it");
        disks.get(1).released.countDown();
        assertFalse(isAnswered(reply), "the leader and a follower have only appended it");
        disks.get(0).released.countDown();
        assertAnswered(reply);
    }

    @Test
    void aFloorThatCountsAtAppendIsSeen() throws Exception {
        List<HeldDisk> disks = List.of(new HeldDisk(), new HeldDisk(), new HeldDisk());
        FloorClient client = start(CountsAtAppend::new, disks);
        assertTrue(isAnswered(client.callAsync(REQUEST)), "the test above would not see that the disk was not awaited");
    }

    @Test
    void eachCallHasItsOwnAnswerHoweverLong() throws Exception {
        FloorClient client = start(FloorMember::new, List.of());
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            byte[] request = new byte[i % 500 == 499 ? 1_000_000 + i : i % 97];
            if (request.length > 0) {
                request[request.length - 1] = (byte) i;
            }
            requests.add(request);
        }
        List<CompletableFuture<byte[]>> replies =
                requests.stream().map(client::callAsync).toList();
        for (int i = 0; i < requests.size(); i++) {
            assertArrayEquals(requests.get(i), replies.get(i).get(ANSWER_SECONDS, TimeUnit.SECONDS));
        }
    }

    @Test
    void callsFailWithTheLeader() throws Exception {
        FloorClient client = start(FloorMember::new, List.of());
        assertAnswered(client.callAsync(REQUEST));
        stop(0);
        assertThrows(ExecutionException.class, () -> client.callAsync(REQUEST).get(ANSWER_SECONDS, TimeUnit.SECONDS));
    }

    /** As a benchmark starts them. */
    @Test
    void threeProcessesAnswer() throws Exception {
        Run run = new Run(true, folder, line -> {}, (group, member, data, reference, options) -> List.of());
        for (boolean force : new boolean[] {false, true}) {
            try (FloorGroup group = FloorGroup.start(run, folder, force)) {
                assertEquals(3, group.servers().size());
                FloorClient client = group.client();
                clients.add(client);
                assertAnswered(client.callAsync(REQUEST));
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            long logs =
                    files.filter(file -> file.toString().endsWith(".log-file")).count();
            assertEquals(3, logs, "each member that forces has a file");
        }
    }

    /** @param disks one for each member, or none for logs in memory */
    private FloorClient start(Maker maker, List<HeldDisk> disks) throws IOException {
        for (int i = members.size() - 1; i >= 0; i--) {
            Optional<FloorWriter.Forcing> disk = disks.isEmpty() ? Optional.empty() : Optional.of(disks.get(i));
            FloorMember member = maker.make(members, members.get(i).id(), disk);
            opened.add(0, member);
            threads.add(0, DaemonThreads.start("amo-test-floor-" + i, member));
        }
        FloorClient client = FloorClient.connect(members.get(0));
        clients.add(client);
        return client;
    }

    private void stop(int which) throws InterruptedException {
        opened.get(which).close();
        threads.get(which).join();
    }

    private static void assertAnswered(CompletableFuture<byte[]> reply) throws Exception {
        assertArrayEquals(REQUEST, reply.get(ANSWER_SECONDS, TimeUnit.SECONDS));
    }

    private static boolean isAnswered(CompletableFuture<byte[]> reply) throws Exception {
        try {
            reply.get(NO_ANSWER_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }
}
