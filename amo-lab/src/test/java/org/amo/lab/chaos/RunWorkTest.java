package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A run that has done too little must not pass. */
final class RunWorkTest {
    @Test
    void callsAndFaultsAreEnough() {
        assertEquals(List.of(), new RunWork(100, 45, 50, 0, 3, 1).lacks());
    }

    @Test
    void aRunTooShortForAFaultIsOne() {
        assertEquals(List.of(), new RunWork(100, 100, 0, 0, 0, 0).lacks());
    }

    @Test
    void aRunWithoutAnAnswerProvesNothing() {
        assertEquals(List.of("no call was answered while the load lasted"), new RunWork(100, 0, 10, 0, 3, 1).lacks());
        assertEquals(List.of("no call was answered while the load lasted"), new RunWork(0, 0, 0, 0, 3, 1).lacks());
    }

    @Test
    void aGroupThatRefusesMostCallsHasNotPassed() {
        assertEquals(List.of("more than 50.0 % of the calls did not run"), new RunWork(100, 49, 51, 0, 3, 1).lacks());
    }

    @Test
    void aClientThatStoppedAtADefectIsNoClientWithAnUnknownCall() {
        assertEquals(
                List.of("2 clients stopped at an exception that no call may have"),
                new RunWork(100, 98, 0, 2, 3, 1).lacks());
    }

    @Test
    void aRunWithoutAFaultProvesNothing() {
        assertEquals(List.of("none of the 3 faults was made"), new RunWork(100, 100, 0, 0, 3, 0).lacks());
    }
}
