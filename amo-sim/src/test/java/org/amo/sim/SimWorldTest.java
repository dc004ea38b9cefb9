package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimWorldTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 7, 1_000, 20_999, 99_999_999, 100_000_000, 16_000_050_010L})
    void aTracedLineBeginsWithMillisecondsAndThreeDecimals(long micros) {
        SimWorld world = new SimWorld(1, SimWorld.Tracing.ALL);
        world.at(micros, () -> world.trace(() -> "line"));
        world.runUntilMillis(micros / 1_000 + 1);
        assertEquals(List.of(String.format(Locale.ROOT, "%9.3f line", micros / 1_000.0)), world.completeTrace());
    }
}
