package org.amo.core.replica;

import java.util.SplittableRandom;
import org.amo.sim.Faults;

/**
 * Executions with another result at one member than at the others: once, or at each replay; in the reply, or in the state alone. Drawn apart
 * from the world.
 */
final class FtsDivergence {
    private static final double RUNS = 0.3;
    private static final double CALLS = 0.01;
    private static final int MOST = 3;

    private final SplittableRandom random;
    private final boolean on;
    private final DetectorBug bug;
    private final ReplicaSettings.Divergence comparison;
    private final int victim;
    private final boolean everyTime;
    private final boolean inStateAlone;
    private final boolean takesState;
    private int left = MOST;
    private long call = -1;
    private boolean healed;

    /**
     * @param others whether a run of this seed has faults that mix badly with these
     * @param otherBug whether the run has a planted bug of another part; then members do not compare their digests
     */
    FtsDivergence(long seed, Faults faults, boolean others, DetectorBug bug, boolean otherBug) {
        this.random = new SplittableRandom(seed ^ 0x6469_7665_7267_65L);
        this.bug = bug;
        double chance = bug == DetectorBug.NONE ? RUNS : 1;
        this.on = random.nextDouble() < chance && faults != Faults.NONE && !others && !otherBug;
        this.comparison = otherBug ? ReplicaSettings.Divergence.OFF : ReplicaSettings.Divergence.STOP;
        this.victim = random.nextInt(3);
        this.everyTime = random.nextDouble() < 0.3;
        this.inStateAlone = random.nextDouble() < 0.3;
        this.takesState = everyTime || random.nextDouble() < 0.7;
    }

    boolean isOn() {
        return on;
    }

    ReplicaSettings.Divergence comparison() {
        return comparison;
    }

    DetectorBug bug() {
        return bug;
    }

    /** Whether a diverged member takes the state of another one; else it ends, and replays. */
    boolean takesState() {
        return takesState;
    }

    boolean isInStateAlone() {
        return inStateAlone;
    }

    /** A client makes a call. */
    void made(long made) {
        if (on && left > 0 && !healed && call < 0 && random.nextDouble() < CALLS) {
            left--;
            call = made;
        }
    }

    /** From now on executions are equal everywhere. */
    void heal() {
        healed = true;
    }

    /** Whether this execution has another result at this member. */
    boolean differs(long executed, int member) {
        if (healed || member != victim || executed != call) {
            return false;
        }
        if (!everyTime) {
            call = -1;
        }
        return true;
    }
}
