package org.amo.benchmarks.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForcedFileTest {
    /** Two of them do not fit, so that each round begins at the front. */
    private static final int ENTRY = 5 << 20;

    @Test
    void itForcesEntriesIntoAFileThatDoesNotGrow(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("alone");
        ForcedFile file = ForcedFile.create(path, ENTRY);
        long size = Files.size(path);
        for (int i = 0; i < 3; i++) {
            assertTrue(file.forcesPerSecond(0) > 0);
        }
        assertEquals(size, Files.size(path));
        file.close();
        assertThrows(ClosedChannelException.class, () -> file.forcesPerSecond(0), "each entry goes to the file");
    }
}
