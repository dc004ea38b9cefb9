package org.amo.core.door;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.core.door.Doorkeeper.Decision;
import org.amo.core.door.Doorkeeper.Outcome;
import org.junit.jupiter.api.Test;

final class DoorkeeperTest {
    private static final DoorLimits LIMITS = new DoorLimits(4, 3, 100, 250, 500, 600);

    private final Doorkeeper<String> keeper = new Doorkeeper<>(LIMITS);

    @Test
    void anArrivalAtAFullPortTakesThePlaceOfTheOldestUnprovedOne() {
        for (String each : List.of("a", "b", "c", "d")) {
            assertEquals(granted(), keeper.arrive(each, "host " + each));
        }
        keeper.prove("a");
        assertEquals(new Decision<>(Outcome.GRANTED, List.of("b")), keeper.arrive("e", "host e"));
        List.of("c", "d", "e").forEach(keeper::prove);
        assertEquals(refused(), keeper.arrive("f", "host f"));
        assertEquals(4, keeper.connections());
    }

    @Test
    void theAddressWithMostUnprovedConnectionsGivesWayFirst() {
        keeper.arrive("honest", "elsewhere");
        keeper.arrive("x", "flood");
        keeper.arrive("y", "flood");
        keeper.arrive("z", "flood");
        assertEquals(new Decision<>(Outcome.GRANTED, List.of("x")), keeper.arrive("new", "third"));
    }

    @Test
    void anAddressHasItsOwnLimit() {
        List.of("a", "b", "c").forEach(each -> keeper.arrive(each, "one"));
        assertEquals(new Decision<>(Outcome.GRANTED, List.of("a")), keeper.arrive("d", "one"));
        List.of("b", "c", "d").forEach(keeper::prove);
        assertEquals(refused(), keeper.arrive("e", "one"));
        assertEquals(granted(), keeper.arrive("e", "two"));
        keeper.leave("b");
        assertEquals(granted(), keeper.arrive("f", "one"));
    }

    @Test
    void aConnectionBeyondItsOwnLimitIsRefusedAndHoldsNothingMore() {
        keeper.arrive("a", "one");
        assertEquals(granted(), keeper.take("a", 100));
        assertEquals(refused(), keeper.take("a", 1));
        assertEquals(0, keeper.held());
        assertEquals(refused(), keeper.take("a", 1));
    }

    @Test
    void theLargestUnprovedConnectionGivesWay() {
        List.of("a", "b", "c").forEach(each -> keeper.arrive(each, each));
        keeper.take("a", 90);
        keeper.take("b", 100);
        assertEquals(new Decision<>(Outcome.GRANTED, List.of("b")), keeper.take("c", 80));
        assertEquals(170, keeper.held());
    }

    @Test
    void theOneThatAsksGivesWayIfItIsTheLargest() {
        List.of("a", "b", "c").forEach(each -> keeper.arrive(each, each));
        keeper.take("a", 90);
        keeper.take("b", 90);
        keeper.take("c", 60);
        assertEquals(refused(), keeper.take("c", 40));
        assertEquals(180, keeper.held());
    }

    @Test
    void provedConnectionsWaitForEachOtherWhenNoUnprovedOneIsLeftToClose() {
        List.of("a", "b", "c").forEach(each -> keeper.arrive(each, each));
        keeper.prove("a");
        keeper.prove("b");
        keeper.take("a", 400);
        keeper.take("b", 150);
        keeper.take("c", 50);
        assertEquals(new Decision<>(Outcome.WAIT, List.of("c")), keeper.take("b", 100));
        keeper.give("a", 50);
        assertEquals(granted(), keeper.take("b", 100));
        assertEquals(600, keeper.held());
    }

    @Test
    void limitsThatContradictEachOtherAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new DoorLimits(1, 1, 100, 50, 100, 100));
        assertThrows(IllegalArgumentException.class, () -> new DoorLimits(1, 1, 100, 100, 50, 100));
        assertThrows(IllegalArgumentException.class, () -> new DoorLimits(0, 1, 1, 1, 1, 1));
    }

    @Property(tries = 300)
    void noLimitIsEverExceededAndNoProvedConnectionIsClosedForAnother(@ForAll long seed) {
        Random random = new Random(seed);
        Doorkeeper<Integer> port = new Doorkeeper<>(LIMITS);
        Map<Integer, Long> held = new HashMap<>();
        Map<Integer, String> address = new HashMap<>();
        Set<Integer> proved = new HashSet<>();
        for (int step = 0; step < 200; step++) {
            int who = random.nextInt(12);
            long bytes = 1L + random.nextInt(120);
            Decision<Integer> decision = new Decision<>(Outcome.GRANTED, List.of());
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    if (!held.containsKey(who)) {
                        address.put(who, "host " + who % 4);
                        decision = port.arrive(who, address.get(who));
                        if (decision.outcome() == Outcome.GRANTED) {
                            held.put(who, 0L);
                        }
                    }
                }
                case 2, 3 -> {
                    decision = port.take(who, bytes);
                    if (decision.outcome() == Outcome.GRANTED) {
                        held.merge(who, bytes, Long::sum);
                    } else if (decision.outcome() == Outcome.REFUSED) {
                        held.remove(who);
                        proved.remove(who);
                    }
                }
                case 4 -> {
                    if (held.containsKey(who)) {
                        long less = Math.min(held.get(who), bytes);
                        port.give(who, less);
                        held.merge(who, -less, Long::sum);
                    }
                }
                default -> {
                    if (held.containsKey(who)) {
                        port.prove(who);
                        proved.add(who);
                    }
                }
            }
            for (int closed : decision.close()) {
                assertTrue(!proved.contains(closed), "a proved connection was closed");
                held.remove(closed);
            }
            long all = held.values().stream().mapToLong(Long::longValue).sum();
            long unproved = held.entrySet().stream()
                    .filter(each -> !proved.contains(each.getKey()))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            assertEquals(all, port.held());
            assertEquals(held.size(), port.connections());
            assertTrue(all <= LIMITS.bytes() && unproved <= LIMITS.unprovedBytes());
            assertTrue(held.size() <= LIMITS.connections());
        }
    }

    private static Decision<String> granted() {
        return new Decision<>(Outcome.GRANTED, List.of());
    }

    private static Decision<String> refused() {
        return new Decision<>(Outcome.REFUSED, List.of());
    }
}
