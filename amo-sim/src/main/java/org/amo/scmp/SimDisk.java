package org.amo.scmp;

import java.util.function.LongConsumer;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/** One number on a disk: a write is durable after a while, and lost, or not, in a crash before. */
final class SimDisk {
    private final SimWorld world;
    private final SimProcess process;
    private long durable = Long.MIN_VALUE;
    private long slowUntilMicros = -3_000_001;

    SimDisk(SimWorld world, SimProcess process) {
        this.world = world;
        this.process = process;
    }

    /** The value that a restarted process finds; {@code Long.MIN_VALUE} for none. */
    long durable() {
        return durable;
    }

    private boolean isSlow() {
        return world.nowMicros() < slowUntilMicros;
    }

    /** Whether every write of the last three seconds was quick. */
    boolean isInTime() {
        return world.nowMicros() > slowUntilMicros + 3_000_000;
    }

    void slowDown(long millis) {
        slowUntilMicros = world.nowMicros() + millis * 1_000;
    }

    /** Writes and forces a value, then tells; a process that crashes meanwhile is not told. */
    void write(long value, LongConsumer written) {
        long delay = isSlow() ? world.between(50_000, 2_000_000) : world.between(100, 20_000);
        long life = process.life();
        process.after(delay, () -> {
            if (value < durable) {
                throw new SimViolationException(
                        ScmpScene.STORED_FELL, "the stored latest falls from " + durable + " to " + value);
            }
            durable = value;
            written.accept(value);
        });
        world.after(world.between(0, delay), () -> {
            // It crashed before the disk answered; the bytes may have got there all the same, before the next life
            // reads.
            if (process.life() != life && world.chance(0.3) && !process.isUp()) {
                durable = Math.max(durable, value);
            }
        });
    }
}
