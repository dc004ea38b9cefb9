package org.amo.benchmarks.exon;

import java.util.LinkedHashMap;
import java.util.Map;
import org.amo.benchmarks.link.LinkSettings;

/**
 * One point of measurement.
 *
 * @param megabits of the link, a second
 * @param rttMillis round-trip time of the empty link
 * @param lossPercent in both directions
 * @param actors that call; 0 for messages one way
 */
record Point(double megabits, int rttMillis, int lossPercent, int actors) {
    /** 1.2 times the bytes under way on a full link, as routers have it, or 20 packets. */
    private static final double QUEUE = 1.2;

    private static final int LEAST_QUEUE = 30_000;

    static Point oneWay(double megabits, int rttMillis, int lossPercent) {
        return new Point(megabits, rttMillis, lossPercent, 0);
    }

    int queueBytes() {
        return (int) Math.max(LEAST_QUEUE, QUEUE * megabits * 1_000 / 8 * rttMillis);
    }

    LinkSettings link(long seed) {
        return LinkSettings.delay(rttMillis * 500L)
                .rate(megabits, queueBytes())
                .loss(lossPercent / 100.0)
                .seed(seed);
    }

    Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("megabits", megabits);
        settings.put("rttMillis", rttMillis);
        settings.put("lossPercent", lossPercent);
        if (actors > 0) {
            settings.put("actors", actors);
        }
        return settings;
    }

    @Override
    public String toString() {
        return (actors == 0 ? "one way" : actors + " actors") + ", " + (long) megabits + " Mbit/s, " + rttMillis
                + " ms, " + lossPercent + " % loss";
    }
}
