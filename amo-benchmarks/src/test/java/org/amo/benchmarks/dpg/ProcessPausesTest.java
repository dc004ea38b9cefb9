package org.amo.benchmarks.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The others go on while a real process is killed, comes back, is stopped and goes on. */
@Tag("slow")
@Timeout(120)
class ProcessPausesTest {
    /** Half of an absence: sites that waited until the other one is absent would pause for longer. */
    private static final double MOST_MILLIS = 500;

    @Test
    void theOthersGoOnAtEachEvent() throws Exception {
        OrderAudit audit = new OrderAudit();
        Map<String, Double> pauses = new ProcessPauses(110, 200, 1_500).run(audit);
        System.out.println("pauses by a process: " + pauses);
        assertEquals(List.of("none", "kill -9", "return", "SIGSTOP", "SIGCONT"), List.copyOf(pauses.keySet()));
        pauses.forEach((event, millis) -> assertTrue(millis > 0 && millis < MOST_MILLIS, pauses::toString));
        assertTrue(audit.deliveries() > 1_000, audit::toString);
        assertEquals(0, audit.violations(), audit::toString);
    }
}
