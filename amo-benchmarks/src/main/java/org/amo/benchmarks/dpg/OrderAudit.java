package org.amo.benchmarks.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How far sites that were there all the time, and segments of others, agree on one sequence: each message that stands elsewhere than in
 * the reference, is left out, or is too many, counts as a violation. One thread owns it.
 */
final class OrderAudit {
    private long deliveries;
    private long outOfOrder;
    private long leftOut;
    private long added;

    /**
     * Compares every segment with the longest sequence of a site that was there all the time. Ends are left out: some were still
     * delivering when the run stopped.
     *
     * @param steady of the sites that were there from the first message to the last
     * @param others lives of sites that came or went
     */
    void compare(List<DeliveryLog> steady, List<DeliveryLog> others) {
        long[] reference = new long[0];
        for (DeliveryLog each : steady) {
            long[] all = each.all();
            reference = all.length > reference.length ? all : reference;
        }
        Map<Long, Integer> places = new HashMap<>();
        for (int i = 0; i < reference.length; i++) {
            places.put(reference[i], i);
        }
        List<DeliveryLog> lives = new ArrayList<>(steady);
        lives.addAll(others);
        for (DeliveryLog life : lives) {
            Set<Long> before = new HashSet<>();
            for (long[] segment : life.segments()) {
                compare(segment, reference, places, before);
                for (long id : segment) {
                    before.add(id);
                }
            }
        }
    }

    private void compare(long[] segment, long[] reference, Map<Long, Integer> places, Set<Long> before) {
        deliveries += segment.length;
        int highest = -1;
        int unknown = 0;
        for (long id : segment) {
            Integer place = places.get(id);
            if (place == null) {
                unknown++;
                continue;
            }
            added += unknown;
            unknown = 0;
            if (place < highest) {
                outOfOrder++;
                continue;
            }
            for (int i = highest + 1; highest >= 0 && i < place; i++) {
                leftOut += before.contains(reference[i]) ? 0 : 1;
            }
            highest = place;
        }
    }

    long deliveries() {
        return deliveries;
    }

    long violations() {
        return outOfOrder + leftOut + added;
    }

    double perMillion() {
        return deliveries == 0 ? Double.NaN : violations() * 1e6 / deliveries;
    }

    @Override
    public String toString() {
        return outOfOrder + " out of order, " + leftOut + " left out, " + added + " too many, of " + deliveries;
    }
}
