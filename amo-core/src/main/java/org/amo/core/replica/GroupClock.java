package org.amo.core.replica;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The clock that stamps entries: the largest orderedTime delivered, carried on by this machine's monotonic clock. No
 * minority of wall clocks moves it: it is drawn towards the time that a majority of them has reached, by at most 1/1000, and
 * steps only forward, by an ordered entry of the leader.
 *
 * <p>{@code nowMillis} is monotonic. One thread owns it.
 */
class GroupClock {
    /** Slewing: at most one in a thousand. */
    private static final int SLEW_DIVISOR = 1_000;

    private static final long REPORT_LIFE_MILLIS = 5_000;

    private int members;
    private int majority;
    private final Map<String, ExecutionReport> reports = new HashMap<>();
    private boolean started;
    private double baseMillis;
    private long baseAtMillis;
    private int slew;

    GroupClock(int members) {
        this.members = members;
        majority = members / 2 + 1;
    }

    /** From now on these are the members; clocks of others do not count. */
    void onMembers(Collection<String> ids) {
        members = ids.size();
        majority = members / 2 + 1;
        reports.keySet().retainAll(ids);
    }

    /** Never sets the clock back. */
    void onDelivered(long orderedTimeMillis, long nowMillis) {
        if (!started || orderedTimeMillis > read(nowMillis)) {
            started = true;
            baseMillis = orderedTimeMillis;
            baseAtMillis = nowMillis;
        }
    }

    final long read(long nowMillis) {
        long elapsed = nowMillis - baseAtMillis;
        return (long) (baseMillis + elapsed + slew * (elapsed / (double) SLEW_DIVISOR));
    }

    /** The time that an entry carries. */
    long stamp(long nowMillis) {
        return read(nowMillis);
    }

    /** A member's wall clock, this one's too. */
    void onWallClock(String member, long wallMillis, long nowMillis) {
        reports.put(member, new ExecutionReport(wallMillis, nowMillis));
        reachedWall(nowMillis).ifPresent(wall -> slewTowards(wall, nowMillis));
    }

    /**
     * Where a group without state begins. With every member heard: the median of their wall clocks, which a minority of
     * wrong ones cannot move beyond the correct ones. With a majority heard: the time on which a majority agrees within
     * {@code windowMillis}, since one of two clocks that contradict each other is wrong, and it is unknown which. So the
     * group begins neither before stamps of its lost life nor so far ahead that the next life would.
     */
    Optional<Long> startWall(long windowMillis, long nowMillis) {
        long[] walls = walls(nowMillis);
        if (walls.length == members) {
            return Optional.of(walls[majority - 1]);
        }
        for (int last = walls.length - 1; last >= majority - 1; last--) {
            if (walls[last] - walls[last - majority + 1] <= windowMillis) {
                return Optional.of(walls[last]);
            }
        }
        return Optional.empty();
    }

    /**
     * How far the group's time may step forward: a majority of the members' wall clocks has reached this, so a correct one
     * has. The median when all are heard.
     */
    Optional<Long> reachedWall(long nowMillis) {
        long[] walls = walls(nowMillis);
        return walls.length < majority ? Optional.empty() : Optional.of(walls[walls.length - majority]);
    }

    private long[] walls(long nowMillis) {
        return reports.values().stream()
                .filter(report -> nowMillis - report.atMillis <= REPORT_LIFE_MILLIS)
                .mapToLong(report -> report.wallMillis + nowMillis - report.atMillis)
                .sorted()
                .toArray();
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

    private record ExecutionReport(long wallMillis, long atMillis) {}
}
