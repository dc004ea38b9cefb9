package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CountDownLatch;
import org.amo.kv.KvClient.Records;
import org.amo.kv.KvException;
import org.junit.jupiter.api.Test;

/** The bound on completion records that wait for their removal. */
final class KvRecordsWatchTest {
    @Test
    void aTenthAndAGroupOfEachServerMayWaitForTheirRemoval() throws Exception {
        assertEquals(true, isGood(new Records(3, 0, 3 * (32 + 8))));
        assertEquals(false, isGood(new Records(3, 0, 3 * (32 + 8) + 1)));
        assertEquals(true, isGood(new Records(1, 10_000, 1_040)));
        assertEquals(false, isGood(new Records(1, 10_000, 1_041)));
        assertEquals(false, isGood(new Records(0, 0, 0)), "no server was looked at");
    }

    private static boolean isGood(Records told) throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(2);
        KvRecordsWatch watch = new KvRecordsWatch(
                () -> {
                    looks.countDown();
                    if (looks.getCount() == 1) {
                        throw new KvException("the machine is overloaded");
                    }
                    return told;
                },
                8,
                1);
        looks.await();
        watch.end();
        ObjectNode json = new ObjectMapper().createObjectNode();
        watch.write(json);
        assertEquals(told.garbage(), json.at("/records/garbageEnd").asLong());
        assertEquals(watch.isGood(), json.at("/records/withinBound").asBoolean());
        return watch.isGood();
    }
}
