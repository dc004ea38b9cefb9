package org.amo.benchmarks.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.amo.base.DaemonThreads;
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

    /** At the same time: nothing is measured here, and most of a run is waiting. */
    @Test
    void sitesOnTheMediumDeliverInEveryMode() throws Exception {
        Map<Figure3.Mode, FutureTask<Figure3.Result>> runs = new EnumMap<>(Figure3.Mode.class);
        for (Figure3.Mode mode : Figure3.Mode.values()) {
            FutureTask<Figure3.Result> run = new FutureTask<>(() -> new Figure3(3, BYTES).run(mode, 1_500, 1_000));
            runs.put(mode, run);
            DaemonThreads.unstarted("amo-bench-mode-" + mode, run).start();
        }
        for (Map.Entry<Figure3.Mode, FutureTask<Figure3.Result>> run : runs.entrySet()) {
            Figure3.Result result = run.getValue().get();
            assertTrue(result.perSecond() > 1, run.getKey() + ": " + result);
        }
    }
}
