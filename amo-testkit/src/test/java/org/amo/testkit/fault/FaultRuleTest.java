package org.amo.testkit.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FaultRuleTest {

    @Test
    void whatIsWrittenIsRead() {
        List<FaultRule> rules = List.of(
                new FaultRule(FaultPoint.AFTER_ORDER, 3, FaultAction.KILL, 0),
                new FaultRule(FaultPoint.BEFORE_SACK, 1, FaultAction.DELAY, 500),
                new FaultRule(FaultPoint.AFTER_REPLY, 2, FaultAction.DUPLICATE, 900));
        assertEquals(
                rules, FaultRule.parseList("after-order:3:kill, before-sack:1:delay:500, after-reply:2:duplicate:900"));
        assertEquals("after-order:3:kill", rules.get(0).toString());
        assertEquals(rules, FaultRule.parseList(rules.get(0) + "," + rules.get(1) + "," + rules.get(2)));
        assertEquals(List.of(), FaultRule.parseList(""));
    }

    @Test
    void aMistakeIsToldWithTheRightForm() {
        assertMessage("after-order:3:kill", "after-order:kill");
        assertMessage("before-order, after-order", "after-oder:3:kill");
        assertMessage("kill, delay", "after-order:3:stop");
        assertMessage("a number", "after-order:x:kill");
        assertMessage("counted from 1", "after-order:0:kill");
        assertMessage("delay:500", "after-order:1:delay");
        assertMessage("takes no time", "after-order:1:kill:5");
        assertMessage("takes no time", "before-sack:1:duplicate:5");
        assertMessage("before-reply", "after-reply:1:delay:5");
    }

    @Test
    void aFaultIsDueOnceAtItsPassage() {
        FaultPlan plan = new FaultPlan(FaultRule.parseList("after-order:2:kill"));
        assertEquals(Optional.empty(), plan.pass(FaultPoint.AFTER_ORDER));
        assertEquals(Optional.empty(), plan.pass(FaultPoint.AFTER_REPLY));
        assertTrue(plan.pass(FaultPoint.AFTER_ORDER).isPresent());
        assertEquals(Optional.empty(), plan.pass(FaultPoint.AFTER_ORDER));
    }

    @Test
    void whatIsArmedLaterCountsFromThen() {
        FaultPlan plan = new FaultPlan(List.of());
        plan.pass(FaultPoint.AFTER_ORDER);
        plan.arm(FaultRule.parseList("after-order:2:kill"));
        assertEquals(Optional.empty(), plan.pass(FaultPoint.AFTER_ORDER));
        assertEquals(
                Optional.of("after-order:2:kill"),
                plan.pass(FaultPoint.AFTER_ORDER).map(FaultRule::toString),
                "as it was asked for");
    }

    private static void assertMessage(String part, String text) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> FaultRule.parseList(text), text);
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }
}
