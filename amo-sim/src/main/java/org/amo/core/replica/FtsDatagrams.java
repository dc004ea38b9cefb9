package org.amo.core.replica;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.amo.base.ClientId;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.client.GroupClient;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/**
 * Calls without a connection in the simulation: whether the clients of a run make them, and their planted bugs. Drawn apart from the
 * world, so that other runs stay as they are.
 */
final class FtsDatagrams {
    static final FtsDatagrams NONE = new FtsDatagrams(false, Mutant.NONE);

    private static final double RUNS = 0.25;

    private final boolean on;
    private final Mutant mutant;

    /** Planted violations of the rules for attempts that may arrive again. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(plant = "datagram-refusal-counts", is = "a refusal accounts for an attempt that left as a datagram")
        DATAGRAM_REFUSAL_COUNTS,
        @Bug(plant = "moved-attempt-renumbered", is = "an attempt that follows a datagram takes a new number")
        MOVED_ATTEMPT_RENUMBERED,
        @Bug(plant = "timestamp-at-retry", is = "an attempt that follows another takes its own timestamp")
        TIMESTAMP_AT_RETRY;
    }

    private FtsDatagrams(boolean on, Mutant mutant) {
        this.on = on;
        this.mutant = mutant;
    }

    /** @param without whether the run has no datagrams but with a mutant of them */
    static FtsDatagrams of(long seed, Mutant mutant, boolean without) {
        boolean chosen = new SplittableRandom(seed ^ 0x6461_7461_6772L).nextDouble() < RUNS;
        return new FtsDatagrams(mutant != Mutant.NONE || (chosen && !without), mutant);
    }

    boolean isOn() {
        return on;
    }

    boolean isBroken() {
        return mutant != Mutant.NONE;
    }

    /** Half of the clients move to connections. */
    GroupClient.Datagrams policy(ClientId client) {
        if (!on) {
            return GroupClient.Datagrams.NEVER;
        }
        return (client.low() & 1) == 0 ? GroupClient.Datagrams.FIRST : GroupClient.Datagrams.ALWAYS;
    }

    ClientSession broken(ClientId id, Delivery delivery, RuleSet<SafetyRule> rules, LongSupplier monotonicMillis) {
        return new DatagramMutantSession(id, delivery, rules, mutant, monotonicMillis);
    }
}
