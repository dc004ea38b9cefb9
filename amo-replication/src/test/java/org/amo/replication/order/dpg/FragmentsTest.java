package org.amo.replication.order.dpg;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.OrderedLog;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.amo.replication.order.dpg.Fragments.Kind;
import org.amo.replication.order.dpg.Fragments.Parcel;
import org.junit.jupiter.api.Test;

class FragmentsTest implements HostileBytes {
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static Parcel entry(byte[] content) {
        return new Parcel(Kind.ENTRY, "a", "", content);
    }

    private static byte[] unfinished() {
        Fragments parcels = new Fragments();
        parcels.onPiece(
                Fragments.pieces(entry(bytes(Fragments.PIECE_BYTES + 9)), 7, 1).get(1));
        parcels.onPiece(Fragments.pieces(entry(bytes(2 * Fragments.PIECE_BYTES + 5)), 7, 2)
                .get(2));
        return new DpgHistory(300, List.of(bytes(3), bytes(0)), parcels).encode();
    }

    @Override
    public List<Decoder> decoders() {
        Parcel large = entry(bytes(Fragments.PIECE_BYTES + 7));
        return List.of(
                Decoder.of(
                        "piece of a parcel",
                        MalformedFrameException.class,
                        bytes -> new Fragments().onPiece(bytes),
                        Fragments.pieces(new Parcel(Kind.WORD, "a", "bc", bytes(2)), 7, 1)
                                .get(0),
                        Fragments.pieces(large, 7, 1).get(1)),
                Decoder.of(
                        "history of a dpg log",
                        MalformedFrameException.class,
                        DpgHistory::decode,
                        unfinished(),
                        new DpgHistory(1, List.of(), new Fragments()).encode()));
    }

    /** One byte longer than 64 MB ended the thread that sends, and the member was mute. */
    @Test
    void theLongestEntryOfAReplicaIsSentAndHandedOn() {
        byte[] longest = bytes(OrderedLog.MAX_ENTRY_BYTES);
        Fragments parcels = new Fragments();
        Optional<Parcel> whole = Optional.empty();
        for (byte[] piece : Fragments.pieces(entry(longest), 7, 1)) {
            assertEquals(Optional.empty(), whole);
            whole = parcels.onPiece(piece);
        }
        assertArrayEquals(longest, whole.orElseThrow().content());
        DpgHistory history = DpgHistory.decode(new DpgHistory(1, List.of(longest), parcels).encode());
        assertArrayEquals(longest, history.entries().get(0));
    }

    @Test
    void anEntryThatNoHistoryCarriesIsRefused() {
        int pieces = Fragments.MOST_ENTRY_BYTES / Fragments.PIECE_BYTES;
        WireWriter last = head(Kind.ENTRY, pieces - 1, pieces);
        assertEquals(Optional.empty(), new Fragments().onPiece(last.toBytes()));
        assertThrows(MalformedFrameException.class, () -> new Fragments()
                .onPiece(head(Kind.ENTRY, pieces, pieces + 1).toBytes()));
        assertEquals(
                Optional.empty(),
                new Fragments().onPiece(head(Kind.HISTORY, pieces, pieces + 1).toBytes()));
    }

    @Test
    void aPieceThatNoHistoryCarriesIsRefused() {
        WireWriter longest = head(Kind.ENTRY, 0, 2);
        longest.raw(new byte[Fragments.PIECE_BYTES], 0, Fragments.PIECE_BYTES);
        Fragments parcels = new Fragments();
        assertEquals(Optional.empty(), parcels.onPiece(longest.toBytes()));
        DpgHistory.decode(new DpgHistory(1, List.of(), parcels).encode());
        longest.u8(0);
        assertThrows(MalformedFrameException.class, () -> new Fragments().onPiece(longest.toBytes()));
    }

    @Test
    void aHistoryWithALongerPieceIsRefused() {
        assertEquals(
                Optional.empty(),
                history(Fragments.PIECE_BYTES).onPiece(head(Kind.ENTRY, 1, 3).toBytes()));
        assertThrows(MalformedFrameException.class, () -> history(Fragments.PIECE_BYTES + 1));
    }

    /** Read from a history: a parcel of three pieces, of which the first has come. */
    private static Fragments history(int pieceBytes) {
        WireWriter writer = new WireWriter(100);
        writer.varint(1);
        writer.text("a");
        writer.i64(7);
        writer.varint(1);
        writer.varint(3);
        writer.u8(1);
        writer.blob(new byte[pieceBytes]);
        writer.u8(0);
        writer.u8(0);
        return Fragments.read(new WireReader("test", writer.toBytes()));
    }

