package org.amo.replication.order.dpg;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.amo.core.wire.MalformedFrameException;
import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;
import org.amo.replication.order.dpg.Parcels.Kind;
import org.amo.replication.order.dpg.Parcels.Parcel;
import org.junit.jupiter.api.Test;

class ParcelsTest {
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static Parcel entry(byte[] content) {
        return new Parcel(Kind.ENTRY, "a", "", content);
    }

    @Test
    void aParcelStandsWhereItsLastPieceIs() {
        byte[] large = bytes(2 * Parcels.PIECE_BYTES + 1);
        List<byte[]> pieces = Parcels.pieces(entry(large), 7, 1);
        assertEquals(3, pieces.size());
        Parcels parcels = new Parcels();
        assertEquals(Optional.empty(), parcels.onPiece(pieces.get(0)));
        assertEquals(Optional.empty(), parcels.onPiece(pieces.get(2)));
        List<byte[]> other = Parcels.pieces(entry(bytes(3)), 7, 2);
        assertArrayEquals(bytes(3), parcels.onPiece(other.get(0)).orElseThrow().content());
        assertArrayEquals(large, parcels.onPiece(pieces.get(1)).orElseThrow().content());
    }

    @Test
    void whatIsUnfinishedCanBeHandedOn() {
        byte[] large = bytes(2 * Parcels.PIECE_BYTES);
        List<byte[]> pieces = Parcels.pieces(entry(large), 7, 1);
        Parcels first = new Parcels();
        assertEquals(Optional.empty(), first.onPiece(pieces.get(1)));
        WireWriter writer = new WireWriter(100);
        first.write(writer);
        Parcels second = Parcels.read(new WireReader("test", writer.toBytes()));
        assertArrayEquals(large, second.onPiece(pieces.get(0)).orElseThrow().content());
    }

    /** The example of docs/wire/dpg.md. */
    @Test
    void aPieceHasItsBytes() {
        byte[] piece = Parcels.pieces(new Parcel(Kind.WORD, "a", "bc", new byte[] {1, 2}), 0x1122334455667788L, 300)
                .get(0);
        assertEquals("0101610262631122334455667788ac0200010102", HexFormat.of().formatHex(piece));
    }

    @Test
    void whatIsNoPieceIsRefused() {
        byte[] piece = Parcels.pieces(entry(bytes(3)), 7, 1).get(0);
        piece[0] = 99;
        assertThrows(MalformedFrameException.class, () -> new Parcels().onPiece(piece));
        assertThrows(MalformedFrameException.class, () -> new Parcels().onPiece(new byte[0]));
    }

    @Test
    void piecesOfASenderThatNeverCompleteAreForgotten() {
        Parcels parcels = new Parcels();
        byte[] large = bytes(Parcels.PIECE_BYTES + 1);
        List<byte[]> early = Parcels.pieces(entry(large), 7, 1);
        assertEquals(Optional.empty(), parcels.onPiece(early.get(0)));
        for (int i = 2; i < 200; i++) {
            assertEquals(
                    Optional.empty(),
                    parcels.onPiece(Parcels.pieces(entry(large), 7, i).get(0)));
        }
        WireWriter writer = new WireWriter(100);
        parcels.write(writer);
        assertEquals(64, new WireReader("test", writer.toBytes()).varint("unfinished", 0, 1_000));
        assertEquals(Optional.empty(), parcels.onPiece(early.get(1)));
    }
}
