package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.amo.sim.SimViolationException;

/** The seeds of entries, for servants that draw random numbers. Drawn apart from the world, so that other runs stay as they are. */
final class FtsDraws {
    /** No servant draws. */
    static final FtsDraws NONE = new FtsDraws(0, false);

    private static final double RUNS = 0.3;

    private final SplittableRandom random;
    private final boolean on;

    /** The entry of each seed. */
    private final Map<Drawn, Long> positions = new HashMap<>();

    /** A seed in a life of the group. */
    private record Drawn(int life, long first, long second) {}

    private FtsDraws(long seed, boolean on) {
        this.random = new SplittableRandom(seed ^ 0x6472_6177_73L);
        this.on = on;
    }

    /**
     * @param wanted whether the servants of this run must draw
     * @param otherBug whether the run has a planted bug of another part
     */
    static FtsDraws of(long seed, boolean wanted, boolean otherBug) {
        boolean chosen = new SplittableRandom(seed ^ 0x6368_6F73_656EL).nextDouble() < RUNS;
        return new FtsDraws(seed, wanted || (chosen && !otherBug));
    }

    Optional<byte[]> next() {
        if (!on) {
            return Optional.empty();
        }
        byte[] seed = new byte[OrderedEntry.SEED_BYTES];
        random.nextBytes(seed);
        return Optional.of(seed);
    }

    /** The number that the servant draws for a request; 0 if it draws none. */
    static long number(Execution execution) {
        if (execution.seed().isEmpty()) {
            return 0;
        }
        ByteBuffer halves = ByteBuffer.wrap(execution.seed().get());
        return (halves.getLong() ^ execution.position()) * 0x9E37_79B9_7F4A_7C15L + execution.index() + 1;
    }

    /** A seed belongs to one entry: numbers of another one would follow from it. */
    void check(int life, Execution execution) {
        if (execution.seed().isEmpty()) {
            return;
        }
        ByteBuffer halves = ByteBuffer.wrap(execution.seed().get());
        Long before = positions.putIfAbsent(new Drawn(life, halves.getLong(), halves.getLong()), execution.position());
        if (before != null && before != execution.position()) {
            throw new SimViolationException(
                    FtsLedger.BROKE, "the seed of the entry at " + before + " is also that of " + execution.position());
        }
    }
}
