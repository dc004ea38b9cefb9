package org.amo.dpg;

import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** For mutation testing: a build runs most of these seeds in the simulation's own test. */
@Tag("mutations")
class FirstDpgSeedsTest {
    @ParameterizedTest
    @EnumSource
    void noViolation(Faults faults) {
        Seeds.noViolation("dpg", 8, faults, 50);
    }
}
