package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The incorporated part of G: a chain from the oldest message that is kept to L_DELIV, in which E_DELIV is the first
 * that was not delivered here. Positions count from the start of the segment and mean nothing elsewhere.
 *
 * <p>Messages no longer in use form the trail. Its newest ones stay, so that a returning site finds its place, or the place
 * where the orders diverged.
 */
final class IncorporatedOrder {
    private static final int TRAIL = 64;

    private final List<Entry> entries = new ArrayList<>();
    private final Map<Tag, Long> positions = new HashMap<>();
    private long base;
    /** All positions below are no longer in use. */
    private long trailEnd;

    private long deliveredEnd;

    /** @param runBegin position from which on each entry up to this one is known to come right after the one before it */
    private record Entry(Tag tag, long sinceMicros, long runBegin) {}

    /** @param known that it was sent right after the one before it; if not, its place was decided */
    void append(Tag tag, boolean known, long nowMicros) {
        long runBegin = known && !entries.isEmpty() ? entries.get(entries.size() - 1).runBegin : end();
        positions.put(tag, end());
        entries.add(new Entry(tag, nowMicros, runBegin));
    }

    /** Whether both are here, and the one is known to have been sent before the other, or is the other. */
    boolean isKnownBefore(Tag first, Tag second) {
        long from = positionOf(first);
        long to = positionOf(second);
        return from >= 0 && from <= to && entry(to).runBegin <= from;
    }

    /** Of the newest messages, at most so many: those placed by a decision. */
    List<Tag> decided(int most) {
        List<Tag> decided = new ArrayList<>(0);
        for (int i = Math.max(0, entries.size() - most); i < entries.size(); i++) {
            if (entries.get(i).runBegin == base + i) {
                decided.add(entries.get(i).tag);
            }
        }
        return decided;
    }

    boolean contains(Tag tag) {
        return positions.containsKey(tag);
    }

    /** -1 if it is not, or no longer, here. */
    long positionOf(Tag tag) {
        return positions.getOrDefault(tag, -1L);
    }

    int size() {
        return entries.size();
    }

    /** The trail left out. */
    int inUse() {
        return (int) (end() - trailEnd);
    }

    long end() {
        return base + entries.size();
    }

    /** L_DELIV. */
    Tag latest() {
        return entries.get(entries.size() - 1).tag;
    }

    /** E_DELIV, if anything is deliverable and not delivered. */
    @Nullable
    Tag earliest() {
        return deliveredEnd < end() ? entry(deliveredEnd).tag : null;
    }

    long earliestSinceMicros() {
        return entry(deliveredEnd).sinceMicros;
    }

    /** All below are delivered. */
    long deliveredEnd() {
        return deliveredEnd;
    }

    void delivered() {
        deliveredEnd++;
    }

    void allDelivered() {
        deliveredEnd = end();
    }

    /** The last that was delivered here, or the oldest that is kept. */
    Tag lastDelivered() {
        return entry(Math.max(base, deliveredEnd - 1)).tag;
    }

    boolean isDelivered(Tag tag) {
        Long position = positions.get(tag);
        return position != null && position < deliveredEnd;
    }

    /** Lets the oldest that is in use be the end of the trail if it lies below, was delivered, and is not L_DELIV. */
    @Nullable
    Tag leaveOldestBelow(long position) {
        return inUse() < 2 || trailEnd >= Math.min(position, deliveredEnd) ? null : entry(trailEnd++).tag;
    }

    /** Takes the oldest out if the trail is long enough without it. */
    @Nullable
    Tag forgetOldest() {
        if (trailEnd - base <= TRAIL) {
            return null;
        }
        Tag tag = entries.remove(0).tag;
        positions.remove(tag);
        base++;
        return tag;
    }

    /** Whether another's order is the same as this one where both are told or kept: from where they meet to where one of them ends. */
    boolean agrees(List<Tag> theirs) {
        long position = -1;
        for (int i = 0; i < theirs.size(); i++) {
            Tag tag = theirs.get(i);
            if (position < 0) {
                position = positionOf(tag);
                if (position > base && i > 0) {
                    // The message before it there is unknown here, and that is not the one before it here.
                    return false;
                }
            } else if (++position < end() && !entry(position).tag.equals(tag)) {
                return false;
            }
        }
        return position >= 0;
    }

    /** The newest, at most so many, oldest first. */
    List<Tag> newest(int most) {
        return tags(Math.max(0, entries.size() - most), entries.size());
    }

    /** Deliverable and not delivered, oldest first. */
    List<Tag> undelivered() {
        return tags((int) (deliveredEnd - base), entries.size());
    }

    /** Delivered and still in use, oldest first. */
    List<Tag> kept() {
        return tags((int) (trailEnd - base), (int) (deliveredEnd - base));
    }

    private List<Tag> tags(int from, int to) {
        List<Tag> tags = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            tags.add(entries.get(i).tag);
        }
        return tags;
    }

    private Entry entry(long position) {
        return entries.get((int) (position - base));
    }
}
