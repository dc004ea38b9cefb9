package org.amo.dpg;

import org.amo.sim.SimWorld;

/** The clock of a process, which may run too fast or too slowly. */
final class DpgSimClock {
    private static final long MILLION = 1_000_000;

    private final SimWorld world;
    private final long drift;

    /** @param drift millionths by which the clock is too fast */
    DpgSimClock(SimWorld world, long drift) {
        this.world = world;
        this.drift = drift;
    }

    long nowMicros() {
        return world.nowMicros() * (MILLION + drift) / MILLION;
    }

    /** The time of the world when the clock shows so much. */
    long toWorld(long micros) {
        return drift == 0 || micros == Long.MAX_VALUE ? micros : micros * MILLION / (MILLION + drift) + 1;
    }
}
