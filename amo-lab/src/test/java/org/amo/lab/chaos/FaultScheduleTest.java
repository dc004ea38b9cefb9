package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {
    private static final List<FaultKind> ALL = List.of(FaultKind.values());

    @Test
    void theSeedAloneMakesTheSchedule() {
        assertEquals(FaultSchedule.of(7, 60_000, ALL), FaultSchedule.of(7, 60_000, ALL));
        assertNotEquals(FaultSchedule.of(7, 60_000, ALL), FaultSchedule.of(8, 60_000, ALL));
    }

    @Test
    void aFaultEveryFiveSeconds() {
        List<FaultSchedule.Slot> slots = FaultSchedule.of(7, 60_000, ALL);
        assertEquals(12, slots.size());
        for (int i = 1; i < slots.size(); i++) {
            assertEquals(5_000, slots.get(i).atMillis() - slots.get(i - 1).atMillis());
        }
        assertTrue(slots.get(11).atMillis() < 60_000);
    }

    @Test
    void everyKindIsTheFirstChoiceEquallyOften() {
        Map<FaultKind, Integer> first = new EnumMap<>(FaultKind.class);
        FaultSchedule.of(7, 5_000L * 10 * ALL.size(), ALL)
                .forEach(slot -> first.merge(slot.wanted().get(0), 1, Integer::sum));
        assertEquals(new HashSet<>(ALL), first.keySet());
        assertEquals(1, new HashSet<>(first.values()).size(), first.toString());
    }

    @Test
    void anyOtherKindStandsInForOneThatIsNotPossibleButTheClock() {
        for (FaultSchedule.Slot slot : FaultSchedule.of(7, 300_000, ALL)) {
            boolean clockFirst = slot.wanted().get(0) == FaultKind.CLOCK;
            assertEquals(clockFirst ? ALL.size() : ALL.size() - 1, slot.wanted().size());
            assertEquals(slot.wanted().size(), new HashSet<>(slot.wanted()).size(), "each once");
        }
    }

    @Test
    void aMemberJoinsAndLaterOneLeavesAndAllElseIsAsBefore() {
        for (long seed = 1; seed <= 20; seed++) {
            List<FaultSchedule.Slot> usual = FaultSchedule.of(seed, 60_000, List.of(FaultKind.KILL, FaultKind.STOP));
            List<FaultSchedule.Slot> slots = FaultSchedule.withMembers(seed, usual);
            assertEquals(slots, FaultSchedule.withMembers(seed, usual));
            int join = first(slots, FaultKind.JOIN);
            int leave = first(slots, FaultKind.LEAVE);
            assertTrue(0 < join && join < leave && leave < slots.size(), seed + ": " + join + ", " + leave);
            for (int i = 0; i < slots.size(); i++) {
                List<FaultKind> wanted = slots.get(i).wanted();
                List<FaultKind> before = usual.get(i).wanted();
                assertEquals(before, wanted.subList(wanted.size() - before.size(), wanted.size()));
            }
        }
    }

    private static int first(List<FaultSchedule.Slot> slots, FaultKind kind) {
        return (int)
                slots.stream().takeWhile(slot -> !slot.wanted().contains(kind)).count();
    }
}
