package org.amo.replication.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS context of key and trust stores. It is made anew when one of their files has changed, so connections that begin a second later
 * show the new certificate and trust the new ones; they resume no session of an earlier context. Connections that exist go on. Files
 * that cannot be used are told in the log, and the context in force stays. Any thread.
 */
public final class ReloadedContext implements Supplier<SSLContext> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedContext.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Path> files;
    private final Supplier<SSLContext> reader;
    private final LongSupplier clock;
    private final ReentrantLock looking = new ReentrantLock();

    // Guarded by the lock.
    private List<Version> versions;
    private long lookedNanos;

    private volatile SSLContext present;

    /** Tells a file that was written anew from the one before. A file that is not there has no times. */
    private record Version(String text) {
        static Version of(Path file) {
            try {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                return new Version(now.lastModifiedTime() + " " + now.size() + " " + now.fileKey());
            } catch (IOException e) {
                return new Version("");
            }
        }
    }

    /**
     * Reads the files for the first time.
     *
     * @param reader makes a context of them
     * @throws IllegalArgumentException in one line, of the reader
     */
    public ReloadedContext(List<Path> files, Supplier<SSLContext> reader) {
        this(files, reader, System::nanoTime);
    }

    ReloadedContext(List<Path> files, Supplier<SSLContext> reader, LongSupplier clock) {
        this.files = List.copyOf(files);
        this.reader = reader;
        this.clock = clock;
        this.versions = versions();
        this.lookedNanos = clock.getAsLong();
        this.present = reader.get();
    }

    /** For a connection that begins now. */
    @Override
    public SSLContext get() {
        if (looking.tryLock()) {
            try {
                look();
            } finally {
                looking.unlock();
            }
        }
        return present;
    }

    private void look() {
        long now = clock.getAsLong();
        if (now - lookedNanos < LOOK_NANOS) {
            return;
        }
        lookedNanos = now;
        // Before they are read: if they change meanwhile, they are read again.
        List<Version> found = versions();
        if (found.equals(versions)) {
            return;
        }
        versions = found;
        try {
            present = reader.get();
            LOG.info("TLS: connections that begin from now on use the new {}", files);
        } catch (IllegalArgumentException e) {
            LOG.warn("TLS: {} changed, and the certificates in force stay: {}", files, e.getMessage());
        }
    }

    private List<Version> versions() {
        return files.stream().map(Version::of).toList();
    }
}
