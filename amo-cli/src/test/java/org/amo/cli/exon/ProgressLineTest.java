package org.amo.cli.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private final List<String> drawn = new ArrayList<>();
    private final ProgressLine line = new ProgressLine(drawn::add, "film.mkv", 400_000_000);

    private void show(long millis, long done, String remark) {
        line.show(done, TimeUnit.MILLISECONDS.toNanos(millis), remark);
    }

    @Test
    void theLineHasShareRateAndRemainingTime() {
        show(0, 0, "");
        show(100, 1, "too soon to draw");
        show(1_000, 100_000_000, "");
        assertEquals(
                List.of(
                        "film.mkv [............] 0 %  0 B",
                        "film.mkv [###.........] 25 %  100.0 MB  100.0 MB/s  0:03 left"),
                drawn);
    }

    @Test
    void aRemarkStandsInPlaceOfTheRate() {
        show(0, 200_000_000, "");
        show(1_000, 200_000_000, "waiting for 127.0.0.1:9600");
        assertEquals("film.mkv [######......] 50 %  200.0 MB  waiting for 127.0.0.1:9600", drawn.get(1));
    }

    @Test
    void theLineFitsATerminal() {
        ProgressLine wide = new ProgressLine(drawn::add, "a".repeat(100), 999_900_000_000L);
        wide.show(0, 0, "");
        wide.show(888_800_000L, TimeUnit.SECONDS.toNanos(1), "");
        wide.show(888_800_000L, TimeUnit.SECONDS.toNanos(2), "waiting for 127.0.0.1:9600");
        drawn.forEach(each -> assertTrue(each.length() < 80, each));
    }

    /** After the receiver was killed it goes on further back. */
    @Test
    void theRateBeginsAnewWhereTheFileGoesOn() {
        show(0, 300_000_000, "");
        show(1_000, 200_000_000, "");
        show(2_000, 240_000_000, "");
        assertEquals("film.mkv [#######.....] 60 %  240.0 MB  40.0 MB/s  0:04 left", drawn.get(2));
    }

    @Test
    void nothingOfItStays() {
        line.clear();
        assertEquals(List.of(), drawn);
        show(0, 1, "");
        line.clear();
        assertEquals("", drawn.get(1));
    }
}
