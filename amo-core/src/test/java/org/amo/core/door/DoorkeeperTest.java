package org.amo.core.door;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private int looks;

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

    /** The model looks at all connections each time. */
    @Property(tries = 400)
    void theConnectionsThatGiveWayAreThoseThatAWalkOverAllFinds(@ForAll long seed) {
        Random random = new Random(seed);
        DoorLimits limits = new DoorLimits(12, 5, 100, 300, 200, 700);
        Doorkeeper<Integer> port = new Doorkeeper<>(limits);
        List<Known> model = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            int who = step;
            Known known = model.isEmpty() ? null : model.get(random.nextInt(model.size()));
            long bytes = 20L * random.nextInt(6);
            switch (known == null ? 0 : random.nextInt(8)) {
                case 0, 1, 2 -> {
                    String from = "host " + random.nextInt(4);
                    assertEquals(arrived(model, limits, new Known(who, from)), port.arrive(who, from));
                }
                case 3, 4 -> assertEquals(taken(model, limits, known, bytes), port.take(known.id, bytes));
                case 5 -> {
                    port.give(known.id, bytes);
                    known.held -= Math.min(bytes, known.held);
                }
                case 6 -> {
                    port.prove(known.id);
                    known.proved = true;
                }
                default -> {
                    port.leave(known.id);
                    model.remove(known);
                }
            }
            assertEquals(model.size(), port.connections());
            assertEquals(held(model, false), port.held());
        }
    }

    private static final class Known {
        private final int id;
        private final String address;
        private long held;
        private boolean proved;

        private Known(int id, String address) {
            this.id = id;
            this.address = address;
        }
    }

    /** The oldest of the same address, if that has too many, or of the address with most unproved ones. */
    private static Decision<Integer> arrived(List<Known> model, DoorLimits limits, Known newcomer) {
        boolean crowd = model.stream()
                        .filter(each -> each.address.equals(newcomer.address))
                        .count()
                >= limits.connectionsPerAddress();
        if (!crowd && model.size() < limits.connections()) {
            model.add(newcomer);
            return new Decision<>(Outcome.GRANTED, List.of());
        }
        Optional<Known> victim = model.stream()
                .filter(each -> !each.proved && (!crowd || each.address.equals(newcomer.address)))
                .max(Comparator.comparingLong(each -> unproved(model, each.address)));
        if (victim.isEmpty()) {
            return new Decision<>(Outcome.REFUSED, List.of());
        }
        model.remove(victim.get());
        model.add(newcomer);
        return new Decision<>(Outcome.GRANTED, List.of(victim.get().id));
    }

    private static long unproved(List<Known> model, String address) {
        return model.stream()
                .filter(each -> !each.proved && each.address.equals(address))
                .count();
    }

    private static Decision<Integer> taken(List<Known> model, DoorLimits limits, Known known, long bytes) {
        List<Integer> close = new ArrayList<>();
        boolean refused =
                known.held + bytes > (known.proved ? limits.connectionBytes() : limits.unprovedConnectionBytes());
        while (!refused
                && (held(model, false) + bytes > limits.bytes()
                        || (!known.proved && held(model, true) + bytes > limits.unprovedBytes()))) {
            Optional<Known> largest = model.stream()
                    .filter(each -> !each.proved && each.held > 0)
                    .max(Comparator.comparingLong(each -> each.held));
            if (largest.isEmpty()) {
                return new Decision<>(Outcome.WAIT, close);
            }
            refused = !known.proved && largest.get().held <= known.held + bytes;
            if (!refused) {
                model.remove(largest.get());
                close.add(largest.get().id);
            }
        }
        if (refused) {
            model.remove(known);
        } else {
            known.held += bytes;
        }
        return new Decision<>(refused ? Outcome.REFUSED : Outcome.GRANTED, close);
    }

    private static long held(List<Known> model, boolean unprovedOnly) {
        return model.stream()
                .filter(each -> !unprovedOnly || !each.proved)
                .mapToLong(each -> each.held)
                .sum();
    }

    /** A stranger chooses how often it comes. */
    @Test
    void anArrivalAtAFullPortDoesNotLookAtAllAddresses() {
        DoorLimits limits = new DoorLimits(10_000, 10_000, 100, 250, 500, 600);
        Doorkeeper<Integer> port = new Doorkeeper<>(limits);
        for (int connection = 0; connection < 12_000; connection++) {
            Decision<Integer> decision = port.arrive(connection, new Address(connection % 2));
            assertEquals(
                    connection < 10_000 ? List.of() : List.of(connection - 10_000), decision.close(), "the oldest");
        }
        assertTrue(looks < 10 * 12_000, "looks at addresses: " + looks);
    }

    /** Counts the looks at it. */
    private final class Address {
        private final int host;

        private Address(int host) {
            this.host = host;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Address that && host == that.host;
        }

        @Override
        public int hashCode() {
            looks++;
            return host;
        }
    }

    private static Decision<String> granted() {
        return new Decision<>(Outcome.GRANTED, List.of());
    }

    private static Decision<String> refused() {
        return new Decision<>(Outcome.REFUSED, List.of());
    }
}
