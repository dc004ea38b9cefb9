package org.amo.benchmarks.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Row E6: "a single integer": what a node keeps of nodes that it has spoken with. */
class IdlePeersTest {
    @Test
    void pastPeersCostNothing() {
        IdlePeers.Result result = new IdlePeers().measure(20_000);
        assertEquals(0, result.remembered());
        assertTrue(result.active() > 500, "they were never remembered: " + result);
        // Heaps are measured with some noise: 60 kB here. A table that keeps its size would be 13 bytes a peer.
        assertTrue(result.past() < 3, result.toString());
    }
}
