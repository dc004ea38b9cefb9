package org.amo.benchmarks.order;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** A file to which one thread writes entries and forces each one: the rate that a disk alone gives. One thread uses it. */
final class ForcedFile implements AutoCloseable {
    private static final int SIZE = 8 << 20;

    private final FileChannel file;
    private final ByteBuffer entry;
    private long position;

    private ForcedFile(FileChannel file, int entryBytes) {
        this.file = file;
        this.entry = ByteBuffer.allocateDirect(entryBytes);
    }

    /** Of a fixed size, and written round and round: no force has to find room for it. */
    static ForcedFile create(Path path, int entryBytes) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            ByteBuffer zeros = ByteBuffer.allocate(SIZE);
            while (zeros.hasRemaining()) {
                file.write(zeros, zeros.position());
            }
            file.force(true);
            return new ForcedFile(file, entryBytes);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    double forcesPerSecond(long millis) throws IOException {
        long began = System.nanoTime();
        long length = TimeUnit.MILLISECONDS.toNanos(millis);
        long forces = 0;
        long passed;
        do {
            force();
            forces++;
            passed = System.nanoTime() - began;
        } while (passed < length);
        return forces * 1e9 / passed;
    }

    private void force() throws IOException {
        if (position + entry.capacity() > SIZE) {
            position = 0;
        }
        entry.clear();
        while (entry.hasRemaining()) {
            position += file.write(entry, position);
        }
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
