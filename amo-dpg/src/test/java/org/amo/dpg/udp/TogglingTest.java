package org.amo.dpg.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows D11 and D16 in computed time: sites that go without a word and come again are not noticed by the others. */
class TogglingTest {
    private static final int SITES = 7;
    private static final int TOGGLING = 3;
    private static final double PER_SECOND = 110;
    private static final long SECOND = 1_000_000;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Boolean.getBoolean("amo.allSeeds") ? 3 : 1);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theOthersHaveNoPauseWhileSitesGoAndComeOnceASecond(long seed) {
        DpgNodeOptions options = DpgNodeOptions.builder("a secret of tests")
                .core(DpgNodeOptions.coreFor(SITES).build())
                .build();
        ComputedGroup group = new ComputedGroup(options, PER_SECOND, seed);
        List<ComputedGroup.Site> sites = new ArrayList<>();
        for (int i = 0; i < SITES; i++) {
            sites.add(group.join());
        }
        group.run(3 * SECOND);
        List<ComputedGroup.Site> steady = sites.subList(0, SITES - TOGGLING);
        steady.forEach(ComputedGroup.Site::watch);
        int before = steady.get(0).delivered().size();
        boolean[] away = new boolean[SITES];
        double present = 0;
        for (int step = 0; step < 8 * TOGGLING; step++) {
            int toggled = SITES - TOGGLING + step % TOGGLING;
            if (away[toggled]) {
                sites.set(toggled, group.join());
            } else {
                sites.get(toggled).goes();
            }
            away[toggled] = !away[toggled];
            for (boolean each : away) {
                present += each ? 0 : 1.0 / TOGGLING;
            }
            group.run(SECOND / TOGGLING);
        }
        double share = (steady.get(0).delivered().size() - before) / (present * PER_SECOND);
        assertTrue(share >= 0.95, "share of what was offered: " + share);
        List<String> common = steady.get(0).delivered();
        for (ComputedGroup.Site site : steady) {
            assertTrue(site.longestPauseMicros() <= 100_000, "a pause of " + site.longestPauseMicros() + " us");
            assertEquals(0, site.dummies());
            assertEquals(0, site.figures().violations());
            int least = Math.min(common.size(), site.delivered().size());
            assertEquals(common.subList(0, least), site.delivered().subList(0, least));
        }
        for (ComputedGroup.Site site : sites.subList(SITES - TOGGLING, SITES)) {
            List<String> segment = site.delivered();
            List<String> known = segment.subList(0, Math.max(0, segment.size() - 20));
            assertTrue(Collections.indexOfSubList(common, known) >= 0, "a segment that is not contiguous");
        }
    }
}
