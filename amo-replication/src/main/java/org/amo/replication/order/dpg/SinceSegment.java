package org.amo.replication.order.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pieces of entries that came since a segment began, while what was before it is awaited, and where among them the own marks lie. A
 * mark is set again when no answer comes, and each time is another mark: an answer tells what was before the very one that it answers,
 * and what came between two of them is in neither. One thread owns it.
 */
final class SinceSegment {
    private final List<byte[]> pieces = new ArrayList<>();
    private final Map<Long, Integer> marks = new HashMap<>();

    /** A new segment: what came before is of no use. */
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

    /** What came behind the mark. */
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
