package org.amo.benchmarks.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class ExonBenchTest {

    @Test
    void theShareBesideEachFlowHasANameOfItsOwn() {
        assertEquals("besideBbrShare", ExonBench.shareName(new TcpStack("bbr").name()));
        assertEquals("besideCubicShare", ExonBench.shareName(new TcpStack("cubic").name()));
    }
}
