package org.amo.replication.order.raft;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.group.GroupChannel;
import org.amo.replication.order.raft.SnapshotFile.Head;
import org.amo.replication.order.raft.SnapshotFile.Stored;
import org.jgroups.protocols.raft.RAFT;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The thread that handles the questions of other members for snapshots, and what waits for it. */
@Timeout(60)
final class RaftSnapshotsTest {
    private static final List<Member> MEMBERS = Member.parseList("a=localhost:1/2,b=localhost:3/4,c=localhost:5/6");

    @TempDir
    private Path folder = Path.of("unset");

    private final AtomicReference<GuardedRaft> raft = new AtomicReference<>();

    private static byte[] position(long position) {
        return ByteBuffer.allocate(Long.BYTES).putLong(position).array();
    }

    /** Each question of one that a member repeats took its place, and read the whole snapshot into the heap. */
    @Test
    void ofTheQuestionsThatAMemberRepeatsTheLatestWaits() {
        Asked asked = new Asked();
        RaftSnapshots snapshots = snapshots(asked);
        snapshots.onWanted("b", position(1));
        await().until(() -> asked.positions.equals(List.of(1L)));
        for (long i = 2; i <= 10_000; i++) {
            snapshots.onWanted("b", position(i));
        }
        snapshots.onWanted("c", position(7));
        asked.gate.countDown();
        await().until(() -> asked.positions.contains(7L));
        snapshots.onWanted("b", position(20_000));
        await().until(() -> asked.positions.contains(20_000L));
        assertEquals(List.of(1L, 10_000L, 7L, 20_000L), asked.positions);
        snapshots.close();
    }

    /** The request that made this member ask was let go meanwhile, and its log is cut behind a snapshot of its own. */
    @Test
    void aSnapshotThatWasAskedForReplacesNoNewerOne() throws Exception {
        Asked asked = new Asked();
        asked.gate.countDown();
        RaftSnapshots snapshots = snapshots(asked);
        SnapshotFile donor = new SnapshotFile(Files.createDirectory(folder.resolve("donor")));
        donor.write(new Head(5, 2, 5, new Configuration(1, MEMBERS)), new LogSnapshot(5, new byte[3], new byte[9]));
        byte[] gathered = Files.readAllBytes(donor.path());
        Field commit = RAFT.class.getDeclaredField("commit_index");
        commit.setAccessible(true);
        commit.set(raft.get(), 9L);
        snapshots.want("b", 4);
        snapshots.onOffer(
                "b", ByteBuffer.allocate(16).putLong(5).putLong(gathered.length).array());
        awaitWorker(snapshots, asked, 100);
        new SnapshotFile(folder)
                .write(new Head(9, 2, 9, new Configuration(1, MEMBERS)), new LogSnapshot(9, new byte[3], new byte[9]));
        assertEquals(9, snapshots.restore());
        snapshots.onPiece(
                "b",
                ByteBuffer.allocate(16 + gathered.length)
                        .putLong(5)
                        .putLong(0)
                        .put(gathered)
                        .array());
        awaitWorker(snapshots, asked, 101);
        assertEquals(Optional.of(9L), new SnapshotFile(folder).index());
        assertEquals(List.of(), asked.taken);
        snapshots.close();
    }

    private static void awaitWorker(RaftSnapshots snapshots, Asked asked, long position) {
        snapshots.onWanted("c", position(position));
        await().until(() -> asked.positions.contains(position));
    }

    @Test
    void thePositionIsReadFromTheHeadAlone() throws IOException {
        SnapshotFile file = new SnapshotFile(folder);
        assertEquals(Optional.empty(), file.claimedPosition());
        file.write(
                new Head(9, 2, 7, new Configuration(1, MEMBERS)), new LogSnapshot(7, new byte[100_000], new byte[9]));
        byte[] whole = Files.readAllBytes(file.path());
        Files.write(file.path(), Arrays.copyOf(whole, 40));
        assertThrows(IOException.class, file::read, "the rest is gone");
        assertEquals(Optional.of(7L), file.claimedPosition());
    }

    private RaftSnapshots snapshots(Asked asked) {
        ReplicaSettings settings = ReplicaSettings.builder("g", "a", MEMBERS).build();
        GuardedRaft made = new GuardedRaft(silent(GuardedRaft.Keeper.class));
        raft.set(made);
        GroupChannel channel = new GroupChannel(settings, List.of(), silent(GroupChannel.Listener.class));
        return new RaftSnapshots("a", folder, made, channel, Optional.empty(), asked);
    }

    private static <T> T silent(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                RaftSnapshotsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null));
    }

    /** Waits in the first question, as the worker waits for a member that does not read. */
    private static final class Asked implements RaftSnapshots.Placed {
        private final List<Long> positions = new CopyOnWriteArrayList<>();
        private final List<Long> taken = new CopyOnWriteArrayList<>();
        private final CountDownLatch gate = new CountDownLatch(1);

        @Override
        public void onWanted(String member, long position) {
            positions.add(position);
            try {
                assertTrue(gate.await(50, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onPlaced(Stored stored) {}

        @Override
        public void onFailure(Throwable thrown) {}

        @Override
        public void onTaken(long position) {
            taken.add(position);
        }
    }
}
