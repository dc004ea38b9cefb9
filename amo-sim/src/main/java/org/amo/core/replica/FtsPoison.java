package org.amo.core.replica;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.sim.Faults;
import org.amo.sim.Plant;
import org.amo.sim.Planted;

/**
 * Requests that end the members that run them: which, and which members. Some end all, some a few, and some one member
 * while the others run them. Drawn apart from the world, so that runs without them stay unchanged.
 */
final class FtsPoison {
    private static final double RUNS = 0.25;
    private static final double CALLS = 0.01;
    private static final int MOST = 3;
    private static final int ALL = -1;

    private static final double POWER_LOSSES = 0.1;

    /** Of these members, one runs a request that ends all others, where {@link #cutsPower}. */
    private static final int SMALLEST_GROUP = 3;

    private final SplittableRandom random;
    private final SplittableRandom power;
    private final boolean on;
    private final Mutant mutant;
    /** Whether each of these requests spares one member, whose machine loses power when it has run the request. */
    private final boolean cutsPower;

    private final Map<Long, Integer> victims = new HashMap<>();
    private boolean mayHaveRun;
    private boolean healed;

    /** Planted violations of the protocol. */
    enum Mutant implements Planted {
        NONE("", ""),
        /** Nothing, with the losses of power of {@link #BELIEVES_OLD_NOTES}: without the bug they break no rule. */
        NONE_WHEN_POWER_IS_CUT("", ""),
        ONE_MEMBER_ALONE("skip-by-one-member", "a request is skipped once one member has died of it"),
        WITHOUT_THOSE_THAT_EXECUTED_IT(
                "skip-of-executed",
                "a request is skipped once a majority has died of it, although another member has executed it"),
        WITHOUT_THOSE_THAT_ARE_BLOCKED(
                "blocked-do-not-count", "members that cannot reach a request do not count for the verdict on it"),
        FORGETS_WHAT_IT_RAN("executions-forgotten", "a restarted member has forgotten its executions"),
        BELIEVES_OLD_NOTES("old-notes-believed", "a member trusts its notes after a loss of power"),
        KEEPS_PARTIAL_RUN(
                "partial-run-kept", "a restarted member keeps the partial effects of the request that ended it");

        private final Plant bug;

        Mutant(String plant, String description) {
            bug = new Plant("fts", plant, description);
        }

        @Override
        public Plant bug() {
            return bug;
        }
    }

    FtsPoison(long seed, Faults faults, Mutant mutant) {
        this.random = new SplittableRandom(seed ^ 0x706F_6973_6F6EL);
        this.power = new SplittableRandom(seed ^ 0x706F_7765_72L);
        double chance = mutant == Mutant.NONE ? RUNS : 1;
        this.on = faults != Faults.NONE && random.nextDouble() < chance;
        this.mutant = mutant;
        this.cutsPower = mutant == Mutant.BELIEVES_OLD_NOTES || mutant == Mutant.NONE_WHEN_POWER_IS_CUT;
    }

    boolean isOn() {
        return on;
    }

    SkipRule rule() {
        return switch (mutant) {
            case ONE_MEMBER_ALONE -> (members, words) -> true;
            case WITHOUT_THOSE_THAT_EXECUTED_IT ->
                (members, words) -> SkipRule.isMajority(members, words, EnumSet.of(Word.DIED));
            case WITHOUT_THOSE_THAT_ARE_BLOCKED ->
                (members, words) -> SkipRule.UNANIMOUS.skips(members, words)
                        && SkipRule.isMajority(members, words, EnumSet.of(Word.DIED));
            case NONE, NONE_WHEN_POWER_IS_CUT, FORGETS_WHAT_IT_RAN, BELIEVES_OLD_NOTES, KEEPS_PARTIAL_RUN ->
                SkipRule.UNANIMOUS;
        };
    }

    boolean is(Mutant which) {
        return mutant == which;
    }

    /** A client makes a call. */
    void made(long call) {
        if (!on || victims.size() >= MOST || random.nextDouble() >= CALLS) {
            return;
        }
        victims.put(call, cutsPower ? allButOne() : random.nextDouble() < 0.5 ? ALL : 1 + random.nextInt(0x3F));
    }

    private int allButOne() {
        return ~(1 << random.nextInt(SMALLEST_GROUP));
    }

    /** Whether an ending process loses its unforced notes. */
    boolean powerFails() {
        return on && !healed && power.nextDouble() < POWER_LOSSES;
    }

    /**
     * Whether the machine of a member that has run this call loses power now. With the memory that is left behind that, the call ends
     * this member, too: all members have died of it, and one has answered it.
     */
    boolean cutsPowerBehind(long call) {
        return cutsPower && !healed && victims.replace(call, ALL) != null;
    }

    /** The group cannot skip a request: a former member, or one without notes, may have executed it. */
    void mayHaveRun() {
        mayHaveRun = true;
    }

    /** Ends losses of power. From now on operators have given members the memory for requests that cannot be skipped. */
    void heal() {
        healed = true;
    }

    /**
     * Whether the member sees the error that ends it, as an overflow of the stack. Not in a run with a planted bug: these are about deaths
     * that alone prove nothing.
     */
    boolean showsItsError(long call) {
        return mutant == Mutant.NONE && call % 2 == 0;
    }

    /** Whether the member that runs this call ends. */
    boolean ends(long call, int member) {
        return !(healed && mayHaveRun) && (victims.getOrDefault(call, 0) >> member & 1) != 0;
    }
}
