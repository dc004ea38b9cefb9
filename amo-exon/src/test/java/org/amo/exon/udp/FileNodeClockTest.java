package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.amo.exon.NodeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node never starts below a value of its clock that it used in a former life. */
class FileNodeClockTest {
    private static final NodeId NODE = new NodeId(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final long BOUND = 16_777_217;
    /** The beginning of 2026. */
    private static final long EPOCH_MILLIS = 1_767_225_600_000L;

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("clock");
    }

    private long stored(NodeId node) throws IOException {
        try (FileNodeClock clock = FileNodeClock.open(file(), node)) {
            return clock.stored(0);
        }
    }

    private void store(long bound) throws IOException {
        try (FileNodeClock clock = FileNodeClock.open(file(), NODE)) {
            clock.store(bound);
        }
    }

    /** The lines of the log about a start at this time of the wall clock. */
    private List<String> linesOfAStart(long wallMillis) throws IOException {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(FileNodeClock.class.getName());
        log.addHandler(handler);
        try (FileNodeClock clock = FileNodeClock.open(file(), NODE)) {
            assertTrue(clock.stored(wallMillis) > 0);
        } finally {
            log.removeHandler(handler);
        }
        return lines;
    }

    private void refused(byte[] bytes) throws IOException {
        Files.write(file(), bytes);
        String message = assertThrows(IOException.class, () -> stored(NODE)).getMessage();
        assertTrue(message.contains("damaged") && message.contains("another id"), message);
    }

    @Test
    void goldenBytes() throws Exception {
        store(BOUND);
        assertEquals(
                "616d6f4301000000180102030405060708090a0b0c0d0e0f100000000001000001263cd39e",
                HexFormat.of().formatHex(Files.readAllBytes(file())));
        assertEquals(BOUND, stored(NODE));
    }

    @Test
    void noFlippedBitAndNoCutIsTakenForAnotherBound() throws Exception {
        store(BOUND);
        byte[] whole = Files.readAllBytes(file());
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            refused(flipped);
        }
        for (int length = 0; length < whole.length; length++) {
            refused(Arrays.copyOf(whole, length));
        }
    }

    @Test
    void aCrashBeforeTheRenameLeavesTheBoundBefore() throws Exception {
        store(BOUND);
        Files.write(folder.resolve("clock.new"), new byte[20]);
        assertEquals(BOUND, stored(NODE));
        store(BOUND + 1);
        assertEquals(BOUND + 1, stored(NODE));
    }

    /** The numbers of the lives since the copy was made may still be known to peers. */
    @Test
    void anOlderCopyStartsAtTheWallClocksTime() throws Exception {
        long day = 86_400_000;
        store(BOUND);
        try (FileNodeClock clock = FileNodeClock.open(file(), NODE)) {
            assertEquals(day * 1_000, clock.stored(EPOCH_MILLIS + day));
        }
    }

    @Test
    void aBoundAheadOfTheWallClockStays() throws Exception {
        long hour = 3_600_000;
        store(2 * hour * 1_000);
        try (FileNodeClock clock = FileNodeClock.open(file(), NODE)) {
            assertEquals(2 * hour * 1_000, clock.stored(EPOCH_MILLIS + hour));
        }
    }

    @Test
    void aNodeFarAheadOfTheWallClockSaysSo() throws Exception {
        store(60_000_000 + 1_000);
        assertEquals(List.of(), linesOfAStart(EPOCH_MILLIS + 1));
        store(60_000_000 + 1_001);
        List<String> lines = linesOfAStart(EPOCH_MILLIS + 1);
        assertEquals(1, lines.size(), lines.toString());
        assertTrue(lines.get(0).contains("60 s ahead"), lines.get(0));
    }

    @Test
    void aNodeThatLostItsFileSaysSoAndAFirstStartDoesNot() throws Exception {
        assertEquals(List.of(), linesOfAStart(EPOCH_MILLIS + 1));
        List<String> lines = linesOfAStart(EPOCH_MILLIS + 1);
        assertEquals(1, lines.size(), lines.toString());
        assertTrue(lines.get(0).contains("another id"), lines.get(0));
    }

    @Test
    void theFileOfAnotherNodeIsRefused() throws Exception {
        store(BOUND);
        String message =
                assertThrows(IOException.class, () -> stored(new NodeId(1, 2))).getMessage();
        assertTrue(message.contains("a file of its own"), message);
    }
}
