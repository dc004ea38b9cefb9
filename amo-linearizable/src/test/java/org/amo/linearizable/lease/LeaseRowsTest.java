package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeaseRowsTest {
    @Test
    void rowsAreFoundLikeInAMapThroughAddsAndRemovals() {
        Random random = new Random(3);
        for (long seed : new long[] {0, 0x5DEECE66DL}) {
            LeaseRows rows = new LeaseRows(2, seed);
            Map<Long, Long> model = new HashMap<>();
            for (int i = 0; i < 200_000; i++) {
                long id = 1L + random.nextInt(i < 100_000 ? 5_000 : 300);
                int row = rows.find(id);
                assertEquals(model.containsKey(id), row != LeaseRows.NONE);
                if (row == LeaseRows.NONE) {
                    row = rows.add(id);
                    assertEquals(0, rows.get(row, 1));
                    rows.set(row, 1, i);
                    model.put(id, (long) i);
                } else if (random.nextBoolean()) {
                    assertEquals(model.remove(id), rows.get(row, 1));
                    rows.remove(row);
                    assertEquals(0, rows.id(row));
                } else {
                    assertEquals(model.get(id), rows.get(row, 1));
                }
            }
            assertEquals(model.size(), rows.size());
            long used = 0;
            for (int row = 0; row < rows.end(); row++) {
                used += rows.id(row) != 0 ? 1 : 0;
            }
            assertEquals(model.size(), used);
        }
    }
}
