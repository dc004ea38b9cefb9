package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A site that is cut off (rows D5, D11, D12): the others go on, and it comes back to a segment of their sequence. */
class DpgPartitionTest {
    private static final int SITES = 5;
    private static final long ROUND_MICROS = 40_000;
    private static final long FORCE_MICROS = 3 * ROUND_MICROS;
    private static final long ABSENCE_MICROS = 5 * ROUND_MICROS;

    private final SimWorld world = new SimWorld(7, SimWorld.Tracing.NOTHING);
    private final DpgLedger ledger = new DpgLedger(world);
    private final DpgMedium medium = new DpgMedium(world, 10, 0);
    private final List<DpgSimSite> sites = new ArrayList<>();

    /** With a detector, and with one that never infers anything, so that all order is forced. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theOthersGoOnAfterDelivCycleAndTheSiteReturnsToAContiguousSegment(boolean detects) {
        start(detects ? OverwriteDetector::new : () -> arrival -> false);
        world.runUntilMillis(600);
        DpgSimSite away = sites.get(SITES - 1);
        DpgLedger.Segment before = segment(away);
        away.cut(1_000_000);
        int delivered = segment(sites.get(0)).tags.size();
        long pause = longestPauseMicros(600, 1_600);
        // The site's plan is asked for until it counts as absent; then Deliv_Cycle decides without it.
        long most = ABSENCE_MICROS + FORCE_MICROS + ROUND_MICROS;
        assertTrue(pause <= most, "the others paused for " + pause + " of at most " + most + " us");
        int during = segment(sites.get(0)).tags.size() - delivered;
        assertTrue(during > 100, "delivered meanwhile: " + during);
        world.runUntilMillis(3_000);
        DpgLedger.Segment reference = segment(sites.get(0));
        for (DpgSimSite site : sites.subList(0, SITES - 1)) {
            assertEquals(0, DpgLedger.inversions(reference, segment(site)), site::toString);
            assertEquals(0, site.core() == null ? -1 : site.core().counters().returns(), "nobody else began anew");
        }
        DpgLedger.Segment after = segment(away);
        assertNotEquals(before, after, "a new segment");
        assertTrue(after.tags.size() > 100, "delivered since: " + after.tags.size());
        DpgLedger.Breaks breaks = ledger.breaks(reference, after);
        assertTrue(breaks.compared() > 0, breaks::toString);
        assertEquals(new DpgLedger.Breaks(breaks.compared(), List.of(), List.of(), List.of()), breaks);
    }

    private void start(java.util.function.Supplier<ContiguityDetector> detectors) {
        DpgOptions options = DpgOptions.builder()
                .reportMicros(ROUND_MICROS / SITES)
                .deliveryMicros(FORCE_MICROS, 15 * ROUND_MICROS)
                .retrievalMicros(ROUND_MICROS)
                .absence(ABSENCE_MICROS, 4)
                .build();
        DpgSettings settings =
                new DpgSettings(options, RuleSet.all(), OwnMessages.LOOPED_BACK, detectors, 20, 50, "cut");
        for (int i = 0; i < SITES; i++) {
            DpgSimSite site = new DpgSimSite(world, medium, ledger, settings, i, new DpgSimClock(world, 0));
            sites.add(site);
            medium.attach(site);
            site.start();
            submit(site);
        }
    }

    private void submit(DpgSimSite site) {
        world.after(world.about(15_000), () -> {
            site.submit(new byte[64]);
            submit(site);
        });
    }

    private long longestPauseMicros(long fromMillis, long toMillis) {
        long longest = 0;
        int[] sizes = new int[SITES];
        long[] grew = new long[SITES];
        for (long now = fromMillis; now <= toMillis; now++) {
            world.runUntilMillis(now);
            for (int i = 0; i < SITES - 1; i++) {
                int size = segment(sites.get(i)).tags.size();
                if (size > sizes[i] || now == fromMillis) {
                    sizes[i] = size;
                    grew[i] = now;
                }
                longest = Math.max(longest, (now - grew[i]) * 1_000);
            }
        }
        return longest;
    }

    private static DpgLedger.Segment segment(DpgSimSite site) {
        DpgLedger.Segment segment = site.segment();
        assertNotNull(segment, site::toString);
        return segment;
    }
}
