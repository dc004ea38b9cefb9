package org.amo.benchmarks.dpg;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.dpg.DpgOptions;
import org.amo.dpg.OwnMessages;
import org.amo.dpg.udp.DpgNodeOptions;

/** Group throughput on a single-access medium, Konorski's figure 3: the gain by suspended delivery and the detector. */
final class Figure3 {
    static final double MEGABITS = 10;

    private static final int ADMISSION = 64;

    /** One message a site in the time that the medium takes for one of each: multicast queues stay short. */
    static final long FRAME_MICROS = 1_000;

    private final int sites;
    private final int bytes;

    /** The service that the network gives to the protocol. */
    enum Mode {
        /** Own messages are not received; the meaning of that is found out from reports. */
        SUSPENDED("suspended delivery", OwnMessages.SUSPENDED, true),
        /** Own messages are not received: each breaks the sequence of receptions. */
        MISSED("own messages missed", OwnMessages.MISSED, true),
        /** No inference at all. */
        NO_DETECTOR("no detector", OwnMessages.SUSPENDED, false),
        /** Own messages come back: better than any interface of the paper's time. */
        LOOPED_BACK("own messages looped back", OwnMessages.LOOPED_BACK, true);

        final String title;
        final OwnMessages own;
        final boolean detects;

        Mode(String title, OwnMessages own, boolean detects) {
            this.title = title;
            this.own = own;
            this.detects = detects;
        }
    }

    /**
     * One measurement.
     *
     * @param perSecond messages delivered at a site that was there all the time
     * @param mostVertices in the graph of any site
     * @param overwritten frames that a site did not fetch in time
     * @param returns sites that took themselves for absent
     * @param reportSharePercent share of reports in the bytes of all PDUs
     * @param violationsPerMillion of the deliveries of all sites
     */
    record Result(
            double perSecond,
            int mostVertices,
            long overwritten,
            long returns,
            double reportSharePercent,
            double violationsPerMillion) {

        /** Without those out of the agreed order; NaN if no site was there all the time, to compare with. */
        double agreedPerSecond() {
            return perSecond * (1 - violationsPerMillion / 1e6);
        }
    }

    Figure3(int sites, int bytes) {
        this.sites = sites;
        this.bytes = bytes;
    }

    private DpgOptions options(OwnMessages own) {
        return DpgNodeOptions.coreFor(sites)
                .maxBodyBytes(bytes)
                .buffers(1_024, ADMISSION)
                .flowControl(sites * FRAME_MICROS, 100_000, 100, 5_000)
                .ownMessages(own)
                .build();
    }

    Result run(Mode mode, long rampMillis, long millis) throws InterruptedException {
        Medium medium = new Medium(MEGABITS);
        AtomicLong ids = new AtomicLong();
        List<MediumSite> all = new ArrayList<>();
        for (int i = 0; i < sites; i++) {
            MediumSite site =
                    new MediumSite(medium, i, options(mode.own), mode.own, mode.detects, bytes, ids, new DeliveryLog());
            all.add(site);
            medium.attach(site);
        }
        medium.start();
        all.forEach(MediumSite::start);
        TimeUnit.MILLISECONDS.sleep(rampMillis);
        int before = all.get(0).deliveries().size();
        long start = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(millis);
        double perSecond = (all.get(0).deliveries().size() - before) * 1e9 / (System.nanoTime() - start);
        medium.close();
        all.forEach(MediumSite::close);
        List<DeliveryLog> steady = new ArrayList<>();
        List<DeliveryLog> others = new ArrayList<>();
        int vertices = 0;
        long overwritten = 0;
        long returns = 0;
        long messageBytes = 0;
        long reportBytes = 0;
        for (MediumSite site : all) {
            (site.returns() == 0 ? steady : others).add(site.deliveries());
            vertices = Math.max(vertices, site.mostVertices());
            overwritten += site.overwritten();
            returns += site.returns();
            messageBytes += site.messageBytes();
            reportBytes += site.reportBytes();
        }
        OrderAudit audit = new OrderAudit();
        if (!steady.isEmpty()) {
            audit.compare(steady, others);
        }
        double share = 100.0 * reportBytes / Math.max(1, reportBytes + messageBytes);
        return new Result(perSecond, vertices, overwritten, returns, share, audit.perMillion());
    }
}
