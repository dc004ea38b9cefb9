package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of several processes at once must not take each other's ports. */
class FreePortsTest {
    private static final int FIRST = 11_000;
    private static final int END = 26_000;
    private static final int DRAWS = 20_000;

    @Test
    void processesSideBySideHaveNoPortInCommon() {
        Map<Integer, Integer> partOf = new HashMap<>();
        for (int part = 1; part <= 8; part++) {
            for (int i = 0; i < DRAWS; i++) {
                int port = FreePorts.draw(Optional.of(part));
                assertTrue(port >= FIRST && port < END, () -> port + " is not of the range");
                assertEquals(part, partOf.merge(port, part, (before, now) -> before), () -> port + " is of two parts");
            }
        }
        assertTrue(partOf.size() > (END - FIRST) * 9 / 10, "each part has its share");
    }

    @Test
    void aProcessThatIsAloneHasAllPorts() {
        int lowest = END;
        int highest = FIRST;
        for (int i = 0; i < DRAWS; i++) {
            int port = FreePorts.draw(Optional.empty());
            lowest = Math.min(lowest, port);
            highest = Math.max(highest, port);
        }
        assertTrue(lowest >= FIRST && lowest < FIRST + 1_000, "from " + lowest);
        assertTrue(highest < END && highest >= END - 1_000, "to " + highest);
    }
}
