package org.amo.replication.order.raft;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.amo.replication.order.raft.SnapshotFile.Head;

/**
 * Where in RAFT's log the delivered positions lie. RAFT's own entries have an index and no position, so the distance
 * between the two grows by them; each is also where a term begins or the members change. Thread-safe: RAFT's thread
 * writes, the one that writes snapshots reads.
 */
final class RaftPositions {
    private record Mark(long distance, long term, Configuration configuration) {}

    /** By the first position for which they hold. */
    private final TreeMap<Long, Mark> marks = new TreeMap<>();

    /** The position has been delivered. */
    synchronized void delivered(long position, long index, Configuration configuration, LongUnaryOperator termAt) {
        Mark last = marks.isEmpty() ? null : marks.lastEntry().getValue();
        if (last == null
                || last.distance != index - position
                || last.configuration.version() != configuration.version()) {
            marks.put(position, new Mark(index - position, termAt.applyAsLong(index), configuration));
        }
    }

    /** A snapshot stands for everything up to there. */
    synchronized void begin(Head head) {
        marks.clear();
        marks.put(head.position(), new Mark(head.index() - head.position(), head.term(), head.configuration()));
    }

    /** @throws IllegalStateException when the position was not delivered or was forgotten */
    synchronized Head at(long position) {
        Map.Entry<Long, Mark> from = marks.floorEntry(position);
        if (from == null) {
            throw new IllegalStateException("position " + position + " was not delivered here");
        }
        Mark mark = from.getValue();
        return new Head(position + mark.distance, mark.term, position, mark.configuration);
    }

    /** Positions before this one will not be asked for. */
    synchronized void forgetBefore(long position) {
        Long from = marks.floorKey(position);
        if (from != null) {
            marks.headMap(from).clear();
        }
    }
}
