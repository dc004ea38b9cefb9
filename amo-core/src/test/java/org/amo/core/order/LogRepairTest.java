package org.amo.core.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.order.LogRepair.Damage;
import org.amo.core.order.LogTail.Found;
import org.junit.jupiter.api.Test;

final class LogRepairTest {
    private static final List<String> OTHERS = List.of("b", "c");

    @Test
    void aMemberVotesAgainWhenItHasAllThatItMayHaveAcknowledged() {
        LogRepair repair = new LogRepair(new Damage(20, 5, true));
        assertFalse(repair.mayVote());
        assertTrue(repair.mayFollow());
        assertFalse(repair.onVerified(19, 5));
        assertFalse(repair.mayVote());
        assertTrue(repair.onVerified(20, 5));
        assertTrue(repair.mayVote());
        assertFalse(repair.onVerified(21, 5), "told once");
    }

    /** The rest of what it acknowledged was never committed, since the leader of a later term lacks it. */
    @Test
    void anEntryOfALaterTermIsEnough() {
        LogRepair repair = new LogRepair(new Damage(20, 5, true));
        assertTrue(repair.onVerified(18, 6));
    }

    @Test
    void withoutItsTermAMemberTakesNothingUntilAllOthersHaveToldTheirs() {
        LogRepair repair = new LogRepair(new Damage(10, 3, false));
        assertFalse(repair.mayFollow());
        assertEquals(Optional.empty(), repair.onTerm("b", 7, 12, OTHERS));
        assertEquals(Optional.empty(), repair.onTerm("b", 7, 12, OTHERS));
        assertEquals(Optional.empty(), repair.onTerm("stranger", 99, 99, OTHERS));
        assertFalse(repair.onVerified(30, 9));
        assertEquals(Optional.of(new Damage(12, 7, true)), repair.onTerm("c", 4, 9, OTHERS));
        assertTrue(repair.mayFollow());
        assertFalse(repair.mayVote());
        assertFalse(repair.onVerified(11, 7));
        assertTrue(repair.onVerified(12, 7));
    }

    @Test
    void twoFindingsAreOneDamage() {
        assertEquals(new Damage(9, 4, false), new Damage(9, 2, true).and(new Damage(3, 4, false)));
    }

    @Test
    void aCrashExplainsABrokenRecordThatWasNotAcknowledged() {
        assertEquals(OptionalLong.empty(), new LogTail().lostUpTo(new Found(10, true, 10, true, 0, 0)));
        assertEquals(OptionalLong.empty(), new LogTail().lostUpTo(new Found(10, true, 9, true, 10, 13)));
        assertEquals(OptionalLong.empty(), new LogTail().lostUpTo(new Found(10, false, 10, false, 0, 0)));
    }

    @Test
    void aBrokenRecordWithAWitnessWasAcknowledged() {
        assertEquals(OptionalLong.of(11), new LogTail().lostUpTo(new Found(10, true, 11, true, 0, 0)));
        assertEquals(OptionalLong.of(14), new LogTail().lostUpTo(new Found(10, true, 5, true, 12, 14)));
        assertEquals(OptionalLong.of(12), new LogTail().lostUpTo(new Found(10, false, 12, true, 0, 0)), "cut short");
    }

    @Test
    void whatCannotBeToldCountsAsLost() {
        assertEquals(OptionalLong.of(11), new LogTail().lostUpTo(new Found(10, true, 10, false, 0, 0)));
    }
}
