package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
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
    private static final int MOST_BODY_BYTES = 2 << 20;

    /**
     * One execution.
     *
     * @param digest of its entry's decisions and the replies in that entry, up to this one; of its own reply alone over an
     *     order that may be violated
     */
    record Step(Place place, long digest) {}

    /** Flat: objects that live for so many executions would be copied by one garbage collection after the other. */
    private final RequestRing requests = new RequestRing(MOST_STEPS, MOST_BODY_BYTES);

    private long after;

    void executed(Execution execution, long digest) {
        while (requests.lacksRoomFor(execution.request()) && !requests.isEmpty()) {
            after = requests.position(requests.first());
            requests.removeFirst();
        }
        if (requests.lacksRoomFor(execution.request())) {
            after = execution.position();
        } else {
            requests.add(execution, digest);
        }
    }

    /** The state is that of a snapshot of this position. */
    void restored(long position) {
        requests.clear();
        after = position;
    }

    /** It holds every execution behind this position. */
    long after() {
        return after;
    }

    /** The executions behind a position, up to another one. */
    List<Step> between(long behind, long upTo) {
        List<Step> steps = new ArrayList<>();
        for (long step = requests.first(); step < requests.end(); step++) {
            long position = requests.position(step);
            if (position > behind && position <= upTo) {
                steps.add(new Step(requests.place(step), requests.digest(step)));
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
        Optional<Request> request = first.flatMap(
                place -> firstStep(step -> requests.place(step).equals(place)).map(requests::request));
        return new FirstDifference(behind, upTo, first, request, common == behind);
    }

    /**
     * The same over an order that may be violated. Places differ then, and the digest of a step is that of one request and its
     * reply: the first own step with a digest that the other trail lacks.
     */
    FirstDifference compareInAnyOrder(long behind, long upTo, long othersAfter, List<Step> others) {
        long common = Math.max(behind, Math.max(after, othersAfter));
        Set<Long> theirs = others.stream().map(Step::digest).collect(Collectors.toSet());
        Optional<Long> first = firstStep(step -> requests.position(step) > common
                && requests.position(step) <= upTo
                && !theirs.contains(requests.digest(step)));
        return new FirstDifference(
                behind, upTo, first.map(requests::place), first.map(requests::request), common == behind);
    }

    private static Map<Place, Long> byPlace(List<Step> steps) {
        Map<Place, Long> byPlace = new TreeMap<>();
        steps.forEach(step -> byPlace.put(step.place(), step.digest()));
        return byPlace;
    }

    private Optional<Long> firstStep(LongPredicate wanted) {
        for (long step = requests.first(); step < requests.end(); step++) {
            if (wanted.test(step)) {
                return Optional.of(step);
            }
        }
        return Optional.empty();
    }
}
