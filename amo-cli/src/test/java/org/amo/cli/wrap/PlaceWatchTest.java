package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PlaceWatchTest {
    private final List<String> said = new ArrayList<>();

    private PlaceWatch watch(boolean taken) {
        return new PlaceWatch("./start.sh", () -> taken, said::add);
    }

    @Test
    void aMinuteWithoutAMemberIsToldOnceInOneLine() {
        PlaceWatch watch = watch(false);
        assertTrue(watch.look(PlaceWatch.PATIENCE_MILLIS - 1));
        assertEquals(List.of(), said);
        assertFalse(watch.look(PlaceWatch.PATIENCE_MILLIS));
        assertEquals(1, said.size());
        String line = said.get(0);
        assertTrue(line.contains("after 60 s no virtual machine of './start.sh'"), line);
        assertTrue(line.contains("JAVA_TOOL_OPTIONS") && !line.contains("\n"), line);
    }

    @Test
    void aMemberEndsTheWatchInSilence() {
        assertFalse(watch(true).look(1));
        assertFalse(watch(true).look(PlaceWatch.PATIENCE_MILLIS));
        assertEquals(List.of(), said);
    }

    @Test
    void theEndOfTheCommandEndsTheWatchInSilence() {
        CountDownLatch ended = new CountDownLatch(1);
        ended.countDown();
        watch(false).run(ended);
        assertEquals(List.of(), said);
    }
}