    @Test
    void anIdThatNoReaderTakesIsRefusedByTheWriter() {
        Parcel longest = new Parcel(Kind.WORD, "f".repeat(32), "t".repeat(32), bytes(1));
        assertEquals(
                "t".repeat(32),
                new Fragments()
                        .onPiece(Fragments.pieces(longest, 1, 1).get(0))
                        .orElseThrow()
                        .to());
        Parcel from = new Parcel(Kind.WORD, "f".repeat(33), "t", bytes(1));
        assertThrows(FrameLimitException.class, () -> Fragments.pieces(from, 1, 1));
        Parcel to = new Parcel(Kind.WORD, "f", "t".repeat(33), bytes(1));
        assertThrows(FrameLimitException.class, () -> Fragments.pieces(to, 1, 1));
    }

    @Test
    void sendersThatNeverCompleteAnythingTakeNoMoreRoomThanThereIs() {
        Fragments parcels = new Fragments();
        for (int sender = 0; sender < 3_000; sender++) {
            Parcel parcel = new Parcel(Kind.ENTRY, "s" + sender, "", bytes(Fragments.PIECE_BYTES + 1));
            parcels.onPiece(Fragments.pieces(parcel, 7, 1).get(1));
        }
        WireWriter writer = new WireWriter(100);
        parcels.write(writer);
        assertEquals(1_024, new WireReader("test", writer.toBytes()).varint("unfinished", 0, 10_000));
        Fragments.read(new WireReader("test", writer.toBytes()));
    }

    /** By the number of parcels alone, one sender could leave 4 GB. */
    @Test
    void theSenderThatLeavesMostUnfinishedLosesItsOldestParcel() {
        int piece = Fragments.PIECE_BYTES + Fragments.PIECE_OVERHEAD;
        Fragments parcels = new Fragments("", 10L * piece);
        List<byte[]> honest = Fragments.pieces(word("honest", 3), 7, 1);
        assertEquals(Optional.empty(), parcels.onPiece(honest.get(0)));
        assertEquals(Optional.empty(), parcels.onPiece(honest.get(1)));
        List<List<byte[]>> left = List.of(
                Fragments.pieces(word("other", 9), 7, 1),
                Fragments.pieces(word("other", 9), 7, 2),
                Fragments.pieces(word("other", 9), 7, 3));
        for (List<byte[]> pieces : left) {
            for (int i = 0; i < 4; i++) {
                assertEquals(Optional.empty(), parcels.onPiece(pieces.get(i)));
            }
        }
        assertEquals(10, pieces(parcels), "the first parcel gave way as a whole");
        assertTrue(parcels.onPiece(honest.get(2)).isPresent(), "the sender with less lost its parcel");
        assertEquals(8, pieces(parcels));
        assertEquals(Optional.empty(), parcels.onPiece(left.get(2).get(4)));
        assertEquals(Optional.empty(), parcels.onPiece(left.get(2).get(5)));
        assertEquals(10, pieces(parcels), "a parcel that is gone still counts");
    }

    @Test
    void piecesWithoutBytesCountToo() {
        Fragments parcels = new Fragments("", 100L * Fragments.PIECE_OVERHEAD);
        for (int i = 0; i < 1_000; i++) {
            parcels.onPiece(head(Kind.HISTORY, i, 2_000).toBytes());
        }
        assertTrue(pieces(parcels) <= 100, () -> pieces(parcels) + " pieces are held");
    }

    @Test
    void aMemberDoesNotGatherParcelsForAnotherMember() {
        Fragments parcels = new Fragments("me", 1 << 20);
        List<byte[]> pieces = Fragments.pieces(word("a", 2), 7, 1);
        assertEquals(Optional.empty(), parcels.onPiece(pieces.get(0)));
        assertEquals(0, pieces(parcels));
    }

    @Test
    void aHistoryWithMoreUnfinishedBytesThanAMemberKeepsIsRefused() {
        Fragments parcels = new Fragments();
        List<byte[]> pieces = Fragments.pieces(word("a", 9), 7, 1);
        pieces.subList(0, 5).forEach(parcels::onPiece);
        WireWriter writer = new WireWriter(100);
        parcels.write(writer);
        long bytes = 5L * (Fragments.PIECE_BYTES + Fragments.PIECE_OVERHEAD);
        Fragments equal = new Fragments("", bytes);
        equal.take(new WireReader("test", writer.toBytes()));
        assertEquals(5, pieces(equal));
        assertThrows(MalformedFrameException.class, () -> new Fragments("", bytes - 1)
                .take(new WireReader("test", writer.toBytes())));
    }

