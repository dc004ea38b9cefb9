package org.amo.replication.order.raft;

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
import java.util.concurrent.TimeUnit;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.replication.order.raft.SnapshotFile.Head;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot on its way from one member to another, whole and damaged; no network. */
final class SnapshotTransferTest {
    private static final int LARGE = SnapshotTransfer.PIECE_BYTES + 1_000;

    @TempDir
    private Path folder = Path.of("unset");

    private SnapshotFile ofLeader = new SnapshotFile(folder);
    private SnapshotFile ofFollower = new SnapshotFile(folder);

    @BeforeEach
    void makeFolders() throws IOException {
        ofLeader = new SnapshotFile(Files.createDirectory(folder.resolve("leader")));
        ofFollower = new SnapshotFile(Files.createDirectory(folder.resolve("follower")));
    }

    @Test
    void aSnapshotComesOverInPieces() throws IOException {
        write(LARGE);
        Sent leader = new Sent(ofLeader);
        Sent follower = new Sent(ofFollower);
        bringOver(leader, follower);
        assertEquals(List.of("gathered 9"), follower.told);
        assertArrayEquals(Files.readAllBytes(ofLeader.path()), Files.readAllBytes(ofFollower.incoming()));
        assertEquals(7, SnapshotFile.read(ofFollower.incoming()).snapshot().position());
    }

    @Test
    void theMemberThatFetchesChoosesDatagrams() throws IOException {
        write(LARGE);
        Sent leader = new Sent(ofLeader, true);
        bringOver(leader, new Sent(ofFollower));
        assertEquals(List.of(false, false), leader.byDatagrams);

        Sent other = new Sent(ofLeader);
        Sent follower = new Sent(ofFollower, true);
        bringOver(other, follower);
        assertEquals(List.of(true, true), other.byDatagrams, "it sends them over the channel if it has no socket");
        assertEquals(List.of("gathered 9"), follower.told);
    }

    /** Their port may be closed on the way. */
    @Test
    void theRestComesOverTheChannelIfNoDatagramArrives() throws IOException {
        write(LARGE);
        Sent leader = new Sent(ofLeader, true);
        Sent follower = new Sent(ofFollower, true);
        leader.transfer.offer("b");
        leader.handTo(follower);
        follower.handTo(leader);
        leader.frames.clear();
        for (int second = 1; second <= 3; second++) {
            leader.nanos = TimeUnit.SECONDS.toNanos(second) + second;
            follower.nanos = leader.nanos;
            leader.transfer.offer("b");
            leader.handTo(follower);
            assertEquals(second == 3 ? 1 : 0, follower.frames.size(), "a piece may be under way for two seconds");
        }
        for (int i = 0; i < 5; i++) {
            follower.handTo(leader);
            leader.handTo(follower);
        }
        assertEquals(List.of(true, false, false), leader.byDatagrams);
        assertEquals(List.of("gathered 9"), follower.told);
    }

