package org.amo.benchmarks.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Row E6: "a single integer": what a node keeps of nodes that it has spoken with. */
class IdlePeersTest {
    private static final int TRIES = 4;

    /** A table that keeps its size would be 13 bytes a peer, in each try. Other tests of this JVM can leave some noise in one. */
    @Test
    void pastPeersCostNothing() {
        List<IdlePeers.Result> results = new ArrayList<>();
        do {
            IdlePeers.Result result = new IdlePeers().measure(20_000);
            assertEquals(0, result.remembered());
            assertTrue(result.active() > 500, "they were never remembered: " + result);
            results.add(result);
        } while (results.size() < TRIES && results.get(results.size() - 1).past() >= 3);
        assertTrue(results.get(results.size() - 1).past() < 3, results.toString());
    }
}
