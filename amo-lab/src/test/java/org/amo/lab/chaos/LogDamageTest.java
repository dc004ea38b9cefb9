package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage that is not where it must be noticed would let a run pass that proves nothing. */
final class LogDamageTest {
    private static final int USED = 10_000;
    private static final int LENGTH = 16_384;

    @TempDir
    private Path data = Path.of("unset");

    private Path member = data;
    private Path log = data;

    @BeforeEach
    void makeFiles() throws IOException {
        member = data.resolve("bank").resolve("a");
        log = Files.createDirectories(member.resolve("a.log"));
        byte[] entries = new byte[LENGTH];
        Arrays.fill(entries, 0, USED, (byte) 0x5A);
        Files.write(log.resolve("entries.amo"), entries);
        Files.write(log.resolve("state.amo"), new byte[2 * 4_096]);
        Files.write(member.resolve("executions"), new byte[3 * 4_096]);
    }

    /** @param side chooses the file, and strength the place in it */
    private static FaultSchedule.Slot slot(double target, double strength, double side) {
        return new FaultSchedule.Slot(0, List.of(FaultKind.BIT_FLIP), target, strength, side);
    }

    /** The place of the one bit that the damage flipped in this file. */
    private int flipped(Path file, FaultSchedule.Slot slot) throws IOException {
        byte[] before = Files.readAllBytes(file);
        new LogDamage(data, "a").flip(slot);
        byte[] after = Files.readAllBytes(file);
        int at = Arrays.mismatch(before, after);
        assertTrue(at >= 0, "no bit of " + file + " has flipped");
        assertEquals(1, Integer.bitCount((before[at] ^ after[at]) & 0xFF));
        after[at] = before[at];
        assertArrayEquals(before, after);
        return at;
    }

    @Test
    void aBitFlipsInAnEntryThatWasAcknowledged() throws IOException {
        for (double where : new double[] {0, 0.5, 0.999}) {
            int at = flipped(log.resolve("entries.amo"), slot(0.3, where, 0.2));
            assertTrue(at < 0.8 * USED, "byte " + at);
        }
    }

    @Test
    void aBitFlipsInOneCopyOfTermAndVote() throws IOException {
        assertTrue(flipped(log.resolve("state.amo"), slot(0.1, 0.999, 0.8)) < 512);
        int second = flipped(log.resolve("state.amo"), slot(0.9, 0.999, 0.8));
        assertTrue(second >= 4_096 && second < 4_096 + 512, "byte " + second);
    }

    @Test
    void aBitFlipsInOneCopyOfThePromises() throws IOException {
        int first = flipped(member.resolve("executions"), slot(0.1, 0.5, 0.9));
        assertTrue(first >= 4_096 && first < 2 * 4_096, "byte " + first);
        assertTrue(flipped(member.resolve("executions"), slot(0.9, 0.5, 0.9)) >= 2 * 4_096);
    }

    @Test
    void aBitFlipsInASnapshotIfThereIsOne() throws IOException {
        assertTrue(flipped(log.resolve("entries.amo"), slot(0.3, 0.5, 0.6)) < USED);
        Path snapshot = Files.write(log.resolve("snapshot.amo"), new byte[100]);
        assertEquals(50, flipped(snapshot, slot(0.3, 0.5, 0.6)));
    }

    @Test
    void theLastBytesAreClearedAndNoOthers() throws IOException {
        Path entries = log.resolve("entries.amo");
        byte[] before = Files.readAllBytes(entries);
        new LogDamage(data, "a").lose(slot(0.3, 0, 0.2));
        byte[] after = Files.readAllBytes(entries);
        int kept = USED / 512 * 512;
        assertEquals(kept, Arrays.mismatch(before, after));
        for (int i = kept; i < LENGTH; i++) {
            assertEquals(0, after[i]);
        }
    }
}
