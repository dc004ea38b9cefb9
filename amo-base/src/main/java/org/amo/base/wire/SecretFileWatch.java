package org.amo.base.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;

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

    /** The file as the last look found it; empty if it was not there. */
    private Optional<Stamp> seen = Optional.empty();

    /** The file whose text was taken or refused last. */
    private Optional<Stamp> judged = Optional.empty();

    private String warned = "";

    /** A change of the file changes one of these; a file that another one replaced has another key. */
    private record Stamp(FileTime modified, long bytes, String key) {}

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
            open.forEach(SecretFileWatch::look);
            LockSupport.parkNanos(PERIOD_NANOS);
        }
    }

    /** One look. */
    void look() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            Optional<Stamp> stamp =
                    Optional.of(new Stamp(now.lastModifiedTime(), now.size(), String.valueOf(now.fileKey())));
            boolean settled = stamp.equals(seen);
            seen = stamp;
            if (settled && !stamp.equals(judged)) {
                String text = SecretRing.text(file);
                judged = stamp;
                take(text);
            }
        } catch (IOException e) {
            seen = Optional.empty();
            judged = Optional.empty();
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