    @Test
    void aDamagedSnapshotIsNotOfferedWhateverBitFlipped() throws IOException {
        write(3);
        byte[] whole = Files.readAllBytes(ofLeader.path());
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(ofLeader.path(), flipped);
            Sent leader = new Sent(ofLeader);
            leader.transfer.offer("b");
            assertEquals(List.of("unreadable"), leader.told, "bit " + bit);
            assertTrue(leader.frames.isEmpty(), "bit " + bit);
        }
    }

    @Test
    void aSnapshotThatIsDamagedAfterTheOfferIsNotInstalled() throws IOException {
        write(LARGE);
        Sent leader = new Sent(ofLeader);
        Sent follower = new Sent(ofFollower);
        leader.transfer.offer("b");
        byte[] bytes = Files.readAllBytes(ofLeader.path());
        bytes[LARGE - 100] ^= 4;
        Files.write(ofLeader.path(), bytes);
        bringOver(leader, follower);
        assertEquals(List.of("gathered 9"), follower.told);
        assertThrows(IOException.class, () -> SnapshotFile.read(ofFollower.incoming()));
    }

    /** RAFT's thread may wait long before it installs one. The next would take away the file, and fill the heap. */
    @Test
    void noOtherSnapshotIsGatheredBeforeOneIsInItsPlace() throws IOException {
        write(3);
        Sent follower = new Sent(ofFollower);
        bringOver(new Sent(ofLeader), follower);
        bringOver(new Sent(ofLeader), follower);
        assertEquals(List.of("gathered 9"), follower.told);
        assertTrue(Files.exists(ofFollower.incoming()));
        follower.transfer.placed();
        assertFalse(Files.exists(ofFollower.incoming()), "it was refused, and takes no room");
        bringOver(new Sent(ofLeader), follower);
        assertEquals(List.of("gathered 9", "gathered 9"), follower.told);
    }

    /** The part of it would take the room that the log needs, and each offer would fill the disk again. */
    @Test
    void aSnapshotThatCannotBeStoredIsDroppedAndNotFetchedAgainForAMinute() throws IOException {
        write(LARGE);
        Sent leader = new Sent(ofLeader);
        Sent follower = new Sent(ofFollower);
        leader.transfer.offer("b");
        leader.handTo(follower);
        assertEquals(1, follower.frames.size());
        follower.handTo(leader);
        leader.handTo(follower);
        assertTrue(Files.exists(ofFollower.incoming()));
        // A full disk, for the test: the file cannot be opened for writing.
        Files.delete(ofFollower.incoming());
        Files.createDirectory(ofFollower.incoming());
        follower.handTo(leader);
        leader.handTo(follower);
        assertFalse(Files.exists(ofFollower.incoming()));
        isNotFetchedForAMinute(follower);
    }

    @Test
    void aSnapshotThatTheDiskHasNoRoomForIsNotFetched() throws IOException {
        write(LARGE);
        Sent follower = new Sent(ofFollower);
        follower.usableBytes = SnapshotTransfer.SPARE_BYTES + LARGE;
        isNotFetched(follower);
        follower.usableBytes = Long.MAX_VALUE;
        isNotFetchedForAMinute(follower);
    }

    @Test
    void aDiskThatDoesNotTellItsRoomIsTried() throws IOException {
        write(3);
        Sent follower = new Sent(ofFollower);
        follower.usableBytes = 0;
        bringOver(new Sent(ofLeader), follower);
        assertEquals(List.of("gathered 9"), follower.told);
    }

    private void isNotFetchedForAMinute(Sent follower) {
        follower.nanos = TimeUnit.SECONDS.toNanos(59);
        isNotFetched(follower);
        follower.nanos = TimeUnit.SECONDS.toNanos(60);
        bringOver(new Sent(ofLeader), follower);
        assertEquals(List.of("gathered 9"), follower.told);
    }

    private void isNotFetched(Sent follower) {
        Sent leader = new Sent(ofLeader);
        leader.transfer.offer("b");
        leader.handTo(follower);
        assertTrue(follower.frames.isEmpty());
    }

    @Test
    void aSnapshotThatIsNotUsedIsDeleted() throws IOException {
        write(3);
        Sent follower = new Sent(ofFollower);
        follower.uses = false;
        bringOver(new Sent(ofLeader), follower);
        assertEquals(List.of("gathered 9"), follower.told);
        assertFalse(Files.exists(ofFollower.incoming()));
    }

    @Test
    void withoutASnapshotNothingIsOffered() {
        Sent leader = new Sent(ofLeader);
        leader.transfer.offer("b");
        assertTrue(leader.frames.isEmpty() && leader.told.isEmpty());
    }

    private void write(int length) throws IOException {
        Configuration members = new Configuration(3, Member.parseList("a=h:1/2,b=h:3/4"));
        ofLeader.write(new Head(9, 2, 7, members), new LogSnapshot(7, new byte[length], new byte[] {4}));
    }

    private void bringOver(Sent leader, Sent follower) {
        leader.transfer.offer("b");
        for (int i = 0; i < 20; i++) {
            leader.handTo(follower);
            follower.handTo(leader);
        }
    }

    /** One side, and what it has to say. */
    private static final class Sent implements SnapshotTransfer.Effects {
        private final SnapshotTransfer transfer;
        private final List<Boolean> byDatagrams = new ArrayList<>();
        private final List<String> told = new ArrayList<>();
        private final List<Frame> frames = new ArrayList<>();
        private long nanos;
        private long usableBytes = Long.MAX_VALUE;
        private boolean uses = true;

        private Sent(SnapshotFile file) {
            this(file, false);
        }

        private Sent(SnapshotFile file, boolean datagrams) {
            transfer = new SnapshotTransfer(file, () -> nanos, datagrams, this);
        }

        private void handTo(Sent other) {
            List<Frame> now = List.copyOf(frames);
            frames.clear();
            for (Frame frame : now) {
                ByteBuffer bytes = ByteBuffer.wrap(frame.bytes);
                switch (frame.kind) {
                    case RaftLog.OFFER -> other.transfer.onOffer("a", bytes, 5);
                    case RaftLog.FETCH -> other.transfer.onFetch("b", bytes);
                    default -> other.transfer.onPiece("a", bytes);
                }
            }
        }

        @Override
        public void offer(String to, byte[] frame) {
            frames.add(new Frame(RaftLog.OFFER, frame));
        }

        @Override
        public void fetch(String from, byte[] frame) {
            frames.add(new Frame(RaftLog.FETCH, frame));
        }

        @Override
        public void piece(String to, byte[] frame, boolean byDatagram) {
            byDatagrams.add(byDatagram);
            frames.add(new Frame(RaftLog.PIECE, frame));
        }

        @Override
        public long usableBytes() {
            return usableBytes;
        }

        @Override
        public void unreadable(IOException why) {
            told.add("unreadable");
        }

        @Override
        public boolean gathered(long index) {
            told.add("gathered " + index);
            return uses;
        }
    }

    private record Frame(byte kind, byte[] bytes) {}
}
