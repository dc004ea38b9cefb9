package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that a map lengthened in vain gets its length back, and no mapped part of it is cut off. */
class MapFileTest {
    @TempDir
    private Path folder;

    private final IOException full = new IOException("No space left on device");
    private final AtomicLong mapped = new AtomicLong(1_000);

    @Test
    void growthThatTheMapUsesIsKept() throws IOException {
        Path path = Files.write(folder.resolve("map"), new byte[1_000]);
        MapFile file = new MapFile(path, mapped::get);
        assertFalse(file.noteGrowth());
        Files.write(path, new byte[5_000]);
        mapped.set(5_000);
        assertTrue(file.noteGrowth());
        Files.write(path, new byte[9_000]);
        file.undoGrowth(full);
        assertEquals(5_000, Files.size(path));
    }

    /** The disk failed after the new part was mapped. */
    @Test
    void aMappedPartIsNotCutOff() throws IOException {
        Path path = Files.write(folder.resolve("map"), new byte[1_000]);
        MapFile file = new MapFile(path, mapped::get);
        Files.write(path, new byte[5_000]);
        mapped.set(5_000);
        UncheckedIOException why = assertThrows(UncheckedIOException.class, () -> file.undoGrowth(full));
        assertTrue(why.getMessage().contains(path + ": " + full.getMessage()), why.getMessage());
        assertEquals(5_000, Files.size(path));
    }
}
