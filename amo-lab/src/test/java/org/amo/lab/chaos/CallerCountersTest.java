package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.amo.lab.chaos.CallerCounters.Unexplained;
import org.junit.jupiter.api.Test;

/** A nested call that ran twice or got lost is found; one whose caller knows that it failed is not. */
final class CallerCountersTest {
    private static final Map<String, Long> NONE = Map.of();

    /** A group whose nested calls have all ended well. */
    private static CallerCounters callers(Map<String, Long> all) {
        return new CallerCounters(all, NONE, NONE);
    }

    @Test
    void equalCountersAreExplained() {
        assertEquals(List.of(), callers(Map.of("a", 5L, "b", -2L)).compareWith(Map.of("a", 5L, "b", -2L)));
    }

    @Test
    void aCallThatRanTwiceIsFound() {
        assertEquals(
                List.of(new Unexplained("a", 5, 8)), callers(Map.of("a", 5L)).compareWith(Map.of("a", 8L)));
    }

    @Test
    void aCallThatGotLostIsFound() {
        assertEquals(
                List.of(new Unexplained("a", 5, 2)), callers(Map.of("a", 5L)).compareWith(Map.of("a", 2L)));
    }

    @Test
    void aCounterThatOnlyOneOfTheGroupsHasIsFound() {
        assertEquals(
                List.of(new Unexplained("a", 5, 0)), callers(Map.of("a", 5L)).compareWith(NONE));
        assertEquals(List.of(new Unexplained("a", 0, 5)), callers(NONE).compareWith(Map.of("a", 5L)));
    }

    @Test
    void everyDifferenceIsFoundInTheOrderOfTheNames() {
        assertEquals(
                List.of(new Unexplained("a", 1, 2), new Unexplained("b", 0, 1), new Unexplained("c", 3, 0)),
                callers(Map.of("c", 3L, "a", 1L, "d", 4L)).compareWith(Map.of("b", 1L, "d", 4L, "a", 2L)));
    }

    @Test
    void aCallThatDidNotRunIsMissingFromTheNextGroup() {
        CallerCounters callers = new CallerCounters(Map.of("a", 5L, "b", 2L), Map.of("a", 3L, "b", -1L), NONE);
        assertEquals(List.of(), callers.compareWith(Map.of("a", 2L, "b", 3L)));
        assertEquals(
                List.of(new Unexplained("a", 2, 5), new Unexplained("b", 3, 2)),
                callers.compareWith(Map.of("a", 5L, "b", 2L)),
                "they ran although the next group had said that they did not");
    }

    @Test
    void aCallWithAnUnknownOutcomeExplainsItsAmountAndNoMore() {
        CallerCounters callers = new CallerCounters(Map.of("a", 5L), NONE, Map.of("a", 2L));
        for (long explained = 3; explained <= 7; explained++) {
            assertEquals(List.of(), callers.compareWith(Map.of("a", explained)));
        }
        assertEquals(List.of(new Unexplained("a", 5, 2)), callers.compareWith(Map.of("a", 2L)));
        assertEquals(List.of(new Unexplained("a", 5, 8)), callers.compareWith(Map.of("a", 8L)));
    }

    @Test
    void anUnknownOutcomeExplainsNoOtherCounter() {
        CallerCounters callers = new CallerCounters(Map.of("a", 5L, "b", 5L), NONE, Map.of("a", 2L));
        assertEquals(List.of(new Unexplained("b", 5, 6)), callers.compareWith(Map.of("a", 6L, "b", 6L)));
    }
}
