package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Plans the times and kinds of faults from the seed alone. The faults made also depend on the state of the replicas:
 * a fault that would leave no majority gives way to the next one of its slot.
 */
final class FaultSchedule {
    static final long EVERY_MILLIS = 5_000;
    private static final long FIRST_MILLIS = 2_000;

    private FaultSchedule() {}

    /**
     * One fault.
     *
     * @param atMillis from the beginning of the load
     * @param wanted the kinds in the order of preference: the first that is possible
     * @param target from 0 to 1, to choose a replica
     * @param strength from 0 to 1, to choose how long or how much
     * @param side from 0 to 1, to choose between two variants
     */
    record Slot(long atMillis, List<FaultKind> wanted, double target, double strength, double side) {}

    /**
     * The same with one that joins and later one that leaves: from a slot on that the seed draws they are the first
     * choice, until they were possible.
     */
    static List<Slot> withMembers(long seed, List<Slot> slots) {
        Random random = new Random(~seed);
        int join = 1 + random.nextInt(Math.max(1, slots.size() / 3));
        int leave = join + 2 + random.nextInt(Math.max(1, slots.size() / 3));
        List<Slot> all = new ArrayList<>();
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            List<FaultKind> wanted = new ArrayList<>();
            if (i >= leave) {
                wanted.add(FaultKind.LEAVE);
            }
            if (i >= join) {
                wanted.add(FaultKind.JOIN);
            }
            wanted.addAll(slot.wanted());
            all.add(new Slot(slot.atMillis(), List.copyOf(wanted), slot.target(), slot.strength(), slot.side()));
        }
        return all;
    }

    /** Each kind is the first choice equally often, in an order that the seed draws. */
    static List<Slot> of(long seed, long durationMillis, List<FaultKind> kinds) {
        Random random = new Random(seed);
        List<Slot> slots = new ArrayList<>();
        List<FaultKind> bag = new ArrayList<>();
        for (long at = FIRST_MILLIS; at < durationMillis; at += EVERY_MILLIS) {
            if (bag.isEmpty()) {
                bag.addAll(kinds);
                Collections.shuffle(bag, random);
            }
            List<FaultKind> rest = new ArrayList<>(kinds);
            Collections.shuffle(rest, random);
            List<FaultKind> wanted = new ArrayList<>(List.of(bag.remove(0)));
            rest.removeAll(wanted);
            // Always possible, so that it would stand in for all that are not.
            rest.remove(FaultKind.CLOCK);
            wanted.addAll(rest);
            slots.add(new Slot(at, List.copyOf(wanted), random.nextDouble(), random.nextDouble(), random.nextDouble()));
        }
        return slots;
    }
}
