package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

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

    private final class Faulty extends Delegate {
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
    static final class Unforced extends Delegate {
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

    private static class Delegate extends FileChannel {
        private final FileChannel real;

        Delegate(FileChannel real) {
            this.real = real;
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            return real.write(from, at);
        }

        /** One thread forces. */
        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void force(boolean metadata) throws IOException {
            real.force(metadata);
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            return real.read(into);
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) throws IOException {
            return real.read(into, offset, length);
        }

        @Override
        public int read(ByteBuffer into, long at) throws IOException {
            return real.read(into, at);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            return real.write(from);
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) throws IOException {
            return real.write(from, offset, length);
        }

        @Override
        public long position() throws IOException {
            return real.position();
        }

        @Override
        public FileChannel position(long to) throws IOException {
            real.position(to);
            return this;
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            real.truncate(size);
            return this;
        }

        @Override
        public long transferTo(long at, long count, WritableByteChannel to) throws IOException {
            return real.transferTo(at, count, to);
        }

        @Override
        public long transferFrom(ReadableByteChannel from, long at, long count) throws IOException {
            return real.transferFrom(from, at, count);
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long at, long size) throws IOException {
            return real.map(mode, at, size);
        }

        @Override
        public FileLock lock(long at, long size, boolean shared) throws IOException {
            return real.lock(at, size, shared);
        }

        @Override
        public FileLock tryLock(long at, long size, boolean shared) throws IOException {
            return real.tryLock(at, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
        }
    }
}
