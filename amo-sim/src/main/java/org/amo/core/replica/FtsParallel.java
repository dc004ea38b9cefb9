package org.amo.core.replica;

import java.util.Set;
import org.amo.core.request.Request;

/** Parallel execution by key in the simulation: whether a run has it, and its planted bugs. A client's requests have one key. */
final class FtsParallel {
    private static final int KEYS = 4;

    private final boolean on;
    private final Mutant mutant;

    /** Planted violations of the order. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(plant = "overlap-in-lane", is = "operations with a common key run at the same time")
        OVERLAP_IN_LANE,
        @Bug(plant = "state-while-running", is = "the servant's state is taken while operations run")
        STATE_WHILE_RUNNING;
    }

    FtsParallel(boolean on, Mutant mutant) {
        this.on = on || mutant != Mutant.NONE;
        this.mutant = mutant;
    }

    boolean isOn() {
        return on;
    }

    /** Parts of the servant's state. */
    int keys() {
        return on ? KEYS : 1;
    }

    /** The lanes in which an execution runs. */
    Set<Object> lanes(Execution execution) {
        return mutant == Mutant.OVERLAP_IN_LANE ? Set.of(execution.place()) : Set.of(key(execution.request(), KEYS));
    }

    boolean waitsForState() {
        return mutant != Mutant.STATE_WHILE_RUNNING;
    }

    static int key(Request request, int keys) {
        return Math.floorMod(request.id().client().hashCode(), keys);
    }
}
