package org.amo.replication.order.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Buffers pieces of entries received since a segment began, and the positions of the own marks among them, while the log
 * before the segment is awaited. An unanswered mark is set again as a new mark. An answer covers the log before exactly the
 * mark that it answers; with another mark, the pieces between the two would be lost or taken twice. One thread owns it.
 */
final class SinceSegment {
    private final List<byte[]> pieces = new ArrayList<>();
    private final Map<Long, Integer> marks = new HashMap<>();

    /** A new segment: the earlier pieces are of no use. */
    void clear() {
        pieces.clear();
        marks.clear();
    }

    void add(byte[] piece) {
        pieces.add(piece);
    }

    /** An own mark came in its place. */
    void onMark(long mark) {
        marks.put(mark, pieces.size());
    }

    /** Whether this own mark came in this segment. */
    boolean has(long mark) {
        return marks.containsKey(mark);
    }

    /** The pieces behind the mark. */
    List<byte[]> behind(long mark) {
        Integer from = marks.get(mark);
        if (from == null) {
            throw new IllegalStateException("no such mark: " + mark);
        }
        return List.copyOf(pieces.subList(from, pieces.size()));
    }

    List<byte[]> all() {
        return List.copyOf(pieces);
    }
}
