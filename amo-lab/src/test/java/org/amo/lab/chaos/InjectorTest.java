package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** When faults begin and end. The faults here concern no replica, so the scene asks none. */
class InjectorTest {
    private static final long LASTS_MILLIS = 30_000;

    private final List<String> ended = new ArrayList<>();
    private final AtomicBoolean repaired = new AtomicBoolean();
    private final Injector injector = new Injector(
            new ClusterView(null, null, null, true),
            Map.of(
                    FaultKind.BIT_FLIP,
                    slot -> Optional.of(
                            new Active("flip", List.of(), LASTS_MILLIS, repaired::get, () -> ended.add("flip"))),
                    FaultKind.STOP,
                    slot -> Optional.of(new Active("stop", List.of(), LASTS_MILLIS, () -> ended.add("stop")))),
            List.of(slot(2_000, FaultKind.STOP), slot(7_000, FaultKind.BIT_FLIP), slot(9_000, FaultKind.STOP)),
            words -> {});

    private static FaultSchedule.Slot slot(long atMillis, FaultKind kind) {
        return new FaultSchedule.Slot(atMillis, List.of(kind), 0, 0, 0);
    }

    private void beginTwo() {
        injector.tick(1_999);
        assertEquals(Map.of(), injector.counts());
        injector.tick(2_000);
        injector.tick(7_000);
        assertEquals(Map.of("stop", 1, "bitFlip", 1), injector.counts());
    }

    @Test
    void aFaultThatAwaitsSomethingKeepsItsTimeAfterTheLoad() {
        beginTwo();
        injector.finish();
        assertEquals(List.of("stop"), ended);
        assertTrue(injector.isWaiting());
        injector.tick(36_999);
        assertTrue(injector.isWaiting(), "nor has anything begun since");
        injector.tick(37_000);
        assertEquals(List.of("stop", "flip"), ended);
        assertFalse(injector.isWaiting());
        assertEquals(Map.of("stop", 1, "bitFlip", 1), injector.counts());
    }

    @Test
    void itEndsAsSoonAsTheAwaitedConditionHolds() {
        beginTwo();
        injector.tick(7_050);
        assertEquals(List.of(), ended);
        repaired.set(true);
        injector.tick(7_100);
        assertEquals(List.of("flip"), ended);
    }

    @Test
    void aFaultThatHadNoChanceIsNotCounted() {
        AtomicBoolean died = new AtomicBoolean();
        Injector armed = new Injector(
                new ClusterView(null, null, null, true),
                Map.of(
                        FaultKind.KILL_BEFORE_REPLY,
                        slot -> Optional.of(
                                new Active("armed", List.of(), 3_000, () -> ended.add("armed")).onlyIf(died::get))),
                List.of(slot(2_000, FaultKind.KILL_BEFORE_REPLY), slot(7_000, FaultKind.KILL_BEFORE_REPLY)),
                words -> {});
        armed.tick(2_000);
        armed.tick(5_000);
        assertEquals(List.of("armed"), ended);
        assertEquals(Map.of(), armed.counts());
        armed.tick(7_000);
        died.set(true);
        armed.tick(10_000);
        assertEquals(Map.of("killBeforeReply", 1), armed.counts());
        assertEquals(2, armed.tried());
    }

    @Test
    void aFaultThatIsNotPossibleYetIsMadeLater() {
        AtomicBoolean possible = new AtomicBoolean();
        List<String> progress = new ArrayList<>();
        Injector waiting = new Injector(
                new ClusterView(null, null, null, true),
                Map.of(FaultKind.STOP, slot -> Optional.of(
                                new Active("stop", List.of(), LASTS_MILLIS, () -> ended.add("stop")))
                        .filter(made -> possible.get())),
                List.of(slot(2_000, FaultKind.STOP), slot(7_000, FaultKind.STOP), slot(9_000, FaultKind.STOP)),
                progress::add);
        waiting.tick(2_000);
        waiting.tick(3_000);
        assertEquals(1, progress.size(), progress::toString);
        possible.set(true);
        waiting.tick(4_000);
        assertEquals(Map.of("stop", 1), waiting.counts());
        possible.set(false);
        waiting.tick(7_000);
        waiting.tick(9_000);
        assertEquals(2, waiting.tried(), "the last one waits, too");
        possible.set(true);
        waiting.tick(12_000);
        waiting.tick(12_001);
        assertEquals(Map.of("stop", 3), waiting.counts());
        assertEquals(3, waiting.tried());
    }

    @Test
    void endAllEndsEveryFaultAtOnce() {
        beginTwo();
        injector.endAll();
        assertEquals(List.of("stop", "flip"), ended);
        injector.tick(9_000);
        assertEquals(Map.of("stop", 1, "bitFlip", 1), injector.counts());
    }
}
