package org.amo.core.replica;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Timers that operations set, and those that end the members that fire them. A third recurs for ever, so that there is no snapshot
 * from then on. Drawn apart from the world.
 */
final class FtsTimers {
    private static final double CALLS = 0.04;
    private static final double PERIODIC = 0.3;
    private static final double DEATHS = 0.2;
    private static final double DEATHS_OF_ALL = 0.3;
    private static final int MOST_DEATHS = 6;
    private static final int SMALLEST_GROUP = 3;
    private static final int ALL = -1;

    /** A member is let go after ten seconds, perhaps at several timers. */
    private static final long SETTLE_MILLIS = 60_000;

    private final SplittableRandom random;
    private final Optional<Mutant> mutant;
    private final Map<Long, Timer> setBy = new HashMap<>();
    private final Map<Firing, Integer> victims = new HashMap<>();
    private int deaths;
    private boolean healed;

    /** Planted violations of the protocol. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(
                plant = "timers-unanswered",
                is = "a member whose timers are pending gives a member that asks for its state no answer")
        NO_ANSWER,
        @Bug(
                plant = "holder-unanswered",
                is =
                        "a member that holds a request or timer gives no answer either, and members that cannot reach a timer do not count")
        HOLDS_FOR_EVER,
        @Bug(plant = "timer-counts-undone", is = "a timer counts as executed when its entry is delivered")
        TOLD_BEFORE_IT_RAN;
    }

    /**
     * One that is pending.
     *
     * @param call that set it
     * @param fired how often it has fired
     * @param periodMillis 0 for one that fires once
     */
    record Timer(long dueMillis, long call, int fired, long periodMillis) implements Comparable<Timer> {
        private static final Comparator<Timer> BY_TIME =
                Comparator.comparingLong(Timer::dueMillis).thenComparingLong(Timer::call);

        Optional<Timer> next(long nowMillis) {
            return periodMillis == 0
                    ? Optional.empty()
                    : Optional.of(new Timer(nowMillis + periodMillis, call, fired + 1, periodMillis));
        }

        @Override
        public int compareTo(Timer other) {
            return BY_TIME.compare(this, other);
        }
    }

    private record Firing(long call, int fired) {}

    /** @param mutant empty in a run without timers */
    FtsTimers(long seed, Optional<Mutant> mutant) {
        this.random = new SplittableRandom(seed ^ 0x7469_6D65_7273L);
        this.mutant = mutant;
    }

    boolean isOn() {
        return mutant.isPresent();
    }

    boolean is(Mutant which) {
        return mutant.equals(Optional.of(which));
    }

    /** A client makes a call. */
    void made(long call) {
        if (isOn() && random.nextDouble() < CALLS) {
            long delay = random.nextLong(10, 3_000);
            long period = random.nextDouble() < PERIODIC ? random.nextLong(300, 2_000) : 0;
            setBy.put(call, new Timer(delay, call, 0, period));
        }
    }

    /** The timer that the execution of this call sets. */
    Optional<Timer> setBy(long call, long nowMillis) {
        return Optional.ofNullable(setBy.get(call))
                .map(timer -> new Timer(nowMillis + timer.dueMillis(), call, 0, timer.periodMillis()));
    }

    /** Whether the member that fires this timer ends. */
    boolean ends(Timer timer, int member) {
        int ended = victims.computeIfAbsent(new Firing(timer.call(), timer.fired()), firing -> newVictims());
        return !healed && (ended >> member & 1) != 0;
    }

    private int newVictims() {
        if (healed || deaths == MOST_DEATHS || random.nextDouble() >= DEATHS) {
            return 0;
        }
        deaths++;
        return random.nextDouble() < DEATHS_OF_ALL ? ALL : 1 << random.nextInt(SMALLEST_GROUP);
    }

    /** Whether a member with pending timers says so to the one that asked for its state. */
    boolean answers(boolean holds) {
        return !is(Mutant.NO_ANSWER) && !(holds && is(Mutant.HOLDS_FOR_EVER));
    }

    SkipRule rule(SkipRule shipped) {
        return is(Mutant.HOLDS_FOR_EVER)
                ? (members, words) ->
                        shipped.skips(members, words) && SkipRule.isMajority(members, words, EnumSet.of(Word.DIED))
                : shipped;
    }

    /** From now on operators have given all members the stack that they need. */
    void heal() {
        healed = true;
    }

    /** The time that members need until all have gone on. */
    long settleMillis() {
        return isOn() ? SETTLE_MILLIS : 0;
    }
}
