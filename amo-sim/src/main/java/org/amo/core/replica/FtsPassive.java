package org.amo.core.replica;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Style passive in the simulation: whether a run has it, its planted bugs, and the draws of its servants, which no two executions
 * make alike. Drawn apart from the world.
 */
final class FtsPassive {
    private static final double MANY_LOST = 0.2;
    private static final double MANY_SLOW = 0.3;
    private static final double WITH_UNDONE = 0.3;
    private static final double UNDONE = 0.03;

    private final boolean on;
    private final Mutant mutant;
    private final SplittableRandom random;
    private final SplittableRandom failures;
    private final boolean fails;

    /** Planted violations of the protocol. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(plant = "reply-before-outcome", is = "the primary answers before the order has accepted the outcome")
        REPLY_BEFORE_OUTCOME,
        @Bug(plant = "second-update-wins", is = "an outcome counts although it does not rest on the accepted ones")
        SECOND_UPDATE_WINS,
        @Bug(plant = "chain-lost-from-snapshot", is = "a snapshot does not hold the chain of outcomes")
        CHAIN_LOST_FROM_SNAPSHOT,
        @Bug(
                plant = "part-of-dead-primary-counts",
                is = "pieces of an outcome count whichever pieces stand before them")
        PART_OF_DEAD_PRIMARY_COUNTS,
        @Bug(
                plant = "pieces-lost-from-snapshot",
                is = "a snapshot between the pieces of an outcome does not know of them")
        PIECES_LOST_FROM_SNAPSHOT,
        @Bug(
                plant = "undone-counts-as-done",
                is = "a backup takes a run that the group has undone for one that is done")
        UNDONE_COUNTS_AS_DONE;

        /** Whether former primaries go on to order their outcomes, as is safe: alone, a leader orders them in their order. */
        boolean insists() {
            return this == SECOND_UPDATE_WINS;
        }

        /** Whether outcomes stand in several entries. */
        boolean cuts() {
            return this == PART_OF_DEAD_PRIMARY_COUNTS || this == PIECES_LOST_FROM_SNAPSHOT;
        }

        /** An accepted outcome, as the member takes it. */
        OutcomeOrder.Accepted taken(OutcomeOrder.Accepted outcome) {
            return this == UNDONE_COUNTS_AS_DONE && !outcome.own()
                    ? new OutcomeOrder.Accepted(outcome.executions(), outcome.replies(), outcome.update(), false, false)
                    : outcome;
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
                case PIECES_LOST_FROM_SNAPSHOT ->
                    new UpdateChain() {
                        @Override
                        UpdateChain copy() {
                            UpdateChain copy = withoutPieces();
                            copy.restore(super.copy());
                            return copy;
                        }
                    };
                case NONE, REPLY_BEFORE_OUTCOME, UNDONE_COUNTS_AS_DONE -> new UpdateChain();
            };
        }
    }

    FtsPassive(long seed, boolean on, Mutant mutant) {
        this.on = on || mutant != Mutant.NONE;
        this.mutant = mutant;
        this.random = new SplittableRandom(seed ^ 0x7061_7373_6976_65L);
        this.failures = new SplittableRandom(seed ^ 0x756E_646F_6E65L);
        boolean chosen = mutant == Mutant.NONE && failures.nextDouble() < WITH_UNDONE;
        this.fails = this.on && (chosen || mutant == Mutant.UNDONE_COUNTS_AS_DONE);
    }

    /** Its snapshots hold no pieces. */
    private static UpdateChain withoutPieces() {
        return new UpdateChain() {
            @Override
            boolean isGathering() {
                return false;
            }
        };
    }

    /** Whether the servant fails to give an update behind the next run. */
    boolean failsToGiveUpdate() {
        return fails && failures.nextDouble() < UNDONE;
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
