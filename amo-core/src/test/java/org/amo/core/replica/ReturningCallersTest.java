package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ReturningCallersTest {
    private final ReturningCallers callers = new ReturningCallers();

    @Test
    void thoseOfTheLastEntryAndThoseWhoWaitedAreExpected() {
        callers.answered(3, 2, 100);
        assertTrue(callers.mayStillCome(4, 100));
        assertFalse(callers.mayStillCome(5, 100), "all are there");
        assertFalse(callers.mayStillCome(0, 100), "nobody waits");
    }

    @Test
    void nobodyIsExpectedForLong() {
        callers.answered(3, 2, 100);
        assertTrue(callers.mayStillCome(4, 104));
        assertFalse(callers.mayStillCome(4, 105));
    }

    @Test
    void nothingIsExpectedOnceTheNextEntryHasLeft() {
        callers.answered(3, 2, 100);
        callers.left(5);
        assertFalse(callers.mayStillCome(1, 100));
    }

    @Test
    void afterWaitsInVainMoreAndMoreEntriesGoAtOnce() {
        assertEquals(2, entriesThatGoAtOnceAfterAWaitInVain());
        assertEquals(4, entriesThatGoAtOnceAfterAWaitInVain());
        for (int i = 0; i < 10; i++) {
            entriesThatGoAtOnceAfterAWaitInVain();
        }
        assertEquals(64, entriesThatGoAtOnceAfterAWaitInVain(), "at most");
    }

    @Test
    void aWaitThatPaidMakesTheNextFailureCheapAgain() {
        entriesThatGoAtOnceAfterAWaitInVain();
        entriesThatGoAtOnceAfterAWaitInVain();
        callers.left(8);
        assertEquals(2, entriesThatGoAtOnceAfterAWaitInVain());
    }

    @Test
    void aLoneCallerIsNoWaitThatPaid() {
        entriesThatGoAtOnceAfterAWaitInVain();
        entriesThatGoAtOnceAfterAWaitInVain();
        callers.answered(1, 0, 100);
        callers.left(1);
        callers.answered(4, 4, 100);
        assertEquals(8, entriesThatGoAtOnceAfterAWaitInVain());
    }

    @Test
    void threeQuartersOfThemAreNoFailure() {
        callers.answered(4, 4, 100);
        callers.gaveUp(6);
        assertEquals(0, entriesThatGoAtOnce());
        callers.gaveUp(5);
        assertEquals(2, entriesThatGoAtOnce());
    }

    private int entriesThatGoAtOnceAfterAWaitInVain() {
        assertTrue(callers.mayStillCome(1, 100) || entriesThatGoAtOnce() == 0);
        callers.gaveUp(1);
        return entriesThatGoAtOnce();
    }

    /** Entries of eight callers; leaves with the first that expects them back. */
    private int entriesThatGoAtOnce() {
        for (int entries = 0; entries < 1_000; entries++) {
            callers.answered(4, 4, 100);
            if (callers.mayStillCome(1, 100)) {
                return entries;
            }
        }
        throw new AssertionError("never expects anybody again");
    }
}
