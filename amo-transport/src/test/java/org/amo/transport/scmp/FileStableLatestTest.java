package org.amo.transport.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStableLatestTest {
    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("latest");
    }

    private void store(long... values) throws IOException {
        try (FileStableLatest latest = FileStableLatest.open(file())) {
            for (long value : values) {
                latest.store(value);
            }
        }
    }

    private OptionalLong stored() throws IOException {
        try (FileStableLatest latest = FileStableLatest.open(file())) {
            return latest.stored();
        }
    }

    @Test
    void whatWasStoredIsFound() throws Exception {
        assertEquals(OptionalLong.empty(), stored());
        assertFalse(Files.exists(file()), "opening is no first start");
        store(5);
        assertEquals(OptionalLong.of(5), stored());
        store(6, 7, 9);
        assertEquals(OptionalLong.of(9), stored());
    }

    @Test
    void theValueNeverFalls() throws Exception {
        try (FileStableLatest latest = FileStableLatest.open(file())) {
            latest.store(10);
            latest.store(10);
            assertThrows(IllegalArgumentException.class, () -> latest.store(9));
            assertEquals(2, latest.forces());
        }
        assertEquals(OptionalLong.of(10), stored());
    }

    @Test
    void aTornWriteLeavesTheValueBefore() throws Exception {
        store(10, 20);
        for (int slot = 0; slot < 2; slot++) {
            byte[] whole = Files.readAllBytes(file());
            byte[] torn = whole.clone();
            torn[4_096 * slot + 9] ^= 1;
            Files.write(file(), torn);
            assertEquals(OptionalLong.of(slot == 0 ? 20 : 10), stored());
            Files.write(file(), whole);
        }
    }

    @Test
    void aTornValueIsWrittenOverAndNotTheGoodOne() throws Exception {
        store(10, 20);
        byte[] torn = Files.readAllBytes(file());
        torn[4_096 + 9] ^= 1;
        Files.write(file(), torn);
        store(30);
        byte[] bytes = Files.readAllBytes(file());
        assertEquals(10, ByteBuffer.wrap(bytes).getLong(4));
        assertEquals(30, ByteBuffer.wrap(bytes).getLong(4_100));
    }

    @Test
    void twoDamagedSlotsAreSaidAndNotTakenForAFirstStart() throws Exception {
        Files.write(file(), new byte[5_000]);
        String message = assertThrows(IOException.class, this::stored).getMessage();
        assertTrue(message.contains("damaged") && message.contains("beta"), message);
    }

    @Test
    void aSecondServerOnTheSameFileIsRefused() throws Exception {
        try (FileStableLatest first = FileStableLatest.open(file())) {
            first.store(1);
            String message = assertThrows(IOException.class, this::stored).getMessage();
            assertTrue(message.contains("running"), message);
        }
        assertEquals(OptionalLong.of(1), stored());
    }
}
