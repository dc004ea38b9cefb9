package org.amo.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConnectionTableTest {

    @Test
    void behavesLikeAMapThroughGrowthRemovalAndReuse() {
        ConnectionTable table = new ConnectionTable(42);
        Map<ConnectionId, Long> model = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 60_000; i++) {
            ConnectionId connection = new ConnectionId(random.nextInt(3), random.nextInt(40), random.nextInt(80));
            int slot = table.find(connection);
            assertEquals(model.containsKey(connection), slot != ConnectionTable.NONE);
            if (slot == ConnectionTable.NONE) {
                slot = table.add(connection, i);
                model.put(connection, (long) i);
            } else if (random.nextInt(3) == 0) {
                assertEquals(model.remove(connection), table.timestamp(slot));
                table.remove(slot);
                assertFalse(table.isUsed(slot));
                continue;
            } else {
                table.setTimestamp(slot, i);
                model.put(connection, (long) i);
            }
            assertEquals(connection, table.connection(slot));
            assertEquals(i, table.timestamp(slot));
        }
        assertEquals(model.size(), table.size());
        assertTrue(table.slots() <= 3 * 40 * 80, "slots are used again");
        model.forEach((connection, timestamp) -> assertEquals(timestamp, table.timestamp(table.find(connection))));
    }
}
