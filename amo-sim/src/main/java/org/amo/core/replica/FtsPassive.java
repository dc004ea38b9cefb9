package org.amo.core.replica;

import java.util.List;
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
        CHAIN_LOST_FROM_SNAPSHOT("chain-lost-from-snapshot", "a snapshot does not hold the chain of outcomes"),
        PART_OF_DEAD_PRIMARY_COUNTS(
                "part-of-dead-primary-counts", "pieces of an outcome count whichever pieces stand before them");

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

        /** Whether outcomes stand in several entries. */
        boolean cuts() {
            return this == PART_OF_DEAD_PRIMARY_COUNTS;
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
                case PART_OF_DEAD_PRIMARY_COUNTS ->
                    new UpdateChain() {
                        @Override
                        boolean begins(RunOutcome piece, long incarnation) {
                            return !isGathering() && super.begins(piece, incarnation);
                        }

                        @Override
                        boolean continues(RunOutcome outcome) {
                            return isGathering();
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

    /** Of the entries that carry an outcome of several executions: each piece has the update of one. */
    static List<RunOutcome> cut(RunOutcome whole, long incarnation) {
        int piece = FtsServant.Update.EXECUTION_BYTES;
        return OutcomePieces.split(whole, incarnation, 2 * piece, piece);
    }

    /** A number that the servant draws in an execution. */
    long draw() {
        return random.nextLong();
    }
}
