package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * Gathers the pieces of the one outcome whose first pieces have been delivered and that may be accepted next.
 *
 * <p>The digest and the count are replicated state. The bytes are not: a member needs them only to apply the update. The process that cut the
 * pieces has that state, and so has a member that was restored from a snapshot between them.
 *
 * <p>One thread owns it.
 */
final class OutcomeGather {
    private final List<byte[]> kept = new ArrayList<>();
    private boolean open;
    private long digest;
    private long bytes;
    private boolean keeps;

    /** Whether a piece has been delivered. */
    boolean isOpen() {
        return open;
    }

    /** Of the pieces that this process keeps. */
    long keptBytes() {
        return keeps ? bytes : 0;
    }

    /** @param keeping whether this process has to apply the update */
    void begin(long beginning, boolean keeping) {
        clear();
        open = true;
        digest = beginning;
        keeps = keeping;
    }

    /** Whether exactly the gathered pieces stand before it. */
    boolean isBefore(RunOutcome next) {
        return open && next.before().isPresent() && next.before().getAsLong() == digest;
    }

    /** @return false if there is no room for it: no entry continues the pieces from here on */
    boolean add(byte[] piece) {
        if (bytes + piece.length > ServantPort.MAX_UPDATE_BYTES) {
            clear();
            return false;
        }
        digest = OutcomePieces.behind(digest, piece);
        bytes += piece.length;
        if (keeps) {
            kept.add(piece);
        }
        return true;
    }

    /** Forgets them. @return those that this process keeps */
    List<byte[]> end() {
        List<byte[]> pieces = List.copyOf(kept);
        clear();
        return pieces;
    }

    private void clear() {
        kept.clear();
        open = false;
        digest = 0;
        bytes = 0;
        keeps = false;
    }

    // ------------------------------------------------- snapshots

    /** For a member whose servant has the state behind the update. */
    void copyTo(OutcomeGather other) {
        other.clear();
        other.open = open;
        other.digest = digest;
        other.bytes = bytes;
    }

    void write(WireWriter writer) {
        writer.i64(digest);
        writer.varint(bytes);
    }

    void read(WireReader reader) {
        clear();
        open = true;
        digest = reader.i64("digest of the pieces");
        bytes = reader.varint("bytes of the pieces", 0, ServantPort.MAX_UPDATE_BYTES);
    }
}
