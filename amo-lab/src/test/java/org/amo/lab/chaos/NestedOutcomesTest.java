package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** A run whose nested calls mostly fail proves nothing, so it must not pass. */
final class NestedOutcomesTest {
    private static final int CLIENTS = 8;

    @Test
    void fiveInAHundredMayLackAReplyAndNoMore() {
        assertFalse(new NestedOutcomes(950, 20, 30).lackReplies(CLIENTS));
        assertTrue(new NestedOutcomes(949, 21, 30).lackReplies(CLIENTS));
        assertTrue(new NestedOutcomes(949, 20, 31).lackReplies(CLIENTS));
    }

    @Test
    void oneOutageOfAShortRunMeetsACallOfEachClient() {
        assertFalse(new NestedOutcomes(10, 4, 4).lackReplies(CLIENTS));
        assertTrue(new NestedOutcomes(10, 4, 5).lackReplies(CLIENTS));
    }

    @Test
    void callsThatAllHaveAnUnknownOutcomeAreTooMany() {
        assertTrue(new NestedOutcomes(0, 0, 1_000).lackReplies(CLIENTS));
    }

    @Test
    void anOutcomeThatNeverCameIsNotCounted() {
        NestedOutcomes outcomes = NestedOutcomes.of(Map.of(ChainedCounters.REPLIED, 7L, ChainedCounters.UNKNOWN, 2L));
        assertEquals(new NestedOutcomes(7, 0, 2), outcomes);
        assertEquals(9, outcomes.calls());
    }
}
