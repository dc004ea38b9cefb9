package org.amo.benchmarks.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is compared does what it is measured for. */
@Timeout(120)
class GroupRunTest {
    private static final int BYTES = 200;

    private static GroupRun.Window run(Multicast multicast, OrderAudit audit) throws Exception {
        GroupRun group = new GroupRun(multicast, 3, 50, BYTES);
        GroupRun.Window window;
        try (group) {
            group.start();
            window = group.window(2_500, 1);
        }
        group.audit(audit);
        return window;
    }

    @Test
    void aGroupOverDpgDeliversWhatItsPresentSitesOfferInOneOrder() throws Exception {
        OrderAudit audit = new OrderAudit();
        DpgMulticast multicast = new DpgMulticast(3);
        GroupRun.Window window = run(multicast, audit);
        assertTrue(window.presence() > 2 && window.presence() < 3, window::toString);
        assertTrue(window.perSecond() > 20, window::toString);
        assertTrue(audit.deliveries() > 100, audit::toString);
        assertEquals(0, audit.violations(), audit::toString);
        assertTrue(multicast.reportSharePercent() > 0 && multicast.reportSharePercent() < 100, multicast::incidents);
    }

    @Test
    void aGroupOverSequencerDoesToo() throws Exception {
        OrderAudit audit = new OrderAudit();
        GroupRun.Window window = run(new SequencerMulticast(), audit);
        assertTrue(window.perSecond() > 20, window::toString);
        assertTrue(audit.deliveries() > 100, audit::toString);
    }

    @Test
    void sitesOnTheMediumDeliverInEveryMode() throws Exception {
        for (Figure3.Mode mode : Figure3.Mode.values()) {
            Figure3.Result result = new Figure3(3, BYTES).run(mode, 1_500, 1_000);
            assertTrue(result.perSecond() > 1, mode + ": " + result);
        }
    }
}
