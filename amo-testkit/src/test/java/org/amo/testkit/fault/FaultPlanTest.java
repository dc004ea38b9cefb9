package org.amo.testkit.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    private static final List<FaultRule> RULES = FaultRule.parseList("before-order:2:kill,before-order:5:kill");

    @Test
    void eachFaultIsDueOnceWhicheverThreadPassesItsPoint() {
        Meetings.prove(
                () -> {
                    FaultPlan plan = new FaultPlan(RULES);
                    return passing(() -> plan.pass(FaultPoint.BEFORE_ORDER).isPresent());
                },
                () -> passing(new WithoutLock()::pass));
    }

    private static Meeting passing(Supplier<Boolean> pass) {
        AtomicInteger due = new AtomicInteger();
        Meeting.Act act = () -> {
            for (int i = 0; i < 3; i++) {
                if (pass.get()) {
                    due.incrementAndGet();
                }
            }
        };
        return Meeting.of(() -> due.get() == 2 ? "" : due + " of 2 faults came", act, act);
    }

    /** The same counts without the lock. */
    private static final class WithoutLock {
        private final List<Integer> waiting = new ArrayList<>(List.of(2, 5));
        private int passed;

        boolean pass() {
            int count = ++passed;
            if (!waiting.isEmpty() && waiting.get(0) <= count) {
                waiting.remove(0);
                return true;
            }
            return false;
        }
    }
}
