package org.amo.core.replica;

import java.util.SplittableRandom;
import org.amo.sim.Plant;
import org.amo.sim.Planted;

/**
 * Style passive in the simulation: whether a run has it, its planted bugs, and the draws of its servants, which no two executions
 * make alike. Drawn apart from the world.
 */
final class FtsPassive {
    private static final double MANY_LOST = 0.2;
    private static final double MANY_SLOW = 0.3;

    private final boolean on;
    private final Mutant mutant;
    private final SplittableRandom random;

    /** Planted violations of the protocol. */
    enum Mutant implements Planted {
        NONE("", ""),
        REPLY_BEFORE_OUTCOME("reply-before-outcome", "the primary answers before the order has accepted the outcome"),
        SECOND_UPDATE_WINS("second-update-wins", "an outcome counts although it does not rest on the accepted ones"),
        CHAIN_LOST_FROM_SNAPSHOT("chain-lost-from-snapshot", "a snapshot does not hold the chain of outcomes");

        private final String plant;
        private final String description;

        Mutant(String plant, String description) {
            this.plant = plant;
            this.description = description;
        }

        @Override
        public Plant bug() {
            return new Plant("fts", plant, description);
        }

        /** Whether former primaries go on to order their outcomes, as is safe: alone, a leader orders them in their order. */
        boolean insists() {
            return this == SECOND_UPDATE_WINS;
        }

        UpdateChain chain() {
            return switch (this) {
                case SECOND_UPDATE_WINS ->
                    new UpdateChain() {
                        @Override
                        boolean restsOnAccepted(RunOutcome outcome) {
                            return true;
                        }
                    };
                case CHAIN_LOST_FROM_SNAPSHOT ->
                    new UpdateChain() {
                        @Override
                        UpdateChain copy() {
                            return new UpdateChain();
                        }
                    };
                case NONE, REPLY_BEFORE_OUTCOME -> new UpdateChain();
            };
        }
    }

    FtsPassive(long seed, boolean on, Mutant mutant) {
        this.on = on || mutant != Mutant.NONE;
        this.mutant = mutant;
        this.random = new SplittableRandom(seed ^ 0x7061_7373_6976_65L);
    }

    boolean isOn() {
        return on;
    }

    Mutant mutant() {
        return mutant;
    }

    ReplicaSettings.Style style() {
        return on ? ReplicaSettings.Style.PASSIVE : ReplicaSettings.Style.ACTIVE;
    }

    /** Makes the way into the order so bad that outcomes overtake each other. */
    void spoil(SimRaft.Conditions conditions) {
        if (mutant.insists()) {
            conditions.submissionLost = MANY_LOST;
            conditions.submissionSlow = MANY_SLOW;
        }
    }

    /** A number that the servant draws in an execution. */
    long draw() {
        return random.nextLong();
    }
}
