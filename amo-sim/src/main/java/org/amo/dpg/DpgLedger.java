package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/** Records the deliveries of every site, in segments, and holds the checks of {@code dpg}. */
final class DpgLedger {
    static final String TWICE = "delivered twice";
    static final String FALSE_CONTIGUITY = "contiguity that was not";
    static final String UNTRUE = "a graph that is not true";
    static final String FORGOTTEN = "a mark that is forgotten";
    static final String MISSING = "a present site lacks a body";
    static final String ORDER = "agreed order violated";
    static final String CONTIGUOUS = "a segment is not contiguous";
    static final String STUCK = "no progress";
    static final String SILENT = "passed over in silence";
    static final String INVENTED = "delivered what nobody sent";
    static final String BROKE = "the core stopped";

    private final Map<Tag, byte[]> sent = new LinkedHashMap<>();
    private final List<Segment> segments = new ArrayList<>();
    private final DpgRunMetrics figures = new DpgRunMetrics();
    private final DpgContact contact;
    private long issued;

    DpgLedger(SimWorld world) {
        this.contact = new DpgContact(world);
    }

    DpgContact contact() {
        return contact;
    }

    /** The deliveries of one site between two absences. */
    static final class Segment {
        final DpgSimSite site;
        final long life;
        final long origin;
        final Tag after;
        final List<Tag> tags = new ArrayList<>();
        /** Deliveries that no other site can have followed: {@link DpgContact}. */
        final Set<Tag> unheard = new HashSet<>();

        final Set<Tag> dummies = new HashSet<>();

        Segment(DpgSimSite site, long origin, Tag after) {
            this.site = site;
            this.origin = origin;
            this.life = site.life();
            this.after = after;
        }

        @Override
        public String toString() {
            return site + " in life " + life;
        }
    }

    DpgRunMetrics figures() {
        return figures;
    }

    void onIssued() {
        issued++;
    }

    long issued() {
        return issued;
    }

    void onSent(Tag tag, byte[] body) {
        byte[] before = sent.put(tag, body);
        if (before != null) {
            throw new SimViolationException(TWICE, tag + " was sent twice");
        }
    }

    Segment begin(DpgSimSite site, long origin, Tag after) {
        Segment segment = new Segment(site, origin, after);
        segments.add(segment);
        return segment;
    }

    void onDelivered(Segment segment, Set<Tag> ofLife, Tag tag, byte[] body) {
        byte[] expected = sent.get(tag);
        if (expected != body) {
            throw new SimViolationException(INVENTED, segment + ": " + tag);
        }
        if (!ofLife.add(tag)) {
            throw new SimViolationException(TWICE, segment + ": " + tag);
        }
        segment.tags.add(tag);
        contact.onDelivered(segment, tag);
    }

    void onDummy(Segment segment, Set<Tag> ofLife, Tag tag) {
        if (!ofLife.add(tag)) {
            throw new SimViolationException(TWICE, segment + ": dummy of " + tag);
        }
        segment.tags.add(tag);
        contact.onDelivered(segment, tag);
        segment.dummies.add(tag);
    }

    List<Segment> segments() {
        return segments;
    }

    /** Messages of the segments that stand before one that the reference has earlier. */
    static long inversions(Segment reference, Segment other) {
        return inversions(places(reference), other);
    }

    private static long inversions(Map<Tag, Integer> places, Segment other) {
        long inversions = 0;
        int highest = -1;
        for (Tag tag : other.tags) {
            Integer place = places.get(tag);
            if (place != null) {
                inversions += place < highest ? 1 : 0;
                highest = Math.max(highest, place);
            }
        }
        return inversions;
    }

    /** Of each message in the segment. */
    static Map<Tag, Integer> places(Segment segment) {
        Map<Tag, Integer> places = new HashMap<>();
        for (int i = 0; i < segment.tags.size(); i++) {
            places.put(segment.tags.get(i), i);
        }
        return places;
    }

