package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChangedObjectsTest {
    private static final long KEPT = 1_000;
    private static final byte[] ONE = "one".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TWO = "two".getBytes(StandardCharsets.UTF_8);

    private final ChangedObjects changes = new ChangedObjects(KEPT);

    private List<String> due(long nowNanos) {
        return changes.due(nowNanos).stream()
                .map(id -> new String(id, StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void anObjectIsGoneUntilItIsForgotten() {
        assertTrue(changes.of(ONE).isEmpty());
        changes.deactivated(ONE, 5);
        assertTrue(changes.of(ONE).orElseThrow().servant().isEmpty());
        changes.forget(ONE);
        assertTrue(changes.isEmpty());
    }

    /** Until then a client may ask for the reply of the request that took it away. */
    @Test
    void itsEntryIsDueOnceItHasBeenGoneForLongEnough() {
        changes.deactivated(ONE, 0);
        changes.deactivated(TWO, 10);
        assertEquals(List.of(), due(KEPT - 1));
        assertEquals(List.of("one"), due(KEPT));
        changes.leaving(ONE);
        assertTrue(changes.of(ONE).orElseThrow().leaving());
        assertEquals(List.of("two"), due(KEPT + 10));
        assertEquals(List.of("one"), due(2 * KEPT), "JacORB may not have removed it yet");
        changes.forget(ONE);
        changes.forget(TWO);
        assertEquals(List.of(), due(4 * KEPT));
    }

    @Test
    void theTimeOfAnObjectThatWentAgainCountsFromItsLastEnd() {
        changes.deactivated(ONE, 0);
        changes.activated(ONE, new CallsServant());
        changes.deactivated(ONE, KEPT / 2);
        assertEquals(List.of(), due(KEPT));
        assertEquals(List.of("one"), due(KEPT + KEPT / 2));
    }

    @Test
    void anObjectThatCameBackIsNotDue() {
        changes.deactivated(ONE, 0);
        changes.activated(ONE, new CallsServant());
        assertEquals(List.of(), due(2 * KEPT));
    }

    @Test
    void aServantKnowsItsObjects() {
        CallsServant servant = new CallsServant();
        changes.activated(ONE, servant);
        changes.activated(TWO, servant);
        changes.deactivated(ONE, 0);
        assertArrayEquals(TWO, changes.idOf(servant).orElseThrow());
        changes.activated(TWO, new CallsServant());
        assertEquals(Optional.empty(), changes.idOf(servant));
    }
}
