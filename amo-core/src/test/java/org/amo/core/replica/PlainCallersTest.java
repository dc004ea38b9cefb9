package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.request.Principal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** The ids that a replica gives to calls that came without one. */
final class PlainCallersTest {
    private static final ClientId FIRST = new ClientId(7, 100);
    private static final Principal ALICE = Principal.credential("alice");
    private static final Principal BOB = Principal.credential("bob");

    private final PlainCallers callers = new PlainCallers(FIRST);
    private final List<String> flushed = new ArrayList<>();

    @Test
    void eachPrincipalIsAClientOfItsOwnAndNumbersItsCalls() {
        assertEquals(RequestId.own(FIRST, 1), callers.nextId(ALICE, 0));
        assertEquals(RequestId.own(FIRST, 2), callers.nextId(ALICE, 0));
        assertEquals(RequestId.own(new ClientId(7, 101), 1), callers.nextId(BOB, 0));
        assertTrue(callers.isOne(FIRST));
        assertTrue(callers.isOne(new ClientId(7, 101)));
        assertFalse(callers.isOne(new ClientId(7, 102)));
    }

    @Test
    void theNextCallAcknowledgesWhatWasAnswered() {
        RequestId first = callers.nextId(ALICE, 0);
        callers.nextId(ALICE, 0);
        assertEquals(FinishedNumbers.NONE, callers.finishedToSend(FIRST));
        callers.answered(first);
        callers.answered(RequestId.own(new ClientId(1, 1), 5));
        assertEquals(FinishedNumbers.of(1), callers.finishedToSend(FIRST));
    }

    @Test
    void whatNoCallAcknowledgedIsFlushedOnce() {
        callers.answered(callers.nextId(ALICE, 0));
        callers.nextId(BOB, 0);
        flush(0);
        assertEquals(List.of(FIRST + " ..1"), flushed);
        flush(0);
        assertEquals(1, flushed.size());
        callers.answered(callers.nextId(ALICE, 0));
        callers.finishedToSend(FIRST);
        flush(0);
        assertEquals(1, flushed.size(), "a call took it along");
    }

    @Test
    void aCallerWithoutACallForLongIsForgottenAndIsAnotherClientWhenItComesAgain() {
        callers.answered(callers.nextId(ALICE, 1_000));
        flush(5_000);
        assertTrue(callers.isOne(FIRST), "its acknowledgement has only just left");
        flush(1_000);
        assertTrue(callers.isOne(FIRST), "it has called since then");
        flush(1_001);
        assertFalse(callers.isOne(FIRST));
        assertEquals(RequestId.own(new ClientId(7, 101), 1), callers.nextId(ALICE, 6_000));
    }

    @Test
    void aCallerWhoseCallIsUnderWayIsNotForgotten() {
        RequestId first = callers.nextId(ALICE, 0);
        RequestId second = callers.nextId(ALICE, 0);
        callers.answered(first);
        flush(5_000);
        flush(5_000);
        assertTrue(callers.isOne(FIRST));
        callers.answered(second);
        flush(5_000);
        flush(5_000);
        assertFalse(callers.isOne(FIRST));
    }

    private void flush(long unusedSince) {
        callers.flush(unusedSince, (client, finished) -> flushed.add(client + " " + finished));
    }
}
