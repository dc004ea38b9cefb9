package org.amo.testkit.fault;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The faults that are still to come, and how often each point was passed. Threads share it. */
final class FaultPlan {
    private final Map<FaultPoint, Long> passed = new EnumMap<>(FaultPoint.class);
    private final List<FaultRule> waiting;

    FaultPlan(List<FaultRule> rules) {
        waiting = new ArrayList<>(rules);
    }

    /** The fault that is due at this passage, if any; it is due once. */
    synchronized Optional<FaultRule> pass(FaultPoint point) {
        long count = passed.merge(point, 1L, Long::sum);
        for (Iterator<FaultRule> all = waiting.iterator(); all.hasNext(); ) {
            FaultRule rule = all.next();
            if (rule.point() == point && rule.nth() <= count) {
                all.remove();
                return Optional.of(rule);
            }
        }
        return Optional.empty();
    }

    /** Adds faults; their passages are counted from now. */
    synchronized void arm(List<FaultRule> rules) {
        for (FaultRule rule : rules) {
            long from = passed.getOrDefault(rule.point(), 0L);
            waiting.add(new FaultRule(rule.point(), from + rule.nth(), rule.action(), rule.millis()));
        }
    }
}
