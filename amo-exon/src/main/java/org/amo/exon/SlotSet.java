package org.amo.exon;

import java.util.Map;
import java.util.TreeMap;

/** slt of the paper: a set of slot numbers, kept as ranges. One thread owns it. */
final class SlotSet {
    /** First slot of a range to one past its last. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean contains(long slot) {
        Map.Entry<Long, Long> range = ranges.floorEntry(slot);
        return range != null && slot < range.getValue();
    }

    /** One past the last of the slots in the set that follow this one without a gap. Only if it is in the set. */
    long endOfRange(long slot) {
        return ranges.floorEntry(slot).getValue();
    }

    /** Adds from to end, end excluded, none of which is in the set. */
    void add(long from, long end) {
        if (from >= end) {
            return;
        }
        size += (int) (end - from);
        Map.Entry<Long, Long> before = ranges.floorEntry(from);
        long start = before != null && before.getValue() == from ? before.getKey() : from;
        Long after = ranges.remove(end);
        ranges.put(start, after == null ? end : after);
    }

    /** @return whether it was there */
    boolean remove(long slot) {
        Map.Entry<Long, Long> range = ranges.floorEntry(slot);
        if (range == null || slot >= range.getValue()) {
            return false;
        }
        long from = range.getKey();
        long end = range.getValue();
        if (slot > from) {
            ranges.put(from, slot);
        } else {
            ranges.remove(from);
        }
        if (slot + 1 < end) {
            ranges.put(slot + 1, end);
        }
        size--;
        return true;
    }

    /** Line 53: drops every slot below the frontier. */
    void removeBelow(long frontier) {
        while (!ranges.isEmpty() && ranges.firstKey() < frontier) {
            Map.Entry<Long, Long> first = ranges.pollFirstEntry();
            long kept = Math.min(frontier, first.getValue());
            size -= (int) (kept - first.getKey());
            if (kept < first.getValue()) {
                ranges.put(kept, first.getValue());
            }
        }
    }

    /** The highest ranges below a bound, at most so many, as first slot and one past the last, highest first. */
    long[] highestBelow(long bound, int most) {
        long[] found = new long[2 * Math.min(most, ranges.size())];
        int count = 0;
        for (Map.Entry<Long, Long> range :
                ranges.headMap(bound, false).descendingMap().entrySet()) {
            if (count == found.length) {
                break;
            }
            found[count++] = range.getKey();
            found[count++] = Math.min(bound, range.getValue());
        }
        return count == found.length ? found : java.util.Arrays.copyOf(found, count);
    }
}
