package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PeerMistakesTest {
    @Test
    void fiveMistakesAMinuteAreToldAndTheOthersCounted() {
        List<String> told = new ArrayList<>();
        AtomicLong now = new AtomicLong();
        PeerMistakes mistakes = new PeerMistakes(told::add, now::get);
        for (int i = 0; i < 1_000; i++) {
            mistakes.warn("mistake");
        }
        assertEquals(5, told.size());
        now.addAndGet(60_000_000_000L);
        mistakes.warn("mistake");
        assertEquals("mistake (and 995 more mistakes of clients before it)", told.get(5));
        mistakes.warn("another");
        assertEquals("another", told.get(6));
    }
}
