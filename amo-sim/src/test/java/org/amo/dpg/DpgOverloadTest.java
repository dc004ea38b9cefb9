package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.Test;

/** Row D10: one slow site with few buffers makes all send more slowly, until it has recovered what it lost. */
class DpgOverloadTest {
    private static final int SITES = 4;

    private final SimWorld world = new SimWorld(3, SimWorld.Tracing.NOTHING);
    private final DpgLedger ledger = new DpgLedger(world);
    private final DpgMedium medium = new DpgMedium(world, 10, 0);
    private final List<DpgSimSite> sites = new ArrayList<>();

    @Test
    void throughputRecoversAfterAnOverload() {
        DpgOptions options = DpgOptions.builder()
                .buffers(32, 64)
                .reportMicros(8_000)
                .deliveryMicros(100_000, 500_000)
                .absence(160_000, 4)
                .flowControl(2_000, 50_000, 500, 5_000)
                .build();
        DpgSettings settings = new DpgSettings(
                options, RuleSet.all(), OwnMessages.LOOPED_BACK, OverwriteDetector::new, 20, 100, "overload");
        for (int i = 0; i < SITES; i++) {
            DpgSimSite site = new DpgSimSite(world, medium, ledger, settings, i, new DpgSimClock(world, 0));
            sites.add(site);
            medium.attach(site);
            site.start();
            submit(site);
        }
        world.runUntilMillis(500);
        int before = deliveredUntil(1_000);
        sites.get(3).slow(500_000);
        int during = deliveredUntil(1_500);
        deliveredUntil(3_000);
        int after = deliveredUntil(3_500);
        assertTrue(before > 300, "before: " + before);
        assertTrue(during < before * 0.8, "during: " + during + " of " + before);
        assertTrue(after > before * 0.95, "after: " + after + " of " + before);
        for (DpgSimSite site : sites) {
            assertEquals(0, site.core() == null ? -1 : site.core().counters().dummies(), site::toString);
        }
    }

    /** As much as the site takes. */
    private void submit(DpgSimSite site) {
        world.after(500, () -> {
            site.submit(new byte[64]);
            submit(site);
        });
    }

    /** Messages that the first site delivers from now until then. */
    private int deliveredUntil(long millis) {
        DpgLedger.Segment segment = sites.get(0).segment();
        int delivered = segment == null ? 0 : segment.tags.size();
        world.runUntilMillis(millis);
        return (segment == null ? 0 : segment.tags.size()) - delivered;
    }
}
