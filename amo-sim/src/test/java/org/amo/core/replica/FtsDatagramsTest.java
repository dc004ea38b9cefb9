package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls without a connection in virtual time, and each of their rules taken out. */
class FtsDatagramsTest {
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS =
            Map.of("datagram-refusal-counts", 25L, "timestamp-at-retry", 4L);

    private static boolean isOn(long seed) {
        return FtsDatagrams.of(seed, FtsDatagrams.Mutant.NONE, false).isOn();
    }

    @ParameterizedTest
    @EnumSource(value = Faults.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void datagramsBreakNoRule(Faults faults) {
        long datagrams = SoundRuns.count(
                faults, LongStream.rangeClosed(1, Seeds.many(16, 200)).filter(FtsDatagramsTest::isOn), "datagram");
        assertTrue(datagrams > 100, "datagrams: " + datagrams);
    }

    static List<FtsDatagrams.Mutant> mutants() {
        return Planted.all(FtsDatagrams.Mutant.values());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsFound(FtsDatagrams.Mutant mutant) {
        Seeds.isFound("fts", mutant.plant(), FIRST_SEEDS.getOrDefault(mutant.plant(), 1L));
    }
}
