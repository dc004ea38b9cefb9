package org.amo.core.replica;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.amo.core.reply.Shares;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.sim.Faults;

/**
 * A principal that takes all it can get and acknowledges nothing, beside honest ones. Drawn apart from the world, so
 * that runs without it stay unchanged.
 */
final class FtsGreed {
    static final Principal GREEDY = Principal.credential("greedy");
    static final Principal HONEST = Principal.credential("honest");

    private static final double RUNS = 0.2;
    private static final int OWN_ENTRIES = 200;

    /**
     * Two principals that both want more get two fifths each. Honest foreign clients acknowledge nothing either: two of
     * them keep up to 32 entries until they expire.
     */
    private static final int FOREIGN_ENTRIES = 120;

    private static final int CLIENTS = 120;

    private final boolean on;
    private final Mutant mutant;

    /** Planted violations of the rule about shares. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(plant = "share-asked-locally", is = "a member decides about a share by the entries that it keeps itself")
        SHARE_ASKED_LOCALLY,
        @Bug(plant = "share-not-charged", is = "the entries that a principal holds do not count against its share")
        SHARE_NOT_CHARGED,
        @Bug(plant = "share-released-at-refusal", is = "a refused request gives back a share that it never got")
        SHARE_RELEASED_AT_REFUSAL;
    }

    FtsGreed(long seed, Faults faults, Mutant mutant) {
        double chance = mutant == Mutant.NONE ? RUNS : 1;
        this.on = faults != Faults.NONE && new SplittableRandom(seed ^ 0x6772_6565_64L).nextDouble() < chance;
        this.mutant = mutant;
    }

    boolean isOn() {
        return on;
    }

    /** Budgets that the greedy one would fill many times, with room for the honest ones beside its share. */
    void limit(GroupParameters.Builder parameters, int charge) {
        if (on) {
            parameters
                    .budgetBytes((long) OWN_ENTRIES * charge)
                    .foreignBudgetBytes((long) FOREIGN_ENTRIES * charge)
                    .maxClients(CLIENTS);
        }
    }

    /** No member ever has more live entries. */
    boolean isWithinBudget(long entries) {
        return !on || entries <= OWN_ENTRIES + FOREIGN_ENTRIES;
    }

    /** @param keptBytes of replies at the member that asks: a local fact */
    LongFunction<Shares> shares(LongSupplier keptBytes) {
        return switch (mutant) {
            case NONE -> Shares::new;
            case SHARE_ASKED_LOCALLY -> seed -> new AskingLocally(seed, keptBytes);
            case SHARE_NOT_CHARGED -> NotCharging::new;
            case SHARE_RELEASED_AT_REFUSAL -> ReleasingAtRefusal::new;
        };
    }

    private static final class AskingLocally extends Shares {
        private final LongSupplier keptBytes;

        AskingLocally(long seed, LongSupplier keptBytes) {
            super(seed);
            this.keptBytes = keptBytes;
        }

        @Override
        public Optional<Budget> shortage(Principal principal, long clientBytes, long more, Division division) {
            return super.shortage(principal, clientBytes + keptBytes.getAsLong() / 50, more, division);
        }
    }

    private static final class NotCharging extends Shares {
        NotCharging(long seed) {
            super(seed);
        }

        @Override
        public Optional<Budget> shortage(Principal principal, long clientBytes, long more, Division division) {
            return super.shortage(Principal.credential("holds nothing"), clientBytes, more, division);
        }
    }

    private static final class ReleasingAtRefusal extends Shares {
        ReleasingAtRefusal(long seed) {
            super(seed);
        }

        @Override
        public Optional<Budget> shortage(Principal principal, long clientBytes, long more, Division division) {
            Optional<Budget> exhausted = super.shortage(principal, clientBytes, more, division);
            if (exhausted.isPresent() && clients(principal) > 0) {
                int place = join(principal);
                charge(place, -more);
                leave(place);
            }
            return exhausted;
        }
    }
}
