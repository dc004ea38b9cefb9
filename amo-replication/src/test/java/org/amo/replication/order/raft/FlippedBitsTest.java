package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.amo.core.order.LogTail;
import org.amo.replication.order.raft.FlippedBits.History;
import org.amo.replication.order.raft.FlippedBits.Outcome;
import org.amo.replication.order.raft.FlippedBits.Part;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No single flipped bit makes a member lose an acknowledged entry, take another one for it, or vote twice. */
final class FlippedBitsTest {
    @TempDir
    private Path folder = Path.of("unset");

    private final List<Logger> loggers =
            List.of(Logger.getLogger(CheckedFileLog.class.getName()), Logger.getLogger(LogInspection.class.getName()));

    @BeforeEach
    void keepQuiet() {
        loggers.forEach(each -> each.setLevel(Level.OFF));
    }

    @AfterEach
    void speakAgain() {
        loggers.forEach(each -> each.setLevel(null));
    }

    @Test
    void eachOfSomeHundredFlipsIsRepairedRefusedOrHarmless() throws IOException {
        play(600);
    }

    @Test
    @Tag("slow")
    void eachOfAHundredThousandFlipsIsRepairedRefusedOrHarmless() throws IOException {
        play(100_000);
    }

    /** The tests above can fail: with this rule the log loses what it had acknowledged, as it did before. */
    @Test
    void aRuleThatTakesAllDamageForACrashIsNoticed() throws IOException {
        LogTail careless = new LogTail() {
            @Override
            public OptionalLong lostUpTo(Found found) {
                return OptionalLong.empty();
            }
        };
        FlippedBits bits = new FlippedBits(folder.resolve("a.log"), 1, careless);
        bits.prepare(new History(false, false, false, false));
        assertThrows(AssertionError.class, () -> {
            for (int i = 0; i < 200; i++) {
                bits.flipOne();
            }
        });
    }

    private void play(int flips) throws IOException {
        List<History> histories = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            histories.add(new History((i & 1) != 0, (i & 2) != 0, (i & 4) != 0, false));
        }
        histories.add(new History(true, true, false, true));
        histories.add(new History(true, true, true, true));
        FlippedBits bits = new FlippedBits(folder.resolve("a.log"), 20_260_101, new LogTail());
        int done = 0;
        for (int i = 0; i < histories.size(); i++) {
            bits.prepare(histories.get(i));
            for (; done < (long) flips * (i + 1) / histories.size(); done++) {
                bits.flipOne();
            }
        }
        System.out.print(bits.table());
        int counted = 0;
        for (Part part : Part.values()) {
            for (Outcome outcome : Outcome.values()) {
                counted += bits.count(part, outcome);
            }
        }
        assertEquals(flips, counted);
        assertTrue(bits.count(Part.LOG, Outcome.REPAIRED) > flips / 2, "most flips hit acknowledged entries");
    }
}
