package org.amo.replication.service;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** How much a client may have under way: calls, and kilobytes of their bodies. Any thread. */
final class CallPermits {
    private final Semaphore calls;
    private final Semaphore kilobytes;
    private final int mostCalls;
    private final int mostKilobytes;
    private final RoomQueue waiting;

    CallPermits(int mostCalls, int mostKilobytes) {
        this(mostCalls, mostKilobytes, Runnable::run);
    }

    /** @param executor where the stages of {@link #whenRoom} end */
    CallPermits(int mostCalls, int mostKilobytes, Executor executor) {
        this.waiting = new RoomQueue(this::hasRoom, executor);
        this.calls = new Semaphore(mostCalls);
        this.kilobytes = new Semaphore(mostKilobytes);
        this.mostCalls = mostCalls;
        this.mostKilobytes = mostKilobytes;
    }

    /** Calls under way. */
    int taken() {
        return mostCalls - calls.availablePermits();
    }

    /** Waits at most so long. Returns whether there is room now, which {@link #leave} gives back. */
    boolean enter(int bytes, long waitMillis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
        if (!calls.tryAcquire() && !calls.tryAcquire(waitMillis, TimeUnit.MILLISECONDS)) {
            return false;
        }
        boolean entered = false;
        try {
            int share = share(bytes);
            entered = kilobytes.tryAcquire(share)
                    || kilobytes.tryAcquire(share, end - System.nanoTime(), TimeUnit.NANOSECONDS);
            return entered;
        } finally {
            if (!entered) {
                calls.release();
            }
        }
    }

    void leave(int bytes) {
        kilobytes.release(share(bytes));
        calls.release();
        waiting.onRoom();
    }

    private boolean hasRoom(int bytes) {
        return calls.availablePermits() > 0 && kilobytes.availablePermits() >= share(bytes);
    }

    /** Ends once {@link #enter} would find room, and when this is closed. */
    CompletableFuture<Void> whenRoom(int bytes) {
        return waiting.whenRoom(bytes);
    }

    /** Ends all stages of {@link #whenRoom}. */
    void close() {
        waiting.close();
    }

    /** A body larger than everything gets everything. */
    private int share(int bytes) {
        return Math.min(mostKilobytes, bytes / 1_024 + 1);
    }
}
