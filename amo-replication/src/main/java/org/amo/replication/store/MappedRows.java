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
import org.amo.core.reply.RowPages;

/**
 * Rows of clients in a file that is mapped into memory: 52 bytes a client that the heap does not hold, and that the system
 * may write out. The file is of this process alone: it has no name any more once it is open, and goes with the process.
 */
final class MappedRows implements RowPages {
    private static final int CHUNK_BYTES = 4 << 20;
    private static final int WRITE_BYTES = 64 << 10;

    private final FileChannel file;
    private final List<ByteBuffer> chunks = new ArrayList<>();
    private int chunk;
    private int used;

    private MappedRows(FileChannel file) {
        this.file = file;
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
            return new MappedRows(FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE));
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
        if (chunk == chunks.size()) {
            try {
                chunks.add(newChunk((long) chunk * CHUNK_BYTES));
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "no room for the rows of clients; free some on the disk of the data folder", e);
            }
        }
        ByteBuffer page = chunks.get(chunk).slice(used, bytes);
        used += bytes;
        return page;
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
