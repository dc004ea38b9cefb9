package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.amo.base.ClientId;
import org.amo.core.replica.ExecutionTrail.Step;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** The latest executions of a member, and where those of another one differ. Digest and position are equal, if not said otherwise. */
final class ExecutionTrailTest {
    private final ExecutionTrail trail = new ExecutionTrail();
    private int last;

    @Test
    void theOldestExecutionGivesWayIfThereAreTooMany() {
        run(ExecutionTrail.MOST_STEPS, 0);
        assertEquals(0, trail.after());
        assertEquals(ExecutionTrail.MOST_STEPS, positions(0, Long.MAX_VALUE).size());
        run(ExecutionTrail.MOST_STEPS + 1, 0);
        assertEquals(1, trail.after());
        assertEquals(ExecutionTrail.MOST_STEPS, positions(0, Long.MAX_VALUE).size());
        assertEquals(List.of(), positions(0, 1));
    }

    @Test
    void theOldestExecutionsGiveWayIfTheirBodiesAreTooLong() {
        int half = 1 << 20;
        run(2, half);
        assertEquals(0, trail.after());
        assertEquals(List.of(1L, 2L), positions(0, 9));
        run(4, half);
        assertEquals(2, trail.after());
        assertEquals(List.of(3L, 4L), positions(0, 9));
        run(5, 1);
        assertEquals(3, trail.after());
        assertEquals(List.of(4L, 5L), positions(0, 9));
    }

    /** Bodies of lengths that go around the ends of the arrays in which they are kept. */
    @Test
    void eachRequestComesBackAsItWasButForItsPath() {
        Random random = new Random(7);
        List<Request> kept = new ArrayList<>();
        for (int position = 1; position <= 3 * ExecutionTrail.MOST_STEPS; position++) {
            byte[] body = new byte[random.nextInt(300)];
            random.nextBytes(body);
            boolean own = random.nextBoolean();
            RequestId id = new RequestId(
                    own ? RequestId.Space.OWN : RequestId.Space.FOREIGN,
                    new ClientId(random.nextLong(), random.nextLong()),
                    1 + random.nextInt(1_000));
            Request request = new Request(id, -position, position, random.nextLong(), !own, body);
            trail.executed(new Execution(position, 0, 1, request), position);
            kept.add(request);
        }
        for (long position = trail.after() + 1; position <= 3 * ExecutionTrail.MOST_STEPS; position += 97) {
            assertRequest(kept.get((int) position - 1), position);
        }
        assertTrue(trail.after() > ExecutionTrail.MOST_STEPS);
    }

    private void assertRequest(Request asked, long position) {
        Request found =
                trail.compare(position - 1, position, 0, List.of()).request().orElseThrow();
        assertArrayEquals(asked.body(), found.body());
        assertEquals(
                asked,
                new Request(
                        found.id(),
                        found.timestampMillis(),
                        found.deadlineMillis(),
                        found.fingerprint(),
                        found.oneway(),
                        asked.body()));
    }

    @Test
    void aBodyThatIsTooLongAloneIsNotKept() {
        run(1, 3 << 20);
        assertEquals(1, trail.after());
        run(2, 2 << 20);
        assertEquals(List.of(2L), positions(0, 9));
        run(3, 1 + (2 << 20));
        assertEquals(3, trail.after());
        assertEquals(List.of(), positions(0, 9));
    }

    @Test
    void aSnapshotEndsTheTrail() {
        run(3, 1 << 19);
        trail.restored(7);
        assertEquals(7, trail.after());
        assertEquals(List.of(), positions(0, 9));
    }

    @Test
    void theFirstPositionOfARangeIsNotInItAndTheLastIs() {
        run(5, 0);
        assertEquals(List.of(3L, 4L), positions(2, 4));
    }

    @Test
    void theFirstDifferenceIsOneBehindTheAgreementAndUpToTheMark() {
        run(5, 0);
        assertDiffersAt(4, trail.compare(1, 4, 0, steps(-1, 2, 3, -4, -5)));
        assertDiffersAt(2, trail.compare(1, 4, 0, steps(-1, -2, 3, -4)));
    }

    @Test
    void executionsOutsideTheRangeAreNotCompared() {
        run(5, 0);
        FirstDifference none = trail.compare(1, 4, 0, steps(-1, 2, 3, 4, -5));
        assertEquals(new FirstDifference(1, 4, Optional.empty(), Optional.empty(), true), none);
    }

    @Test
    void anExecutionThatOneOfTheTwoLacksIsADifference() {
        run(3, 0);
        assertDiffersAt(2, trail.compare(0, 4, 0, steps(1, 3)));
        FirstDifference ofTheOther = trail.compare(0, 4, 0, steps(1, 2, 3, 4));
        assertEquals(Optional.of(new Place(4, 0)), ofTheOther.place());
        assertEquals(Optional.empty(), ofTheOther.request());
    }

    @Test
    void anEarlierDifferenceIsPossibleIfOneTrailDoesNotReachBack() {
        run(4, 0);
        FirstDifference later = trail.compare(1, 4, 3, steps(-4));
        assertDiffersAt(4, later);
        assertFalse(later.earliest());
        trail.restored(5);
        assertFalse(trail.compare(1, 6, 0, steps()).earliest());
        assertTrue(trail.compare(5, 6, 0, steps()).earliest());
    }

    /** Digests tell requests there: another position means nothing, and the other member may have executed more. */
    @Test
    void whereTheOrderMayBeViolatedTheFirstOwnStepThatTheOtherLacksIsTheDifference() {
        run(5, 0);
        assertDiffersAt(3, trail.compareInAnyOrder(1, 5, 0, moved(5, -3, 2, 4, 6)));
        assertDiffersAt(4, trail.compareInAnyOrder(3, 5, 0, moved(5, -3, 2, 6)));
        FirstDifference none = trail.compareInAnyOrder(1, 4, 0, moved(4, 3, 2));
        assertEquals(new FirstDifference(1, 4, Optional.empty(), Optional.empty(), true), none);
        FirstDifference later = trail.compareInAnyOrder(1, 5, 3, moved());
        assertDiffersAt(4, later);
        assertFalse(later.earliest());
    }

    /** Steps with these digests at positions of another order. */
    private static List<Step> moved(int... digests) {
        List<Step> steps = new ArrayList<>();
        for (int digest : digests) {
            steps.add(new Step(new Place(100 + steps.size(), 1), digest));
        }
        return steps;
    }

    /** One execution a position, up to this one. */
    private void run(int upTo, int bodyBytes) {
        for (int position = last + 1; position <= upTo; position++) {
            trail.executed(new Execution(position, 0, 1, request(position, bodyBytes)), position);
        }
        last = upTo;
    }

    private static Request request(long number, int bodyBytes) {
        return new Request(RequestId.own(ReplicaRig.C, number), 1, 2, 3, false, new byte[bodyBytes]);
    }

    private List<Long> positions(long behind, long upTo) {
        return trail.between(behind, upTo).stream()
                .map(step -> step.place().position())
                .toList();
    }

    /** A step a position; below 0 for one with another digest. */
    private static List<Step> steps(int... positions) {
        List<Step> steps = new ArrayList<>();
        for (int position : positions) {
            steps.add(new Step(new Place(Math.abs(position), 0), position));
        }
        return steps;
    }

    private static void assertDiffersAt(long position, FirstDifference difference) {
        assertEquals(Optional.of(new Place(position, 0)), difference.place());
        assertEquals(position, difference.request().orElseThrow().id().number());
    }
}
