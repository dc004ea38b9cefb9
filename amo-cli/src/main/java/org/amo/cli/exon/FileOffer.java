package org.amo.cli.exon;

import java.util.Arrays;
import java.util.HexFormat;
import org.amo.base.wire.Sha256;
import org.amo.base.wire.WireReader;

/**
 * A file that a sender has for the receiver.
 *
 * @param name in the receiver's folder; the receiver judges it
 * @param length in bytes
 * @param sha256 of the content; never changed
 */
record FileOffer(String name, long length, byte[] sha256) {
    static final int HASH_BYTES = 32;

    /** A piece of a file has so many bytes; the last one has the rest. */
    static final int PIECE_BYTES = 16 << 10;

    FileOffer {
        if (length < 0 || length > WireReader.MAX_NUMBER || sha256.length != HASH_BYTES) {
            throw new IllegalArgumentException(
                    "no such file: length=" + length + " bytes of its SHA-256=" + sha256.length);
        }
    }

    TransferKey key() {
        WireReader digest = new WireReader("digest", Sha256.of(TransferWire.offer(this)));
        return new TransferKey(digest.i64("high"), digest.i64("low"));
    }

    /** How long the piece is that begins there. */
    int pieceBytes(long offset) {
        return (int) Math.min(PIECE_BYTES, length - offset);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileOffer that
                && name.equals(that.name)
                && length == that.length
                && Arrays.equals(sha256, that.sha256);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sha256) ^ name.hashCode();
    }

    @Override
    public String toString() {
        return name + " of " + length + " bytes, SHA-256 " + HexFormat.of().formatHex(sha256);
    }
}
