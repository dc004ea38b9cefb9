package org.amo.scmp.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
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

    /** An older value would let a request run again that was accepted above it. */
    @Test
    void noFlippedBitAndNoCutIsTakenForAnOlderValueOrAFirstStart() throws Exception {
        store(10, 20);
        byte[] whole = Files.readAllBytes(file());
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            refused(flipped);
        }
        for (int length = 0; length < whole.length; length++) {
            refused(Arrays.copyOf(whole, length));
        }
        Files.write(file(), whole);
        assertEquals(OptionalLong.of(20), stored());
    }

    private void refused(byte[] bytes) throws IOException {
        Files.write(file(), bytes);
        String message = assertThrows(IOException.class, this::stored).getMessage();
        assertTrue(message.contains("damaged") && message.contains("beta"), message);
    }

    @Test
    void theFormatOfVersionsBeforeIsRefused() throws Exception {
        ByteBuffer old = ByteBuffer.allocate(4_096 + 16);
        old.putInt(0x53434D50).putLong(10);
        refused(old.array());
    }

    @Test
    void aCrashBeforeTheRenameLeavesTheValueBefore() throws Exception {
        store(10, 20);
        byte[] next = Files.readAllBytes(file());
        Files.delete(file());
        store(10);
        Files.write(folder.resolve("latest.new"), next);
        assertEquals(OptionalLong.of(10), stored());
        store(30);
        assertEquals(OptionalLong.of(30), stored());
    }

    @Test
    void goldenBytes() throws Exception {
        store(1_700_000_000_000_000L);
        assertEquals(
                "616d6f4c010000000800060a24181e4000077dfa43", HexFormat.of().formatHex(Files.readAllBytes(file())));
    }

    @Test
    void anInitializedFileIsOfAServerThatNeverServedUntilItStores() throws Exception {
        FileStableLatest.initialize(file());
        try (FileStableLatest first = FileStableLatest.open(file())) {
            assertTrue(first.isOfServerThatNeverServed());
            first.store(1);
            assertFalse(first.isOfServerThatNeverServed());
        }
        try (FileStableLatest second = FileStableLatest.open(file())) {
            assertFalse(second.isOfServerThatNeverServed());
        }
    }

    @Test
    void noFileIsInitializedWhereOneWas() throws Exception {
        FileStableLatest.initialize(file());
        assertThrows(IOException.class, () -> FileStableLatest.initialize(file()));
        Files.delete(file());
        IOException lost = assertThrows(IOException.class, () -> FileStableLatest.initialize(file()));
        assertTrue(lost.getMessage().contains("may have served"), lost::getMessage);
        try (FileStableLatest second = FileStableLatest.open(file())) {
            assertFalse(second.isOfServerThatNeverServed());
            assertEquals(OptionalLong.empty(), second.stored());
        }
    }

    private Path lockFile() {
        return folder.resolve("latest.lock");
    }

    /** The disk reported the write of one of the two, and lost it: that one is whole and old. */
    @Test
    void aLostWriteBringsBackNoOlderValue() throws Exception {
        for (Path lost : new Path[] {file(), lockFile()}) {
            store(10);
            byte[] old = Files.readAllBytes(lost);
            store(20);
            Files.write(lost, old);
            assertEquals(OptionalLong.of(20), stored(), lost.toString());
            Files.delete(file());
            Files.delete(lockFile());
        }
    }

    /** It is only a second copy, which versions before did not write. */
    @Test
    void aDamagedOrEmptyLockFileChangesNothing() throws Exception {
        store(20);
        byte[] whole = Files.readAllBytes(lockFile());
        assertEquals("00000000000000145bece2fa", HexFormat.of().formatHex(whole));
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(lockFile(), flipped);
            assertEquals(OptionalLong.of(20), stored(), "bit " + bit);
        }
        for (int length = 0; length < whole.length; length++) {
            Files.write(lockFile(), Arrays.copyOf(whole, length));
            assertEquals(OptionalLong.of(20), stored(), length + " bytes");
        }
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
