package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** Timestamps and finished numbers of one client process. */
final class ClientSessionTest {
    private static final long WALL = 7_000_000;

    private final ClientSession session = new ClientSession(new ClientId(1, 2));

    // ------------------------------------------------- timestamps

    @Test
    void theWallClockIsAskedOnlyBeforeTheFirstAnswer() {
        assertEquals(WALL, session.begin(false, 10, 100, WALL).timestampMillis());
        session.onGroupTime(1_000_000, 900_000, 200);
        assertEquals(1_000_050, session.begin(false, 10, 250, WALL).timestampMillis());
    }

    @Test
    void anAnswerOfAGroupWithoutATimeIsNoAnswerInThisSense() {
        session.onGroupTime(0, Answer.NO_BOUND, 200);
        assertEquals(WALL, session.begin(false, 10, 250, WALL).timestampMillis());
    }

    @Test
    void theEstimateIsTheLargestOrderedTimeHeardCarriedOnByTheMonotonicClock() {
        session.onGroupTime(1_000_000, 900_000, 200);
        session.onGroupTime(1_000_100, 900_000, 220);
        assertEquals(1_000_130, session.begin(false, 10, 250, WALL).timestampMillis());
        session.onGroupTime(1_000_040, 900_000, 260);
        assertEquals(
                1_000_150, session.begin(false, 10, 270, WALL).timestampMillis(), "an older answer sets nothing back");
    }

    @Test
    void aTimestampIsAtLeastOneAboveTheLargestUpperHeard() {
        session.onGroupTime(1_000_000, 1_000_400, 200);
        session.onGroupTime(1_000_000, 900_000, 200);
        assertEquals(1_000_401, session.begin(false, 10, 200, WALL).timestampMillis());
        assertEquals(1_000_500, session.begin(false, 10, 700, WALL).timestampMillis());
    }

    /** D16. */
    @Test
    void tooEarlyLowersTheEstimate() {
        session.onGroupTime(2_000_000, 900_000, 100);
        ClientCall call = session.begin(false, 10_000, 100, WALL);
        call.onCopySent();
        Step step = call.onAnswer(Answer.refused(Refusal.TOO_EARLY, 1_000_000, 900_000), 200, WALL);
        assertEquals(Step.Kind.SEND_AGAIN, step.kind());
        assertEquals(1_000_000, call.timestampMillis());
        assertEquals(1_000_007, session.begin(false, 10, 207, WALL).timestampMillis());
    }

    /** The group lost its state and began a new life, whose bound is lower; the old one would be too early for ever. */
    @Test
    void tooEarlyLowersTheBoundToo() {
        session.onGroupTime(2_000_000, 1_900_000, 100);
        ClientCall call = session.begin(false, 10_000, 100, WALL);
        call.onCopySent();
        call.onAnswer(Answer.refused(Refusal.TOO_EARLY, 1_000_000, 900_000), 200, WALL);
        assertEquals(1_000_000, call.timestampMillis());
    }

    /** A member whose group has not started knows no time: what was heard before stays. */
    @Test
    void tooEarlyWithoutATimeOfTheGroupLowersNothing() {
        session.onGroupTime(2_000_000, 1_900_000, 100);
        session.onTooEarly(0, Answer.NO_BOUND, 150);
        assertEquals(2_000_100, session.begin(false, 10, 200, WALL).timestampMillis());
    }

    @Test
    void callsCarryTheSessionsId() {
        assertEquals(new ClientId(1, 2), session.id());
        assertEquals(session.id(), session.begin(false, 10, 100, WALL).id().client());
    }

    @Test
    void theDeadlineIsTheTimestampAndTheCallersPatience() {
        ClientCall call = session.begin(false, 4_000, 100, WALL);
        assertEquals(WALL + 4_000, call.deadlineMillis());
        assertEquals(4_100, call.endMillis());
    }

    @Test
    void aCallWithoutPatienceIsTheCallersMistake() {
        assertThrows(IllegalArgumentException.class, () -> session.begin(false, 0, 100, WALL));
    }