    private static Parcel word(String from, int pieces) {
        return new Parcel(Kind.WORD, from, "b", bytes(pieces * Fragments.PIECE_BYTES));
    }

    /** The pieces that are held. */
    private static int pieces(Fragments parcels) {
        WireWriter writer = new WireWriter(100);
        parcels.write(writer);
        WireReader reader = new WireReader("test", writer.toBytes());
        int held = 0;
        for (long parcel = reader.varint("unfinished", 0, 10_000); parcel > 0; parcel--) {
            reader.text("from", 100);
            reader.i64("life");
            reader.varint("number", 0, Long.MAX_VALUE / 4);
            for (long piece = reader.varint("pieces", 0, 100_000); piece > 0; piece--) {
                if (reader.flag("piece")) {
                    reader.blob("piece", Fragments.PIECE_BYTES);
                    held++;
                }
            }
        }
        return held;
    }

    private static WireWriter head(Kind kind, int index, int count) {
        WireWriter writer = new WireWriter(64);
        writer.u8(kind == Kind.ENTRY ? 0 : 4);
        writer.text("a");
        writer.text("");
        writer.i64(7);
        writer.varint(1);
        writer.varint(index);
        writer.varint(count);
        return writer;
    }

    @Test
    void aParcelStandsWhereItsLastPieceIs() {
        byte[] large = bytes(2 * Fragments.PIECE_BYTES + 1);
        List<byte[]> pieces = Fragments.pieces(entry(large), 7, 1);
        assertEquals(3, pieces.size());
        Fragments parcels = new Fragments();
        assertEquals(Optional.empty(), parcels.onPiece(pieces.get(0)));
        assertEquals(Optional.empty(), parcels.onPiece(pieces.get(2)));
        List<byte[]> other = Fragments.pieces(entry(bytes(3)), 7, 2);
        assertArrayEquals(bytes(3), parcels.onPiece(other.get(0)).orElseThrow().content());
        assertArrayEquals(large, parcels.onPiece(pieces.get(1)).orElseThrow().content());
    }

    @Test
    void whatIsUnfinishedCanBeHandedOn() {
        byte[] large = bytes(2 * Fragments.PIECE_BYTES);
        List<byte[]> pieces = Fragments.pieces(entry(large), 7, 1);
        Fragments first = new Fragments();
        assertEquals(Optional.empty(), first.onPiece(pieces.get(1)));
        WireWriter writer = new WireWriter(100);
        first.write(writer);
        Fragments second = Fragments.read(new WireReader("test", writer.toBytes()));
        assertArrayEquals(large, second.onPiece(pieces.get(0)).orElseThrow().content());
    }

    /** The example of docs/wire/dpg.md. */
    @Test
    void aPieceHasItsBytes() {
        byte[] piece = Fragments.pieces(new Parcel(Kind.WORD, "a", "bc", new byte[] {1, 2}), 0x1122334455667788L, 300)
                .get(0);
        assertEquals("0101610262631122334455667788ac0200010102", HexFormat.of().formatHex(piece));
    }

    @Test
    void whatIsNoPieceIsRefused() {
        byte[] piece = Fragments.pieces(entry(bytes(3)), 7, 1).get(0);
        piece[0] = 99;
        assertThrows(MalformedFrameException.class, () -> new Fragments().onPiece(piece));
        assertThrows(MalformedFrameException.class, () -> new Fragments().onPiece(new byte[0]));
    }

    @Test
    void piecesOfASenderThatNeverCompleteAreForgotten() {
        Fragments parcels = new Fragments();
        byte[] large = bytes(Fragments.PIECE_BYTES + 1);
        List<byte[]> early = Fragments.pieces(entry(large), 7, 1);
        assertEquals(Optional.empty(), parcels.onPiece(early.get(0)));
        for (int i = 2; i < 200; i++) {
            assertEquals(
                    Optional.empty(),
                    parcels.onPiece(Fragments.pieces(entry(large), 7, i).get(0)));
        }
        WireWriter writer = new WireWriter(100);
        parcels.write(writer);
        assertEquals(64, new WireReader("test", writer.toBytes()).varint("unfinished", 0, 1_000));
        assertEquals(Optional.empty(), parcels.onPiece(early.get(1)));
    }
}
