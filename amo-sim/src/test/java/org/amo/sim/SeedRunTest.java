package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeedRunTest {
    private static final SimOptions OPTIONS = SimOptions.of(Faults.DEFAULT);

    private static SimResult result(Optional<Violation> violation) {
        return new SimResult(4, 10, Map.of(), violation, List.of());
    }

    @Test
    void aViolationThatTheSecondRunDoesNotRepeatIsStillOne() {
        Violation violation = new Violation("a rule", "broken", List.of());
        List<SimWorld.Tracing> runs = new ArrayList<>();
        SimResult found = SeedRun.of(OPTIONS, 4, (options, seed, tracing) -> {
            runs.add(tracing);
            return result(runs.size() == 1 ? Optional.of(violation) : Optional.empty());
        });
        assertEquals(List.of(SimWorld.Tracing.NOTHING, SimWorld.Tracing.LAST), runs);
        assertEquals(Optional.of(violation), found.violation());
    }

    @Test
    void aViolationThatRepeatsHasItsTrace() {
        SimResult found = SeedRun.of(
                OPTIONS,
                4,
                (options, seed, tracing) -> result(Optional.of(new Violation(
                        "a rule", "broken", tracing == SimWorld.Tracing.NOTHING ? List.of() : List.of("event")))));
        assertEquals(List.of("event"), found.violation().orElseThrow().trace());
    }

    @Test
    void anExceptionWithoutFramesIsAViolation() {
        SimWorld world = new SimWorld(4, SimWorld.Tracing.NOTHING);
        IllegalStateException thrown = new IllegalStateException("stopped");
        thrown.setStackTrace(new StackTraceElement[0]);
        Violation violation = SeedRun.play(world, "the core stopped", () -> {
                    throw thrown;
                })
                .orElseThrow();
        assertEquals("the core stopped", violation.rule());
        assertTrue(violation.detail().contains("stopped"), violation.detail());
    }
}
