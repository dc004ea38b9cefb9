package org.amo.core.sim;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FirstDpgSeedsTest {
    @ParameterizedTest
    @EnumSource(names = {"NONE", "DEFAULT"})
    void noViolation(Faults faults) {
        FirstSeeds.noViolation("dpg", 4, faults, 50);
    }
}
