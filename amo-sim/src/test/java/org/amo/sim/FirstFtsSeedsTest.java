package org.amo.sim;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FirstFtsSeedsTest {
    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "HARSH"})
    void noViolation(Faults faults) {
        Seeds.noViolation("fts", 20, faults, 200);
    }
}
