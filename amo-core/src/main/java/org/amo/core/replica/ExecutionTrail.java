package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.amo.core.request.Request;

/**
 * The latest executions of this member, each with a digest of its entry up to it: by comparing two members' trails, the first
 * request with another reply is found. Bounded in number and bytes; the oldest ones give way, and {@link #after} tells how far back it
 * is complete.
 *
 * <p>One thread owns it.
 */
final class ExecutionTrail {
    static final int MOST_STEPS = 16_384;
    private static final long MOST_BODY_BYTES = 2 << 20;

    /**
     * One execution.
     *
     * @param digest of its entry's decisions and the replies in that entry, up to this one; of its own reply alone over an
     *     order that may be violated
     */
    record Step(Place place, long digest) {}

    private record Noted(Step step, Request request) {}

    private final ArrayDeque<Noted> noted = new ArrayDeque<>();
    private long bodyBytes;
    private long after;

    void executed(Execution execution, long digest) {
        noted.add(new Noted(new Step(execution.place(), digest), execution.request()));
        bodyBytes += execution.request().body().length;
        while (noted.size() > MOST_STEPS || bodyBytes > MOST_BODY_BYTES) {
            Noted oldest = noted.remove();
            bodyBytes -= oldest.request.body().length;
            after = oldest.step.place().position();
        }
    }

    /** The state is that of a snapshot of this position. */
    void restored(long position) {
        noted.clear();
        bodyBytes = 0;
        after = position;
    }

    /** It holds every execution behind this position. */
    long after() {
        return after;
    }

    /** The executions behind a position, up to another one. */
    List<Step> between(long behind, long upTo) {
        List<Step> steps = new ArrayList<>();
        for (Noted each : noted) {
            if (each.step.place().position() > behind && each.step.place().position() <= upTo) {
                steps.add(each.step);
            }
        }
        return steps;
    }

    /**
     * Compares with the trail of another member.
     *
     * @param behind position up to which the two agree
     * @param othersAfter how far back the other trail is complete
     */
    FirstDifference compare(long behind, long upTo, long othersAfter, List<Step> others) {
        long common = Math.max(behind, Math.max(after, othersAfter));
        Map<Place, Long> own = byPlace(between(common, upTo));
        Map<Place, Long> theirs = byPlace(others);
        TreeSet<Place> all = new TreeSet<>(own.keySet());
        all.addAll(theirs.keySet());
        Optional<Place> first = all.stream()
                .filter(place -> place.position() > common && place.position() <= upTo)
                .filter(place -> !own.containsKey(place) || !own.get(place).equals(theirs.get(place)))
                .findFirst();
        return new FirstDifference(behind, upTo, first, first.flatMap(this::request), common == behind);
    }

    /**
     * The same over an order that may be violated. Places differ then, and the digest of a step is that of one request and its
     * reply: the first own step with a digest that the other trail lacks.
     */
    FirstDifference compareInAnyOrder(long behind, long upTo, long othersAfter, List<Step> others) {
        long common = Math.max(behind, Math.max(after, othersAfter));
        Set<Long> theirs = others.stream().map(Step::digest).collect(Collectors.toSet());
        Optional<Noted> first = noted.stream()
                .filter(each -> each.step.place().position() > common
                        && each.step.place().position() <= upTo
                        && !theirs.contains(each.step.digest()))
                .findFirst();
        return new FirstDifference(
                behind, upTo, first.map(each -> each.step.place()), first.map(Noted::request), common == behind);
    }

    private static Map<Place, Long> byPlace(List<Step> steps) {
        Map<Place, Long> byPlace = new TreeMap<>();
        steps.forEach(step -> byPlace.put(step.place(), step.digest()));
        return byPlace;
    }

    private Optional<Request> request(Place place) {
        return noted.stream()
                .filter(each -> each.step.place().equals(place))
                .map(Noted::request)
                .findFirst();
    }
}