    @Test
    void numbersAreIssuedInARowFromOne() {
        for (long number = 1; number <= 3; number++) {
            assertEquals(number, session.begin(false, 10, 100, WALL).id().number());
        }
        assertEquals(3, session.numbersUsed());
    }

    // ------------------------------------------------- finished numbers

    @Test
    void finishedNumbersAreCumulative() {
        for (int i = 0; i < 5; i++) {
            session.takeNumber();
        }
        session.finish(2);
        assertEquals(FinishedNumbers.of(0, 2, 2), session.finishedToSend());
        session.finish(4);
        assertEquals(FinishedNumbers.of(0, 2, 2, 4, 4), session.finishedToSend(), "the next carrier repeats them all");
        session.finish(1);
        assertEquals(FinishedNumbers.of(2, 4, 4), session.finishedToSend());
        session.finish(3);
        assertEquals(FinishedNumbers.of(4), session.finishedToSend());
        assertEquals(0, session.finishedRanges());
    }

    @Test
    void thereIsSomethingUnsentAfterAFinishAndNothingAfterItWasTaken() {
        assertFalse(session.hasUnsentFinished());
        session.finish(1);
        assertTrue(session.hasUnsentFinished());
        session.finishedToSend();
        assertFalse(session.hasUnsentFinished());
    }

    @Test
    void aLostCarrierMakesThemUnsentAgain() {
        session.finish(1);
        ClientCall call = session.begin(false, 10_000, 100, WALL);
        session.finishedToSend();
        call.onCopySent();
        call.onCopyLost(200);
        assertTrue(session.hasUnsentFinished());
    }

    @Test
    void aCarrierThatCouldNotBeSentMakesThemUnsentAgain() {
        session.finish(1);
        ClientCall call = session.begin(false, 10_000, 100, WALL);
        session.finishedToSend();
        call.onCopySent();
        call.onNotSent(200);
        assertTrue(session.hasUnsentFinished());
    }

    @Test
    void moreRangesThanOneMessageHoldsAreSentInTurn() {
        int ranges = 2 * FinishedNumbers.MAX_RANGES + 500;
        for (int i = 1; i <= ranges; i++) {
            session.finish(2L * i);
        }
        assertEquals(ranges, session.finishedRanges());
        Set<Long> heard = new HashSet<>();
        for (int message = 0; message < 3; message++) {
            FinishedNumbers part = session.finishedToSend();
            assertEquals(FinishedNumbers.MAX_RANGES, part.rangeCount());
            for (int i = 0; i < part.rangeCount(); i++) {
                heard.add(part.rangeFirst(i));
            }
        }
        assertEquals(ranges, heard.size(), "three messages name them all");
    }

    @Test
    void whenTheRangesFitAgainEachMessageNamesThemAll() {
        for (int i = 1; i <= FinishedNumbers.MAX_RANGES + 1; i++) {
            session.finish(2L * i);
        }
        session.finishedToSend();
        session.finish(1);
        FinishedNumbers all = session.finishedToSend();
        assertEquals(2, all.floor());
        assertEquals(FinishedNumbers.MAX_RANGES, all.rangeCount());
    }

    @Test
    void acknowledgementsLeaveAloneASecondAfterTheLastCarrierAndLaterAfterEachFailure() {
        assertEquals(Long.MAX_VALUE, session.flushAtMillis(), "there are none");
        session.carry(100);
        session.finish(1);
        assertEquals(1_100, session.flushAtMillis());
        session.carry(200);
        assertEquals(Long.MAX_VALUE, session.flushAtMillis(), "the carrier took them");
        long pause = 1_000;
        for (long now = 1_200; pause < 10_000; now += pause) {
            session.onFlushFailed(now);
            pause = Math.min(2 * pause, 10_000);
            assertEquals(now + pause, session.flushAtMillis());
        }
        session.onFlushFailed(50_000);
        assertEquals(60_000, session.flushAtMillis());
        session.onFlushed();
        assertEquals(51_000, session.flushAtMillis());
    }
}
