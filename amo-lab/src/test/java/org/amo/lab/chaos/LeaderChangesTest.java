package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The field {@code elections} of a run's result. */
final class LeaderChangesTest {
    private final LeaderChanges changes = new LeaderChanges();

    @Test
    void eachOtherLeaderCountsOnce() {
        see("a", "a", "b", "b", "a");
        assertEquals(2, changes.count());
    }

    @Test
    void theFirstLeaderIsNoChange() {
        see("", "c", "c");
        assertEquals(0, changes.count());
    }

    @Test
    void aTimeWithoutALeaderIsNoChangeByItself() {
        see("a", "", "", "a");
        assertEquals(0, changes.count());
        see("", "b");
        assertEquals(1, changes.count());
    }

    private void see(String... leaders) {
        List.of(leaders).forEach(changes::see);
    }
}
