package org.amo.replication.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;

/**
 * Takes back the growth of a Chronicle Map's file that failed. The map lengthens the file first and then asks for its blocks. If the
 * disk has none, the file is left with a hole, which the next try maps without asking again; a store to it would end the process.
 */
final class MapFile {
    private final Path path;
    private final LongSupplier mapped;
    private long mappedBytes;
    private long length;

    /**
     * @param path of a file that is complete
     * @param mapped how many bytes of the file the map has mapped so far
     */
    MapFile(Path path, LongSupplier mapped) throws IOException {
        this.path = path;
        this.mapped = mapped;
        mappedBytes = mapped.getAsLong();
        length = Files.size(path);
    }

    @Override
    public String toString() {
        return path.toString();
    }

    /**
     * After each change of the map.
     *
     * @return whether it has grown since the change before
     */
    boolean noteGrowth() {
        long now = mapped.getAsLong();
        if (now == mappedBytes) {
            return false;
        }
        try {
            length = Files.size(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at " + path + ": " + e.getMessage(), e);
        }
        mappedBytes = now;
        return true;
    }

    /**
     * After a change that the disk refused.
     *
     * @throws UncheckedIOException if the map uses the new part already, so that the disk failed in another way
     */
    void undoGrowth(IOException why) {
        if (mapped.getAsLong() != mappedBytes) {
            throw new UncheckedIOException("cannot write to " + path + ": " + why.getMessage(), why);
        }
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(length);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot shorten " + path + ": " + e.getMessage(), e);
        }
    }
}
