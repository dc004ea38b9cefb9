package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SendBudgetTest {
    @Test
    void callsAreLimitedByTheirNumber() {
        SendBudget budget = new SendBudget(2, 100);
        assertTrue(budget.take(1));
        assertTrue(budget.take(1));
        assertFalse(budget.take(1));
        budget.giveBack(1);
        assertTrue(budget.take(1));
    }

    @Test
    void callsAreLimitedByTheBytesOfTheirArguments() {
        SendBudget budget = new SendBudget(10, 100);
        assertTrue(budget.take(60));
        assertFalse(budget.take(41));
        assertTrue(budget.take(40));
        budget.giveBack(60);
        assertTrue(budget.take(60));
        assertFalse(budget.take(1));
    }

    @Test
    void aCallAloneMayBeLongerThanTheBudget() {
        SendBudget budget = new SendBudget(10, 100);
        assertTrue(budget.take(101));
        assertFalse(budget.take(0));
        budget.giveBack(101);
        assertTrue(budget.take(101));
    }
}
