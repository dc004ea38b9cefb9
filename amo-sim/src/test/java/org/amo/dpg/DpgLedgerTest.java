package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.Test;

/** The checks themselves, on deliveries written by hand. */
class DpgLedgerTest {
    private static final Tag A = new Tag(7, 1);
    private static final Tag B = new Tag(8, 1);
    private static final Tag C = new Tag(9, 1);

    private final SimWorld world = new SimWorld(5, SimWorld.Tracing.NOTHING);
    private final DpgLedger ledger = new DpgLedger(world);
    private final DpgScene scene = new DpgScene(world, DpgProfile.onlyLoss(0, true), RuleSet.all(), 3, 5);

    private DpgLedger.Segment segment(int index, Tag... tags) {
        DpgSimClock clock = new DpgSimClock(world, 0);
        DpgSimSite site = new DpgSimSite(world, scene.medium, ledger, scene.settings, index, clock);
        DpgLedger.Segment segment = ledger.begin(site, index + 1, Tag.ROOT);
        segment.tags.addAll(Arrays.asList(tags));
        return segment;
    }

    @Test
    void eachTwoSitesThatWereAlwaysThereAreCompared() {
        DpgLedger.Segment first = segment(0, C);
        DpgLedger.Segment second = segment(1, A, B);
        assertEquals(3, DpgLedger.checkAgreed(List.of(first, second, segment(2, A, C))));
        // Neither of the two is out of order against the first one, which lacks both messages.
        DpgLedger.Segment third = segment(2, B, A);
        assertThrows(SimViolationException.class, () -> DpgLedger.checkAgreed(List.of(first, second, third)));
    }

    @Test
    void sitesWithoutAnotherAreNoPair() {
        assertEquals(0, DpgLedger.checkAgreed(List.of()));
        assertEquals(0, DpgLedger.checkAgreed(List.of(segment(0, A, B))));
        assertEquals(0, DpgLedger.checkAgreed(List.of(segment(0, A, B), segment(1))));
    }

    @Test
    void aBreakCountsTheNeighboursThatItCompared() {
        DpgLedger.Segment whole = segment(0, A, B, C);
        DpgLedger.Segment tail = segment(1, B, C);
        assertEquals(1, ledger.breaks(whole, tail).compared());
        DpgLedger.Segment swapped = segment(2, A, C, B);
        DpgLedger.Breaks breaks = ledger.breaks(whole, swapped);
        assertEquals(2, breaks.compared());
        assertEquals(List.of(C, B), breaks.displaced());
        swapped.unheard.add(C);
        assertEquals(1, ledger.breaks(whole, swapped).compared());
    }
}
