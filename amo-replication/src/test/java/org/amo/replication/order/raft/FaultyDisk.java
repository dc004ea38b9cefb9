package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.amo.replication.DelegatingChannel;

/** A disk that can be full, or lie about or fail a sync. Its files are those of this machine. */
final class FaultyDisk implements Disk {
    /** Files may not grow beyond it. */
    volatile long mostBytes = Long.MAX_VALUE;

    volatile boolean forceFails;
    volatile boolean writeFails;
    volatile int forced;

    @Override
    public FileChannel open(Path file) throws IOException {
        return new Faulty(Disk.LOCAL.open(file));
    }

    private final class Faulty extends DelegatingChannel {
        private Faulty(FileChannel real) {
            super(real);
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
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
