package org.amo.cli.exon;

import java.util.Random;
import org.amo.base.wire.Sha256;

/** Files of tests. */
final class Contents {
    private Contents() {}

    static byte[] random(long seed, int bytes) {
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        return content;
    }

    static FileOffer offer(String name, byte[] content) {
        return new FileOffer(name, content.length, Sha256.of(content));
    }

    static byte[] piece(FileOffer offer, byte[] content, long offset) {
        byte[] piece = new byte[offer.pieceBytes(offset)];
        System.arraycopy(content, (int) offset, piece, 0, piece.length);
        return piece;
    }
}
