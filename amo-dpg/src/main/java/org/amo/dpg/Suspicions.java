package org.amo.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Suspended Delivery (section 6), made safe: contiguity that was inferred while an own message was on its way is kept
 * here until it is known where that message lies. If it lies between, the inference was wrong and is dropped.
 */
final class Suspicions {
    private static final int MOST = 4_096;

    private final Set<Tag> outstanding = new HashSet<>();
    private final Set<Tag> seenSinceReception = new HashSet<>();
    private final ArrayDeque<Pair> pairs = new ArrayDeque<>();

    private record Pair(Tag from, Tag to, List<Tag> suspects) {}

    /** Tells whether one message is known to come before another. */
    interface Order {
        boolean precedes(Tag x, Tag y);

        /** Whether both are incorporated, and that the one comes before the other was not decided but is known. */
        boolean isKnownBefore(Tag x, Tag y);

        /** Whether the message is incorporated: its direct predecessor no longer matters. */
        boolean isIncorporated(Tag tag);
    }

    void sent(Tag own) {
        outstanding.add(own);
    }

    void seen(Tag own) {
        if (outstanding.remove(own)) {
            seenSinceReception.add(own);
        }
    }

    /** @return whether the inference may be used at once; if not it is kept here */
    boolean infer(Tag from, Tag to) {
        List<Tag> suspects = new ArrayList<>(outstanding);
        suspects.addAll(seenSinceReception);
        if (suspects.isEmpty()) {
            return true;
        }
        suspects.sort(null);
        if (pairs.size() == MOST) {
            pairs.remove();
        }
        pairs.add(new Pair(from, to, suspects));
        return false;
    }

    void received() {
        seenSinceReception.clear();
    }

    /**
     * The pairs that have become certain. Invariant: pairs are kept in the order of their reception, which is true, so that an
     * own message that lies before one of them lies before all that follow.
     */
    List<Arc> certain(Order order) {
        List<Arc> certain = new ArrayList<>(0);
        Set<Tag> before = new HashSet<>();
        for (Iterator<Pair> each = pairs.iterator(); each.hasNext(); ) {
            Pair pair = each.next();
            boolean useless = order.isIncorporated(pair.to);
            for (Iterator<Tag> suspects = pair.suspects.iterator(); suspects.hasNext(); ) {
                Tag own = suspects.next();
                if (before.contains(own) || isBefore(own, pair.from, order)) {
                    before.add(own);
                    suspects.remove();
                } else if (useless) {
                    if (order.isKnownBefore(own, pair.to)) {
                        before.add(own);
                    }
                } else if (order.isIncorporated(own)) {
                    // Where it was incorporated may be a choice: that is agreed, not true.
                    useless = order.isIncorporated(pair.from);
                } else if (order.precedes(pair.to, own)) {
                    suspects.remove();
                } else {
                    useless = order.precedes(pair.from, own) && order.precedes(own, pair.to);
                }
            }
            if (useless || pair.suspects.isEmpty()) {
                each.remove();
                if (!useless) {
                    certain.add(Arc.marked(pair.from, pair.to));
                }
            }
        }
        return certain;
    }

    private static boolean isBefore(Tag own, Tag received, Order order) {
        return order.isIncorporated(own) ? order.isKnownBefore(own, received) : order.precedes(own, received);
    }
}
