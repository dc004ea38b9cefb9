package org.amo.dpg.udp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.amo.dpg.Tag;

/**
 * Detects order violations between running sites. Each report carries a digest of the last deliveries of its site. A site
 * that has delivered the last of them compares the digest with its own deliveries up to there. A digest that differs is an
 * order violation, counted at each site that finds it. A difference stays in the window of some digests, so that the count
 * says whether there are violations rather than how many messages they are.
 *
 * <p>Only digests that lie in one segment of both sites are compared. One thread owns it. Bounded.
 */
final class OrderDigest {
    /** Deliveries in a digest. */
    static final int WINDOW = 64;

    private static final int REMEMBERED = 1_024;
    private static final int MOST_WAITING = 64;

    private final ArrayDeque<Tag> recent = new ArrayDeque<>();
    private final List<Digest> waiting = new ArrayList<>();
    private long compared;
    private long different;

    /**
     * @param last the latest delivery in it
     * @param count how many deliveries it covers, 1 to {@link #WINDOW}
     * @param hash of their tags, in their order
     */
    record Digest(Tag last, int count, long hash) {}

    /** A segment begins: earlier deliveries are not comparable, since others delivered messages in between. */
    void begin() {
        recent.clear();
        waiting.clear();
    }

    /** A message or a dummy was delivered. */
    void delivered(Tag tag) {
        if (recent.size() == REMEMBERED) {
            recent.remove();
        }
        recent.add(tag);
        for (Iterator<Digest> digests = waiting.iterator(); digests.hasNext(); ) {
            Digest digest = digests.next();
            if (digest.last.equals(tag)) {
                compare(digest);
                digests.remove();
            }
        }
    }

    boolean isEmpty() {
        return recent.isEmpty();
    }

    /** Of the last deliveries; there must be one. */
    Digest digest() {
        int count = Math.min(WINDOW, recent.size());
        return new Digest(recent.getLast(), count, hash(recent.getLast(), count));
    }

    /** Another site's digest came. */
    void onDigest(Digest digest) {
        if (recent.contains(digest.last)) {
            compare(digest);
        } else if (!recent.isEmpty()) {
            if (waiting.size() == MOST_WAITING) {
                waiting.remove(0);
            }
            waiting.add(digest);
        }
    }

    /** Digests compared. */
    long compared() {
        return compared;
    }

    /** Of these, the ones that differed. */
    long different() {
        return different;
    }

    private void compare(Digest digest) {
        int before = 0;
        for (Tag tag : recent) {
            before++;
            if (tag.equals(digest.last)) {
                break;
            }
        }
        if (before < digest.count) {
            return; // it reaches back behind the segment, or further than is remembered
        }
        compared++;
        different += hash(digest.last, digest.count) == digest.hash ? 0 : 1;
    }

    private long hash(Tag last, int count) {
        List<Tag> tags = new ArrayList<>(count);
        boolean found = false;
        for (Iterator<Tag> newest = recent.descendingIterator(); newest.hasNext() && tags.size() < count; ) {
            Tag tag = newest.next();
            found = found || tag.equals(last);
            if (found) {
                tags.add(tag);
            }
        }
        long hash = 1;
        for (Tag tag : tags) {
            hash = mix(hash * 31 + tag.origin());
            hash = mix(hash * 31 + tag.number());
        }
        return hash;
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 32)) * 0x9E3779B97F4A7C15L;
        return mixed ^ (mixed >>> 29);
    }
}
