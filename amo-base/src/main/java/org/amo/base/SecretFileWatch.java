package org.amo.base;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Looks once a second whether secret files have changed, in one thread for all of a process, which runs while a file is watched. A file that
 * is not there changes nothing. The thread owns each watch.
 */
final class SecretFileWatch {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Those that are not closed. Guarded by itself. */
    private static final List<SecretFileWatch> OPEN = new ArrayList<>();

    /** Whether the thread runs. Guarded by {@link #OPEN}. */
    private static boolean running;

    private final SecretRing ring;
    private final Path file;
    private final Consumer<String> changed;
    private final Consumer<String> refused;

    /** The text that the last look found; empty if there was none. */
    private Optional<String> seen = Optional.empty();

    private String warned = "";

    SecretFileWatch(SecretRing ring, Path file, Consumer<String> changed, Consumer<String> refused) {
        this.ring = ring;
        this.file = file;
        this.changed = changed;
        this.refused = refused;
    }

    /** Looks from now on until it is closed. */
    void start() {
        synchronized (OPEN) {
            OPEN.add(this);
            if (!running) {
                running = true;
                DaemonThreads.start("amo-secret-files", SecretFileWatch::lookUntilClosed);
            }
        }
    }

    private static void lookUntilClosed() {
        while (true) {
            List<SecretFileWatch> open;
            synchronized (OPEN) {
                running = !OPEN.isEmpty();
                if (!running) {
                    return;
                }
                open = List.copyOf(OPEN);
            }
            lookAt(open);
            LockSupport.parkNanos(PERIOD_NANOS);
        }
    }

    /** An error at one file, such as want of memory, ends neither its watch nor that of the others. */
    static void lookAt(List<SecretFileWatch> all) {
        for (SecretFileWatch each : all) {
            try {
                each.look();
            } catch (RuntimeException | Error e) {
                each.seen = Optional.empty();
            }
        }
    }

    /** One look. A text that the next look does not find is one that is being written. */
    void look() {
        try {
            Optional<String> now = Optional.of(SecretRing.text(file));
            boolean settled = now.equals(seen);
            seen = now;
            if (settled) {
                take(now.get());
            }
        } catch (IOException e) {
            seen = Optional.empty();
            ring.onUnreadable();
            warn(ring + " cannot be read (" + e.getClass().getSimpleName()
                    + "); the secrets in force stay: put the file back");
        }
    }

    private void take(String text) {
        try {
            if (ring.change(text)) {
                changed.accept(ring + " has changed and was read again; secrets accepted now: "
                        + ring.secrets().size());
            }
            warned = "";
        } catch (RuntimeException e) {
            // One file must not end the watch of the others.
            warn(String.valueOf(e.getMessage()));
        }
    }

    private void warn(String why) {
        if (!why.equals(warned)) {
            warned = why;
            refused.accept(why);
        }
    }

    void close() {
        synchronized (OPEN) {
            OPEN.remove(this);
        }
    }
}
