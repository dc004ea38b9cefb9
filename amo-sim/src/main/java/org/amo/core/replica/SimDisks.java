package org.amo.core.replica;

import java.util.Optional;
import java.util.SplittableRandom;
import org.amo.core.order.LogRepair;
import org.amo.core.order.LogTail;
import org.amo.sim.Faults;

/**
 * The disks under the members' logs, and how they fail: bits that flip in a record, in the snapshot or in the term, records torn by a
 * crash, writes that a disk reported and lost, syncs that fail, appends that fail when the leader has sent the entry, disks
 * without room. Drawn apart from the world, so that runs without them stay unchanged.
 *
 * <p>At most one member is damaged at a time: more than a minority is beyond repair, and then the group stands still.
 */
final class SimDisks {
    private final SplittableRandom random;
    /** Of the appends that fail, which are drawn apart from all else. */
    private final SplittableRandom appends;

    private final Mutant mutant;
    private final boolean appendsFail;
    private boolean on;
    private final double often;

    /** A member, or a group of members, that does otherwise than the rules say. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(plant = "damaged-votes", is = "a member votes, and may lead, while its log is damaged")
        VOTES,
        @Bug(plant = "damage-taken-for-crash", is = "a damaged end of the log is cut off as if a crash had torn it")
        CUTS,
        @Bug(
                plant = "append-failed-leads-on",
                is = "a leader sends an entry, fails to append it, and gives its place to the next one")
        LEADS_ON,
        @Bug(plant = "sync-retried", is = "a sync that failed is tried again, and the second one says that all is well")
        RETRIES,
        @Bug(plant = "full-acknowledged", is = "a member whose disk is full acknowledges what it could not write")
        FULL,
        @Bug(plant = "record-unchecked", is = "a record with a flipped bit is taken for what was written")
        TRUSTS,
        @Bug(plant = "snapshot-unchecked", is = "a snapshot with a flipped bit is taken for what was written")
        TRUSTS_SNAPSHOT,
        @Bug(plant = "lost-term-follows", is = "a member that lost its term and vote follows any leader at once")
        FORGETS;
    }

    /** A kind of damage to a disk. */
    enum Damage {
        /** A bit of a record flipped. */
        RECORD,
        /** The last records were reported as written, and are not there. */
        LOST_WRITE,
        /** A bit of the snapshot flipped. */
        SNAPSHOT,
        /** Bits of both copies of the term and the vote flipped. */
        TERM
    }

    /** @param planted whether any rule is taken out: then appends fail only for the mutant that needs it */
    SimDisks(long seed, Faults faults, Mutant mutant, boolean planted) {
        this.random = new SplittableRandom(seed ^ 0x6469_736bL);
        this.appends = new SplittableRandom(seed ^ 0x6170_7065_6e64L);
        this.mutant = mutant;
        this.appendsFail = mutant == Mutant.LEADS_ON || (!planted && appends.nextDouble() < 0.3);
        this.often = mutant == Mutant.NONE ? 0.5 : 1;
        this.on = faults != Faults.NONE && random.nextDouble() < often;
    }

    /** From now on nothing fails. */
    void heal() {
        on = false;
    }

    /** The damage that a crash leaves; empty for none. */
    Optional<Damage> damageAtCrash() {
        if (on && mutant == Mutant.FORGETS) {
            // It shows only where a leader that was replaced has not heard of that.
            return Optional.of(Damage.TERM);
        }
        if (!on || random.nextDouble() >= 0.4 * often) {
            return Optional.empty();
        }
        double kind = random.nextDouble();
        if (kind < 0.15) {
            return Optional.of(Damage.SNAPSHOT);
        }
        if (kind < 0.4) {
            return Optional.of(Damage.LOST_WRITE);
        }
        return Optional.of(kind < 0.85 ? Damage.RECORD : Damage.TERM);
    }

    /**
     * Whether a leader that was cut off comes back when the others have elected another one, which stands still, and a voter has crashed:
     * mostly the voter would hear of the new term first.
     */
    boolean bringsBackOldLeaders() {
        return on && mutant == Mutant.FORGETS;
    }

    /** Whether a crash leaves a record behind that it tore. */
    boolean tears() {
        return on && random.nextDouble() < 0.5;
    }

    boolean syncFails() {
        return on && random.nextDouble() < (mutant == Mutant.RETRIES ? 0.004 : 0.0005);
    }

    /** An entry that a leader has sent does not get into its own log, as for want of memory. */
    boolean appendFails() {
        return on && appendsFail && appends.nextDouble() < (mutant == Mutant.LEADS_ON ? 0.01 : 0.002);
    }

    boolean leavesTermAfterFailedAppend() {
        return mutant != Mutant.LEADS_ON;
    }

    /** A disk that is about to be written to becomes full. */
    boolean becomesFull() {
        return on && random.nextDouble() < (mutant == Mutant.FULL ? 0.004 : 0.001);
    }

    /** From 0 to less than a bound. */
    int draw(int bound) {
        return random.nextInt(bound);
    }

    long between(long least, long most) {
        return random.nextLong(least, most + 1);
    }

    boolean stopsAfterFailedSync() {
        return mutant != Mutant.RETRIES;
    }

    boolean acknowledgesWithoutRoom() {
        return mutant == Mutant.FULL;
    }

    boolean checksRecords() {
        return mutant != Mutant.TRUSTS;
    }

    boolean checksSnapshots() {
        return mutant != Mutant.TRUSTS_SNAPSHOT;
    }

    LogTail tail() {
        return mutant == Mutant.CUTS ? new MutantHooks.CarelessTail() : new LogTail();
    }

    LogRepair repair(LogRepair.Damage damage) {
        return new LogRepair(damage) {
            @Override
            public boolean mayVote() {
                return mutant == Mutant.VOTES || super.mayVote();
            }

            @Override
            public boolean mayFollow() {
                return mutant == Mutant.FORGETS || super.mayFollow();
            }
        };
    }
}
