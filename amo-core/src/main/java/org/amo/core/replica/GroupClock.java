package org.amo.core.replica;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The clock that stamps entries: the largest orderedTime delivered, carried on by this machine's monotonic clock
 * (I3). No single wall clock moves it: it is drawn towards the median wall clock of a majority by at most 1/1000,
 * and steps only forward, by an ordered entry of the leader (D10).
 *
 * <p>{@code nowMillis} is monotonic. One thread owns it.
 */
final class GroupClock {
    /** Slewing: at most one in a thousand. */
    private static final int SLEW_DIVISOR = 1_000;

    private static final long REPORT_LIFE_MILLIS = 5_000;

    private final int majority;
    private final Map<String, Report> reports = new HashMap<>();
    private boolean started;
    private double baseMillis;
    private long baseAtMillis;
    private int slew;

    GroupClock(int members) {
        majority = members / 2 + 1;
    }

    boolean started() {
        return started;
    }

    /** Never sets the clock back. */
    void onDelivered(long orderedTimeMillis, long nowMillis) {
        if (!started || orderedTimeMillis > read(nowMillis)) {
            started = true;
            baseMillis = orderedTimeMillis;
            baseAtMillis = nowMillis;
        }
    }

    long read(long nowMillis) {
        long elapsed = nowMillis - baseAtMillis;
        return (long) (baseMillis + elapsed + slew * (elapsed / (double) SLEW_DIVISOR));
    }

    /** A member's wall clock, this one's too. */
    void onWallClock(String member, long wallMillis, long nowMillis) {
        reports.put(member, new Report(wallMillis, nowMillis));
        medianWall(nowMillis).ifPresent(wall -> slewTowards(wall, nowMillis));
    }

    /** The median wall clock of the members heard of lately, if they are a majority. */
    Optional<Long> medianWall(long nowMillis) {
        long[] walls = reports.values().stream()
                .filter(report -> nowMillis - report.atMillis <= REPORT_LIFE_MILLIS)
                .mapToLong(report -> report.wallMillis + nowMillis - report.atMillis)
                .sorted()
                .toArray();
        if (walls.length < majority) {
            return Optional.empty();
        }
        // Of two middle ones the lower: a step too small is made up by the next.
        return Optional.of(
                Arrays.stream(walls).skip((walls.length - 1) / 2).findFirst().orElseThrow());
    }

    private void slewTowards(long wallMillis, long nowMillis) {
        if (!started) {
            return;
        }
        double exact = baseMillis + (nowMillis - baseAtMillis) * (1 + slew / (double) SLEW_DIVISOR);
        baseMillis = exact;
        baseAtMillis = nowMillis;
        slew = Long.compare(wallMillis, (long) exact);
    }

    private record Report(long wallMillis, long atMillis) {}
}
