package org.amo.core.replica;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;

/**
 * Clients that note their open calls and recover them after a crash: whether those of a run do, and their planted bugs. Drawn apart from
 * the world, so that other runs stay as they are.
 */
final class FtsIdentities {
    static final FtsIdentities NONE = new FtsIdentities(0, false, Mutant.NONE);

    private static final double RUNS = 0.25;
    private static final double SLOW = 0.2;
    private static final double CRASH_AT_REFUSAL = 0.5;
    private static final long MOST_PAUSE_MICROS = 3_000_000;

    private final SplittableRandom random;
    private final boolean on;
    private final Mutant mutant;

    /** Planted violations of the rules for clients that recover calls. */
    enum Mutant implements FtsPlanted {
        NONE,
        @Bug(plant = "numbers-reused", is = "a client comes back with its id of before, and numbers from 1")
        NUMBERS_REUSED,
        @Bug(plant = "noted-late", is = "an attempt leaves before its call is noted")
        NOTED_LATE,
        @Bug(
                plant = "refusal-unnoted",
                is = "an application is told of a call that is not executed before that is noted")
        REFUSAL_UNNOTED,
        @Bug(plant = "unhandled-acknowledged", is = "a reply is acknowledged before the application has handled it")
        UNHANDLED_ACKNOWLEDGED,
        @Bug(plant = "recovered-renumbered", is = "a call of a former life is sent under a new number")
        RECOVERED_RENUMBERED;
    }

    /**
     * The open calls of one life of a client, which a crash does not take.
     *
     * @param open by number
     */
    record Life(ClientId id, Map<Long, Noted> open) {
        Life(ClientId id) {
            this(id, new LinkedHashMap<>());
        }
    }

    /**
     * A call that is not finished.
     *
     * @param groupLife in which its number was taken
     * @param isRefused whether it is certain not to run
     */
    record Noted(long token, ClientCall.Identity identity, int groupLife, boolean isRefused) {
        Noted refused() {
            return new Noted(token, identity, groupLife, true);
        }
    }

    private FtsIdentities(long seed, boolean on, Mutant mutant) {
        this.random = new SplittableRandom(seed ^ 0x6964_656E_7469_7479L);
        this.on = on;
        this.mutant = mutant;
    }

    /** @param without whether the run has no identities but with a mutant of them */
    static FtsIdentities of(long seed, Mutant mutant, boolean without) {
        boolean chosen = new SplittableRandom(seed ^ 0x6964_656E_74L).nextDouble() < RUNS;
        return new FtsIdentities(seed, mutant != Mutant.NONE || (chosen && !without), mutant);
    }

    boolean isOn() {
        return on;
    }

    Mutant mutant() {
        return mutant;
    }

    /** Crashes clients now and then, beside the crashes of other runs. */
    void start(FtsGroup group) {
        if (!on || group.isCalm()) {
            return;
        }
        group.world().after(random.nextLong(1, MOST_PAUSE_MICROS), () -> {
            List<FtsClient> clients = group.clients();
            crash(group, clients.get(random.nextInt(clients.size())));
            start(group);
        });
    }

    /** The application has just been told that a call is not executed. */
    void onRefusal(FtsGroup group, FtsClient client) {
        if (on && random.nextDouble() < CRASH_AT_REFUSAL) {
            group.world().after(1, () -> crash(group, client));
        }
    }

    private void crash(FtsGroup group, FtsClient client) {
        if (group.isCalm() || !client.process().isUp()) {
            return;
        }
        group.world().fault("clientCrash");
        client.crash();
        group.world().after(random.nextLong(1, random.nextBoolean() ? 5_000 : 1_000_000), () -> {
            if (!client.process().isUp()) {
                client.restart();
            }
        });
    }

    /** How long an application takes for an outcome. */
    long handlingMicros() {
        return random.nextDouble() < SLOW ? random.nextLong(100_000, 1_500_000) : random.nextLong(1, 20_000);
    }

    /** How late the careless client notes a call. */
    long lateMicros() {
        return random.nextLong(1, 400_000);
    }
}
