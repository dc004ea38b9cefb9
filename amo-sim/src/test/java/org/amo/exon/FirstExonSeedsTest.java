package org.amo.exon;

import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** For mutation testing: a build runs most of these seeds in the simulation's own test. */
@Tag("mutations")
class FirstExonSeedsTest {
    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "HARSH"})
    void noViolation(Faults faults) {
        Seeds.noViolation("exon", 40, faults, 50);
    }
}
