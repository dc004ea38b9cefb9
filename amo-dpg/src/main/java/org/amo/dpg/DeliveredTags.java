package org.amo.dpg;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Remembers the tags that were delivered here or belong to a time before this site's segment: these never come again.
 *
 * <p>Of each origin a window of numbers is remembered exactly; everything below the window counts as delivered, so that
 * forgetting raises a bound that refuses. An origin is forgotten when it was silent for the lifetime of a tag: within that
 * time the network must have lost or delivered every PDU it holds. If there is no room for a new origin, its messages are
 * refused. What is in the common order cannot be refused: a site that adopts it from another site remembers it beyond the
 * room, until the origin is silent.
 */
final class DeliveredTags {
    private static final int WINDOW = 8_192;

    private final int maxOrigins;
    private final long lifetimeMicros;
    private final Map<Long, Origin> origins = new HashMap<>();

    private static final class Origin {
        long base;
        final BitSet above = new BitSet();
        long heardMicros;
    }

    DeliveredTags(int maxOrigins, long lifetimeMicros) {
        this.maxOrigins = maxOrigins;
        this.lifetimeMicros = lifetimeMicros;
    }

    boolean contains(Tag tag) {
        if (tag.equals(Tag.ROOT)) {
            return true;
        }
        Origin origin = origins.get(tag.origin());
        return origin != null
                && (tag.number() <= origin.base
                        || origin.above.get((int) Math.min(Integer.MAX_VALUE, tag.number() - origin.base)));
    }

    /** Whether messages of this origin can be remembered; makes room for it if there is any to make. */
    boolean admits(long origin, long nowMicros) {
        makeRoom(origin, nowMicros);
        if (!origins.containsKey(origin) && origins.size() >= maxOrigins) {
            return false;
        }
        heard(origin, nowMicros);
        return true;
    }

    private void makeRoom(long origin, long nowMicros) {
        if (!origins.containsKey(origin) && origins.size() >= maxOrigins) {
            origins.values().removeIf(each -> nowMicros - each.heardMicros > lifetimeMicros);
        }
    }

    private Origin heard(long origin, long nowMicros) {
        Origin heard = origins.computeIfAbsent(origin, made -> new Origin());
        heard.heardMicros = nowMicros;
        return heard;
    }

    /** Whether or not there is room: a tag that was delivered and not remembered would be delivered again. */
    void add(Tag tag, long nowMicros) {
        if (tag.equals(Tag.ROOT)) {
            return;
        }
        makeRoom(tag.origin(), nowMicros);
        Origin origin = heard(tag.origin(), nowMicros);
        if (tag.number() <= origin.base) {
            return;
        }
        long ahead = tag.number() - origin.base;
        if (ahead > 2L * WINDOW) {
            raise(origin, ahead - WINDOW);
        }
        origin.above.set((int) (tag.number() - origin.base));
        int run = origin.above.nextClearBit(1) - 1;
        if (run >= 64) {
            raise(origin, run);
        }
    }

    private static void raise(Origin origin, long by) {
        origin.base += by;
        BitSet kept = by >= Integer.MAX_VALUE
                ? new BitSet()
                : origin.above.get((int) by, Math.max((int) by, origin.above.length()));
        origin.above.clear();
        origin.above.or(kept);
    }
}
