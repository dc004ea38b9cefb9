package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.CRC32C;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.amo.replication.order.raft.SnapshotFile.Head;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of a snapshot, what members say to bring one to another, and what they say of leaders. */
final class SnapshotFramesTest implements HostileBytes {
    /** It tells of each offer. */
    private static final Logger LOG = Logger.getLogger(SnapshotTransfer.class.getName());

    static {
        LOG.setLevel(Level.OFF);
    }

    private static final Configuration MEMBERS =
            new Configuration(3, Member.parseList("a=h:1/2,b=h:3/4"), Set.of("d", "c"));

    private static final LogSnapshot SNAPSHOT = new LogSnapshot(7, new byte[] {1, 2, 3}, new byte[] {4});

    /** The example of docs/wire/snapshot.md, "The file". */
    private static final String FILE = "616d6f5302" + "0000000000000009" + "0000000000000002" + "0000000000000007"
            + "0000000000000003" + "0000000f" + "613d683a312f322c623d683a332f34" + "00000003" + "632c64"
            + "0000000000000003" + "0000000000000001" + "010203" + "04" + "ec6cd6f1";

    private static final String FILE_OF_VERSION_1 = "616d6f5301" + "0000000000000009" + "0000000000000002"
            + "0000000000000007" + "0000000000000003" + "0000000f" + "613d683a312f322c623d683a332f34"
            + "0000000000000003" + "0000000000000001" + "010203" + "04" + "7ba2ecc2";

    private static Path temporary(byte[] replica) {
        try {
            Path folder = Files.createTempDirectory("amo-snapshot-");
            SnapshotFile file = new SnapshotFile(folder);
            for (Path each : List.of(folder, file.path(), file.incoming())) {
                each.toFile().deleteOnExit();
            }
            file.write(new Head(9, 2, 7, MEMBERS), new LogSnapshot(7, replica, new byte[] {4}));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As it is, and with a right checksum. */
    private static void read(byte[] bytes) throws IOException {
        if (bytes.length >= Integer.BYTES) {
            CRC32C checksum = new CRC32C();
            checksum.update(bytes, 0, bytes.length - Integer.BYTES);
            ByteBuffer.wrap(bytes).putInt(bytes.length - Integer.BYTES, (int) checksum.getValue());
        }
        SnapshotFile.read(bytes);
    }

    /** The first byte is the kind. */
    private static void transfer(SnapshotFile file, byte[] frame) {
        SnapshotTransfer transfer = new SnapshotTransfer(file, () -> 0, false, new Silent());
        transfer.onOffer("b", ByteBuffer.allocate(16).putLong(7).putLong(3).flip(), 5);
        ByteBuffer rest = ByteBuffer.wrap(frame, Math.min(1, frame.length), Math.max(0, frame.length - 1));
        switch (frame.length == 0 ? 0 : frame[0]) {
            case 1 -> transfer.onOffer("b", rest, 5);
            case 2 -> transfer.onFetch("b", rest);
            default -> transfer.onPiece("b", rest);
        }
    }

    private static byte[] frame(int kind, long one, long other, int more) {
        return ByteBuffer.allocate(17 + more)
                .put((byte) kind)
                .putLong(one)
                .putLong(other)
                .array();
    }

    private static byte[] word(WatchHeader.Kind kind) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            new WatchHeader(kind, 7, 300).writeTo(new DataOutputStream(bytes));
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Decoder> decoders() {
        Path folder = temporary(new byte[] {1, 2, 3});
        SnapshotFile file = new SnapshotFile(folder);
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file.path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.of(
                Decoder.of(
                                "file of a snapshot",
                                IOException.class,
                                SnapshotFramesTest::read,
                                bytes,
                                HexFormat.of().parseHex(FILE_OF_VERSION_1))
                        .taking(200_000), // buffers
                Decoder.of(
                                "transfer of a snapshot",
                                IOException.class,
                                given -> transfer(file, given),
                                frame(1, 9, 3, 0),
                                frame(2, 9, 0, 0),
                                frame(3, 7, 0, 3))
                        .taking(100_000),
                Decoder.of(
                        "word about leaders",
                        IOException.class,
                        given -> new WatchHeader().readFrom(new DataInputStream(new ByteArrayInputStream(given))),
                        word(WatchHeader.Kind.LEADS),
                        word(WatchHeader.Kind.TERM)));
    }

    @Test
    void theFileIsTheOneOfTheExample(@TempDir Path folder) throws IOException {
        SnapshotFile file = new SnapshotFile(folder);
        file.write(new Head(9, 2, 7, MEMBERS), SNAPSHOT);
        assertEquals(FILE, HexFormat.of().formatHex(Files.readAllBytes(file.path())));
        assertEquals(9, file.claimedIndex());
        assertEquals(Optional.of(9L), file.index());
        assertEquals(Optional.of(7L), file.claimedPosition());
    }

    /** Else an upgrade would take every member's snapshot for a damaged one. */
    @Test
    void aFileWithoutTheIdsOfRemovedMembersIsRead() throws IOException {
        SnapshotFile.Stored stored = SnapshotFile.read(HexFormat.of().parseHex(FILE_OF_VERSION_1));
        assertEquals(new Head(9, 2, 7, new Configuration(3, MEMBERS.members())), stored.head());
        assertArrayEquals(SNAPSHOT.replica(), stored.snapshot().replica());
        assertArrayEquals(SNAPSHOT.servant(), stored.snapshot().servant());
    }

    @Test
    void partsOfAnyLengthAreReadAgain(@TempDir Path folder) throws IOException {
        SnapshotFile file = new SnapshotFile(folder);
        for (int length : new int[] {0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1}) {
            byte[] replica = new byte[length];
            Arrays.fill(replica, (byte) 7);
            file.write(new Head(9, 2, 7, MEMBERS), new LogSnapshot(7, replica, new byte[length]));
            SnapshotFile.Stored stored = SnapshotFile.read(file.path());
            assertEquals(MEMBERS, stored.head().configuration());
            assertArrayEquals(replica, stored.snapshot().replica());
            assertArrayEquals(new byte[length], stored.snapshot().servant());
        }
    }

    private static final class Silent implements SnapshotTransfer.Effects {
        @Override
        public void offer(String to, byte[] frame) {}

        @Override
        public void fetch(String from, byte[] frame) {}

        @Override
        public void piece(String to, byte[] frame, boolean byDatagram) {}

        @Override
        public long usableBytes() {
            return Long.MAX_VALUE;
        }

        @Override
        public void unreadable(IOException why) {}

        @Override
        public boolean gathered(long index) {
            return false;
        }
    }
}
