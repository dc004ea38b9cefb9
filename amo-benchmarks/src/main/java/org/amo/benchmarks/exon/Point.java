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
 * @param jitterMillis that each packet takes longer at most, in either direction
 * @param reorderedPercent of the packets, which are held for up to a round trip longer; only without jitter
 */
record Point(double megabits, int rttMillis, int lossPercent, int actors, int jitterMillis, int reorderedPercent) {
    /** 1.2 times the bytes under way on a full link, as routers have it, or 20 packets. */
    private static final double QUEUE = 1.2;

    private static final int LEAST_QUEUE = 30_000;

    /** A link that keeps the order. */
    Point(double megabits, int rttMillis, int lossPercent, int actors) {
        this(megabits, rttMillis, lossPercent, actors, 0, 0);
    }

    static Point oneWay(double megabits, int rttMillis, int lossPercent) {
        return new Point(megabits, rttMillis, lossPercent, 0);
    }

    Point jitter(int millis) {
        return new Point(megabits, rttMillis, lossPercent, actors, millis, 0);
    }

    Point reordered(int percent) {
        return new Point(megabits, rttMillis, lossPercent, actors, 0, percent);
    }

    int queueBytes() {
        return (int) Math.max(LEAST_QUEUE, QUEUE * megabits * 1_000 / 8 * rttMillis);
    }

    LinkSettings link(long seed) {
        LinkSettings link = LinkSettings.delay(rttMillis * 500L)
                .rate(megabits, queueBytes())
                .loss(lossPercent / 100.0)
                .seed(seed);
        return jitterMillis > 0
                ? link.jitter(jitterMillis * 1_000L)
                : link.reordering(reorderedPercent / 100.0, rttMillis * 1_000L);
    }

    Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("megabits", megabits);
        settings.put("rttMillis", rttMillis);
        settings.put("lossPercent", lossPercent);
        if (actors > 0) {
            settings.put("actors", actors);
        }
        if (jitterMillis > 0) {
            settings.put("jitterMillis", jitterMillis);
        }
        if (reorderedPercent > 0) {
            settings.put("reorderedPercent", reorderedPercent);
        }
        return settings;
    }

    @Override
    public String toString() {
        return (actors == 0 ? "one way" : actors + " actors") + ", " + (long) megabits + " Mbit/s, " + rttMillis
                + " ms, " + lossPercent + " % loss" + (jitterMillis > 0 ? ", jitter " + jitterMillis + " ms" : "")
                + (reorderedPercent > 0 ? ", " + reorderedPercent + " % reordered" : "");
    }
}