    /** Sites that were there all the time must have delivered the same bodies in the same sequence. */
    void checkSteady(List<Segment> steady, boolean scarce) {
        Set<Long> origins = new HashSet<>();
        steady.forEach(segment -> origins.add(segment.origin));
        Set<Tag> somewhere = new HashSet<>();
        // If buffers are scarce, only the sender keeps a delivered message, while that sender is present.
        steady.forEach(segment -> segment.tags.stream()
                .filter(tag -> !segment.dummies.contains(tag) && (!scarce || origins.contains(tag.origin())))
                .forEach(somewhere::add));
        for (Segment segment : steady) {
            Set<Tag> here = new HashSet<>(segment.tags);
            for (Tag tag : segment.dummies) {
                if (somewhere.contains(tag)) {
                    throw new SimViolationException(MISSING, segment + " has a dummy for " + tag);
                }
            }
            for (Tag tag : somewhere) {
                if (!here.contains(tag)) {
                    throw new SimViolationException(MISSING, segment + " never delivered " + tag);
                }
            }
        }
    }

    /**
     * Sites that were there all the time must have delivered in one sequence, each two of them: with few buffers a message of two of them
     * may be missing at a third one.
     *
     * @return how many pairs had something to compare
     */
    static long checkAgreed(List<Segment> steady) {
        long pairs = 0;
        for (int i = 0; i < steady.size(); i++) {
            Map<Tag, Integer> places = places(steady.get(i));
            for (Segment other : steady.subList(i + 1, steady.size())) {
                long inversions = inversions(places, other);
                if (inversions > 0) {
                    throw new SimViolationException(
                            ORDER,
                            inversions + " messages at " + other + ", which was always there, against "
                                    + steady.get(i));
                }
                pairs += steady.get(i).tags.isEmpty() || other.tags.isEmpty() ? 0 : 1;
            }
        }
        return pairs;
    }

    /**
     * Messages that are at another place in one segment than in another.
     *
     * @param compared messages whose place behind their predecessor was judged
     * @param displaced those that must not be
     * @param unheard those that were decided by a site that no other site can have followed
     * @param told the displaced ones, for a reader
     */
    record Breaks(long compared, List<Tag> displaced, List<Tag> unheard, List<String> told) {}

    /**
     * Messages of a segment that do not directly follow their predecessor in the reference. Messages that the process
     * delivered before an absence do not come again, and are no gap.
     */
    Breaks breaks(Segment reference, Segment segment) {
        return breaks(reference, places(reference), segment, deliveredBefore(segment));
    }

    /** Messages that the process of the segment delivered in earlier ones. */
    Set<Tag> deliveredBefore(Segment segment) {
        Set<Tag> before = new HashSet<>();
        for (Segment each : segments) {
            if (each == segment) {
                break;
            }
            if (each.site == segment.site && each.life == segment.life) {
                before.addAll(each.tags);
            }
        }
        return before;
    }

    /**
     * The same, for a check of each segment against each.
     *
     * @param places in the reference
     * @param before messages that the segment's process delivered in earlier ones
     */
    Breaks breaks(Segment reference, Map<Tag, Integer> places, Segment segment, Set<Tag> before) {
        int next = -1;
        long compared = 0;
        List<Tag> unheard = new ArrayList<>();
        List<Tag> displaced = new ArrayList<>();
        Tag last = segment.after;
        List<String> told = new ArrayList<>();
        for (Tag tag : segment.tags) {
            Integer place = places.get(tag);
            if (place != null) {
                while (next >= 0 && next < place && before.contains(reference.tags.get(next))) {
                    next++;
                }
                compared += next >= 0 ? 1 : 0;
                if (next >= 0 && place != next) {
                    // The reference's tag at this place, or this tag in either segment, may be unheard.
                    boolean there = next < reference.tags.size() && isUnheard(reference, reference.tags.get(next));
                    if (there || isUnheard(reference, tag) || isUnheard(segment, tag)) {
                        unheard.add(tag);
                        compared--;
                    } else {
                        displaced.add(tag);
                        told.add(tag + " after " + last + ", elsewhere at " + place + " and not at " + next);
                    }
                }
                last = tag;
                next = place + 1;
            }
        }
        return new Breaks(compared, displaced, unheard, told);
    }

    private boolean isUnheard(Segment segment, Tag tag) {
        return segment.unheard.contains(tag) || contact.isLost(tag);
    }
}
