package org.amo.dpg;

import org.amo.sim.SimWorld;

/**
 * The clock of a process.
 *
 * @param drift millionths by which it is too fast, or below 0 too slow
 */
record DpgSimClock(SimWorld world, long drift) {
    private static final long MILLION = 1_000_000;

    long nowMicros() {
        return world.nowMicros() * (MILLION + drift) / MILLION;
    }

    /** The time of the world when the clock shows so much. */
    long toWorld(long micros) {
        return drift == 0 || micros == Long.MAX_VALUE ? micros : micros * MILLION / (MILLION + drift) + 1;
    }
}
