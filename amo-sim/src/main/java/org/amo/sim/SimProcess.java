package org.amo.sim;

/**
 * A process on a machine of its own: it crashes, restarts, stops for a while like under SIGSTOP, and has a wall clock
 * that may be wrong and a monotonic clock that runs a little fast or slow.
 */
public final class SimProcess {
    /** Some day in 2023; the world's true time begins there. */
    public static final long EPOCH_MILLIS = 1_700_000_000_000L;

    private final SimWorld world;
    private final String name;
    private final double monotonicRate;
    private final long monotonicOffsetMillis;
    private long wallOffsetMillis;
    private boolean up = true;
    private long life;
    private long pausedUntilMicros;

    public SimProcess(SimWorld world, String name, double monotonicRate) {
        this.world = world;
        this.name = name;
        this.monotonicRate = monotonicRate;
        this.monotonicOffsetMillis = world.between(0, 1_000_000);
    }

    public String name() {
        return name;
    }

    public boolean isUp() {
        return up;
    }

    public boolean isPaused() {
        return world.nowMicros() < pausedUntilMicros;
    }

    public boolean isRunning() {
        return up && !isPaused();
    }

    public long monotonicMillis() {
        return monotonicOffsetMillis + (long) (world.nowMicros() * monotonicRate) / 1_000;
    }

    public long wallMillis() {
        return EPOCH_MILLIS + world.nowMillis() + wallOffsetMillis;
    }

    public long wallOffsetMillis() {
        return wallOffsetMillis;
    }

    public void setWallOffset(long millis) {
        wallOffsetMillis = millis;
    }

    public void crash() {
        up = false;
        life++;
        pausedUntilMicros = 0;
    }

    public void restart() {
        up = true;
        life++;
    }

    public void pause(long millis) {
        pausedUntilMicros = Math.max(pausedUntilMicros, world.nowMicros() + millis * 1_000);
    }

    /** Runs the action in this life, unless the process has crashed before; an action due while it is stopped waits. */
    public void after(long micros, Runnable action) {
        long ofLife = life;
        world.after(micros, () -> happen(ofLife, action));
    }

    /** Runs the action in the life that the process is in then; {@code otherwise} if it is down. */
    public void afterInAnyLife(long micros, Runnable action, Runnable otherwise) {
        world.after(micros, () -> {
            if (up) {
                happen(life, action);
            } else {
                otherwise.run();
            }
        });
    }

    public long life() {
        return life;
    }

    /** Happens here if the process is still in that life. */
    public void afterInLife(long ofLife, long micros, Runnable action) {
        world.after(micros, () -> happen(ofLife, action));
    }

    private void happen(long ofLife, Runnable action) {
        if (!up || life != ofLife) {
            return;
        }
        if (isPaused()) {
            world.at(pausedUntilMicros, () -> happen(ofLife, action));
            return;
        }
        action.run();
    }
}
