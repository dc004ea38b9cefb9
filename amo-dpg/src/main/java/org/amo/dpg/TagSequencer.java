package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sequencer site of section 3.3: it numbers the tags that come, of all groups alike, and multicasts them back. It cannot
 * tell which group a tag belongs to ({@link PduTag}).
 *
 * <p>Its numbers belong to an epoch. A sequencer that takes over begins a higher one; sites follow the highest they hear,
 * and no contiguity is inferred across epochs. The caller decides when to begin an epoch; no two sequencers may begin the
 * same.
 *
 * <p>One thread owns it. Bounded: it remembers the numbers of so many tags; a tag that comes again later gets another number.
 * So the caller keeps copies of datagrams away. Nothing is durable: after a crash a higher epoch must be begun.
 */
public final class TagSequencer {
    private final long epoch;
    private final int repeats;
    private final int memory;
    /** The last tags, in a ring: that of number n is at place (n - 1) % memory. */
    private final List<PduTag> recent = new ArrayList<>();

    private final Map<PduTag, Long> numbers = new HashMap<>();
    private long next = 1;

    /**
     * Numbered tags, multicast to all groups.
     *
     * @param epoch of the sequencer
     * @param first number of the first of them; the others follow it one by one
     */
    public record Numbered(long epoch, long first, List<PduTag> tags) {
        public Numbered {
            tags = List.copyOf(tags);
        }
    }

    /**
     * @param repeats how many tags each multicast holds, so that a lost one is made good by the next
     * @param memory how many tags are remembered
     */
    public TagSequencer(long epoch, int repeats, int memory) {
        if (repeats < 1 || memory < repeats) {
            throw new IllegalArgumentException("repeats and memory must fit: repeats=" + repeats + " memory=" + memory);
        }
        this.epoch = epoch;
        this.repeats = repeats;
        this.memory = memory;
    }

    /** A tag came, perhaps not for the first time. @return the numbers to multicast */
    public Numbered onTag(PduTag tag) {
        Long known = numbers.get(tag);
        if (known == null) {
            if (recent.size() < memory) {
                recent.add(tag);
            } else {
                numbers.remove(recent.set(place(next), tag));
            }
            numbers.put(tag, next++);
            known = next - 1;
        }
        long last = Math.min(next - 1, known + repeats / 2);
        long first = Math.max(Math.max(1, last - repeats + 1), next - recent.size());
        List<PduTag> tags = new ArrayList<>(repeats);
        for (long number = first; number <= last; number++) {
            tags.add(recent.get(place(number)));
        }
        return new Numbered(epoch, first, tags);
    }

    private int place(long number) {
        return (int) ((number - 1) % memory);
    }

    /** Tags numbered in this epoch. */
    public long numbered() {
        return next - 1;
    }
}
