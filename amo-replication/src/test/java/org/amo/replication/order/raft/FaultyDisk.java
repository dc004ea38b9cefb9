package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.amo.replication.DelegatingChannel;

/** A disk that can be full, or lie about or fail a sync. Its files are those of this machine. */
final class FaultyDisk implements Disk {
    /** Files may not grow beyond it. */
    volatile long mostBytes = Long.MAX_VALUE;

    volatile boolean forceFails;
    volatile boolean writeFails;
    /** Thrown by each write. */
    volatile Optional<Error> error = Optional.empty();

    volatile int longestWrite;
    volatile int forced;

    /** Files and folders whose names a loss of power would leave: their folder was forced after they came. */
    final Set<Path> kept = ConcurrentHashMap.newKeySet();

    @Override
    public FileChannel open(Path file) throws IOException {
        return new Faulty(Disk.LOCAL.open(file));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Disk.super.rename(from, to);
        keep(to.resolveSibling("."));
    }

    @Override
    public void forceFolder(Path of) throws IOException {
        Disk.super.forceFolder(of);
        keep(of);
    }

    private void keep(Path of) throws IOException {
        try (Stream<Path> there = Files.list(of.toAbsolutePath().normalize())) {
            there.forEach(kept::add);
        }
    }

    private final class Faulty extends DelegatingChannel {
        private Faulty(FileChannel real) {
            super(real);
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            if (error.isPresent()) {
                throw error.get();
            }
            longestWrite = Math.max(longestWrite, from.remaining());
            if (writeFails) {
                throw new IOException("Input/output error");
            }
            if (at + from.remaining() > mostBytes && at + from.remaining() > size()) {
                throw new IOException("No space left on device");
            }
            return super.write(from, at);
        }

        /** One thread forces. */
        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void force(boolean metadata) throws IOException {
            forced++;
            if (forceFails) {
                throw new IOException("Input/output error");
            }
            super.force(metadata);
        }
    }

    /** Leaves everything in the operating system's cache. */
    static final class Unforced extends DelegatingChannel {
        Unforced(FileChannel real) {
            super(real);
        }

        /** One thread forces. */
        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void force(boolean metadata) {
            // No power fails in a test.
        }
    }
}
