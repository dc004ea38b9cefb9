package org.amo.observe;

import java.util.Optional;
import org.amo.base.DaemonThreads;
import org.amo.base.observe.Observed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the members of a group once a second while a page is open, in one thread for all pages: without one it asks nobody. Any thread.
 */
final class PageWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PageWatch.class);
    private static final long PERIOD_MILLIS = 1_000;

    /** So long after the last look a page is closed. */
    private static final long OPEN_MILLIS = 5_000;

    /** The first look waits for the first picture, but not for members that do not answer. */
    private static final long FIRST_MILLIS = 1_000;

    private final Observed observed;
    private final long periodMillis;
    private final long openMillis;

    // Guarded by this object.
    private Optional<GroupPicture> picture = Optional.empty();
    private long lookedMillis;
    private boolean running;
    private boolean closed;

    PageWatch(Observed observed) {
        this(observed, PERIOD_MILLIS, OPEN_MILLIS);
    }

    PageWatch(Observed observed, long periodMillis, long openMillis) {
        this.observed = observed;
        this.periodMillis = periodMillis;
        this.openMillis = openMillis;
    }

    /** The latest picture; empty if there is none after a second. */
    synchronized Optional<GroupPicture> look() {
        lookedMillis = now();
        if (!running && !closed) {
            running = true;
            picture = Optional.empty();
            DaemonThreads.start("amo-observe-page", this::watch);
        }
        long end = lookedMillis + FIRST_MILLIS;
        try {
            for (long left = FIRST_MILLIS; picture.isEmpty() && running && left > 0; left = end - now()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return picture;
    }

    private void watch() {
        try {
            while (isWatched()) {
                long asked = now();
                take();
                pause(asked + periodMillis);
            }
        } catch (RuntimeException e) {
            LOG.warn("the page of {} {} has no values", observed.kind(), observed.id(), e);
            fail();
        } catch (Error e) {
            fail();
            throw e;
        }
    }

    private synchronized boolean isWatched() {
        boolean watched = !closed && now() - lookedMillis <= openMillis;
        // Together with the answer: a look must not find a thread that is about to end.
        running = watched;
        return watched;
    }

    private void take() {
        long nanos = System.nanoTime();
        Optional<GroupPicture> before = picture();
        GroupPicture next = GroupPicture.of(observed.statuses(), before, nanos);
        synchronized (this) {
            picture = Optional.of(next);
            notifyAll();
        }
    }

    private synchronized Optional<GroupPicture> picture() {
        return picture;
    }

    private synchronized void pause(long untilMillis) {
        try {
            for (long left = untilMillis - now(); left > 0 && !closed; left = untilMillis - now()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    /** The next look begins anew. */
    private synchronized void fail() {
        running = false;
        notifyAll();
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    /** Ends the thread soon; does not wait for a member that is being asked. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
