package org.amo.replication.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.amo.core.reply.RowPages;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of clients in a file that is mapped into memory: 52 bytes a client that the heap does not hold, and that the system
 * may write out. The file is of this process alone: it has no name any more once it is open, and goes with the process.
 *
 * <p>While the disk has no room for the file to grow, pages come from the heap, and this object says that it is full.
 */
final class MappedRows implements RowPages {
    private static final Logger LOG = LoggerFactory.getLogger(MappedRows.class);
    private static final int CHUNK_BYTES = 4 << 20;
    private static final int WRITE_BYTES = 64 << 10;

    /** So often a full disk is asked for room again. */
    static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path folder;
    private final FileChannel file;
    private final LongSupplier nanos;
    private final List<ByteBuffer> chunks = new ArrayList<>();
    private int chunk;
    private int used;

    /** The disk had no room for the next chunk when it was last asked, at {@link #lookedAt}. */
    private boolean failed;

    private long lookedAt;

    /**
     * @param folder of the file, for the log
     * @param nanos a clock, as {@link System#nanoTime}
     */
    MappedRows(Path folder, FileChannel file, LongSupplier nanos) {
        this.folder = folder;
        this.file = file;
        this.nanos = nanos;
    }

    /**
     * In a file of this folder.
     *
     * @throws UncheckedIOException when there is no room for a file
     */
    public static MappedRows in(Path folder) {
        try {
            Files.createDirectories(folder);
            Path path = Files.createTempFile(folder, "rows-", ".tmp");
            FileChannel file = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
            return new MappedRows(folder, file, System::nanoTime);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ByteBuffer page(int bytes) {
        if (chunk < chunks.size() && used + bytes > CHUNK_BYTES) {
            chunk++;
            used = 0;
        }
        if (chunk == chunks.size() && !grow()) {
            return ByteBuffer.allocate(bytes);
        }
        ByteBuffer page = chunks.get(chunk).slice(used, bytes);
        used += bytes;
        return page;
    }

    /** @return false if the disk has no room */
    private boolean grow() {
        try {
            chunks.add(newChunk(fileBytes()));
            failed = false;
            return true;
        } catch (IOException e) {
            if (!failed) {
                LOG.warn(
                        "no room for the rows of new clients on the disk of {} ({}); they stay in memory, and new"
                                + " requests are refused until there is room: make some on it",
                        folder,
                        e.toString());
            }
            failed = true;
            lookedAt = nanos.getAsLong();
            giveBack();
            return false;
        }
    }

    /** What a chunk that did not fit has taken: the log needs it more. */
    private void giveBack() {
        try {
            file.truncate(fileBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot shorten a file of rows in " + folder + ": " + e, e);
        }
    }

    /** Looks for room again, since a member that orders no requests may need no page that would show it. */
    @Override
    public boolean isFull() {
        return failed && (nanos.getAsLong() - lookedAt < LOOK_NANOS || !grow());
    }

    /** Not a hole: a full disk would end the process at the first store. */
    private ByteBuffer newChunk(long start) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(WRITE_BYTES);
        for (long at = start; at < start + CHUNK_BYTES; at += file.write(zeros, at)) {
            zeros.rewind();
        }
        return file.map(FileChannel.MapMode.READ_WRITE, start, CHUNK_BYTES);
    }

    @Override
    public void clear() {
        chunk = 0;
        used = 0;
        failed = false;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes that the file takes of the disk. */
    public long fileBytes() {
        return (long) chunks.size() * CHUNK_BYTES;
    }
}
