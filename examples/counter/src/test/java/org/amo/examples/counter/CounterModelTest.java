package org.amo.examples.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.amo.testkit.check.CounterModel;
import org.amo.testkit.check.SequentialModel;
import org.junit.jupiter.api.Test;

/** The checker's idea of this service, against the service. */
final class CounterModelTest {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final CountersInMemory counters = new CountersInMemory();
    private final CounterModel model = new CounterModel();
    private SortedMap<String, Long> state = model.initial();

    @Test
    void theModelAnswersWhatTheCountersAnswer() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 2_000; i++) {
            String from = NAMES.get(random.nextInt(3));
            String to = NAMES.get(random.nextInt(3));
            long amount = random.nextLong(1, 50);
            switch (random.nextInt(3)) {
                case 0 -> check("add", List.of(from, amount), counters.add(from, amount));
                case 1 -> check("move", List.of(from, to, amount), counters.move(from, to, amount));
                default -> {
                    List<Object> lines = new ArrayList<>();
                    counters.all().forEach((name, value) -> lines.add(List.of(name, value)));
                    check("all", List.of(), lines);
                }
            }
        }
        assertEquals(counters.all(), model.state(state));
    }

    private void check(String operation, List<Object> arguments, Object answer) {
        SequentialModel.Step<SortedMap<String, Long>> step = model.run(state, operation, arguments);
        state = step.state();
        assertEquals(Optional.of(answer), step.value(), () -> operation + arguments);
    }
}
