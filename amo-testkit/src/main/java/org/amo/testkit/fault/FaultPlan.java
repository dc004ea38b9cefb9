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
    private final List<Armed> waiting = new ArrayList<>();

    /** A fault and the passage of its point, counted from the start, at which it is due. */
    private record Armed(FaultRule rule, long passage) {}

    FaultPlan(List<FaultRule> rules) {
        arm(rules);
    }

    /** The fault that is due at this passage, if any; it is due once. */
    synchronized Optional<FaultRule> pass(FaultPoint point) {
        long count = passed.merge(point, 1L, Long::sum);
        for (Iterator<Armed> all = waiting.iterator(); all.hasNext(); ) {
            Armed next = all.next();
            if (next.rule.point() == point && next.passage <= count) {
                all.remove();
                return Optional.of(next.rule);
            }
        }
        return Optional.empty();
    }

    /** Adds faults; their passages are counted from now. */
    final synchronized void arm(List<FaultRule> rules) {
        for (FaultRule rule : rules) {
            waiting.add(new Armed(rule, passed.getOrDefault(rule.point(), 0L) + rule.nth()));
        }
    }
}
