package org.amo.replication.order.raft;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntry;

/** The pieces of the log that this leader sent last to members that lack entries. RAFT's thread owns it. */
final class SentPieces {
    private static final int PIECE_BYTES = 512 << 10;
    private static final int PIECE_ENTRIES = 2_000;
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

    private final Map<Address, Piece> pieces = new HashMap<>();

    /** The last entry of a piece that begins at an entry. */
    static long end(Log log, long from, long to) {
        long last = from;
        long bytes = 0;
        for (long index = from; index <= to && index - from < PIECE_ENTRIES && bytes < PIECE_BYTES; index++) {
            LogEntry entry = log.get(index);
            if (entry == null) {
                break;
            }
            bytes += entry.length();
            last = index;
        }
        return last;
    }

    Piece to(Address member) {
        if (pieces.size() > 64) {
            pieces.clear(); // addresses of members long gone
        }
        return pieces.computeIfAbsent(member, key -> new Piece());
    }

    /** The piece sent last to a member. */
    static final class Piece {
        /** Whether the member lacks more entries. */
        boolean lags;

        private long from;
        private long to = -1;
        private long sentNanos;

        void sent(long first, long last) {
            from = first;
            to = last;
            sentNanos = System.nanoTime();
        }

        /** Whether the next entry that the member lacks is not on its way. */
        boolean isDue(long next) {
            boolean onItsWay = from <= next && next <= to;
            return !onItsWay || System.nanoTime() - sentNanos >= REPEAT_NANOS;
        }
    }
}
