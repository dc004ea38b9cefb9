package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two sites have a message in their order, and a third that was cut off lacks it: when nobody can tell it any more. */
class DpgContactTest {
    private static final long ROUND_MICROS = 30_000;
    private static final long ABSENCE_MICROS = 5 * ROUND_MICROS;

    private final SimWorld world = new SimWorld(11, SimWorld.Tracing.NOTHING);
    private final DpgLedger ledger = new DpgLedger(world);
    private final DpgMedium medium = new DpgMedium(world, 10, 0);
    private final List<DpgSimSite> sites = new ArrayList<>();
    private DpgSimSite first;
    private DpgSimSite second;
    private Tag common = Tag.ROOT;
    private Tag missed = Tag.ROOT;

    @BeforeEach
    void theThirdIsCutOffAndTheOthersDeliver() {
        DpgOptions options = DpgOptions.builder()
                .reportMicros(ROUND_MICROS / 3)
                .deliveryMicros(3 * ROUND_MICROS, 15 * ROUND_MICROS)
                .retrievalMicros(ROUND_MICROS)
                .absence(ABSENCE_MICROS, 4)
                .build();
        DpgSettings settings = new DpgSettings(
                options, RuleSet.all(), OwnMessages.LOOPED_BACK, OverwriteDetector::new, 20, 50, "lost");
        for (int i = 0; i < 3; i++) {
            DpgSimSite site = new DpgSimSite(world, medium, ledger, settings, i, new DpgSimClock(world, 0));
            sites.add(site);
            medium.attach(site);
            site.start();
        }
        first = sites.get(0);
        second = sites.get(1);
        world.runUntilMillis(500);
        common = delivered(first);
        sites.get(2).cut(10_000_000);
        missed = delivered(first);
        assertTrue(second.has(missed));
        assertFalse(sites.get(2).has(missed));
    }

    /** Says something and gives its tag, which it delivers. */
    private Tag delivered(DpgSimSite site) {
        DpgLedger.Segment segment = site.segment();
        assertNotNull(segment);
        int before = segment.tags.size();
        assertTrue(site.submit(new byte[16]));
        world.runUntilMillis(world.nowMicros() / 1_000 + 100);
        assertEquals(before + 1, segment.tags.size());
        return segment.tags.get(before);
    }

    private boolean isLost() {
        assertFalse(ledger.contact().isLost(common), "all have it");
        return ledger.contact().isLost(missed);
    }

    @Test
    void aMessageIsNotLostWhileASiteCanTellOfIt() {
        first.crash();
        assertFalse(isLost());
        second.freeze(ABSENCE_MICROS - 1);
        assertFalse(isLost(), "it will be back before it is absent");
    }

    @Test
    void aMessageIsLostWhenAllThatHaveItHaveCrashed() {
        first.crash();
        second.crash();
        assertTrue(isLost());
    }

    @Test
    void aMessageIsLostWhenTheOnlyOneThatHasItIsAwayForAnAbsence() {
        second.crash();
        first.freeze(ABSENCE_MICROS);
        assertTrue(isLost());
    }
}
