package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AttackProgressTest {
    @Test
    void theRestTakesAsLongAsTheAttacksSoFar() {
        assertEquals("0 of 70 attacks, 111 min left", AttackProgress.state(0, 70, 0, 95_000));
        assertEquals("7 of 70 attacks, 63 min left", AttackProgress.state(7, 70, 420_000, 95_000));
        assertEquals("70 of 70 attacks, 0 min left", AttackProgress.state(70, 70, 4_200_000, 95_000));
    }
}
