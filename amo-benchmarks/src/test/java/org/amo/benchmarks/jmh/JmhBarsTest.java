package org.amo.benchmarks.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.amo.benchmarks.figures.Figures;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;

/** The bars of JMH's results. */
final class JmhBarsTest {
    private static final List<String> CLOCKS = List.of("plainMillis", "replacedMillisOutside", "replacedMillisInside");

    @Test
    void aClockMayCostTwiceTheJdks() {
        Figures figures = JmhBars.of(results(Map.of(CLOCKS.get(0), 20.0, CLOCKS.get(1), 40.0, CLOCKS.get(2), 10.0)));
        assertTrue(figures.good(), figures.bars()::toString);
        assertEquals(
                List.of(2.0, 0.5),
                figures.bars().stream().map(Figures.Bar::value).toList());
        assertEquals(Map.of("replacedMillisOverPlain", Map.of("outside", 2.0, "inside", 0.5)), figures.ratios());
    }

    @Test
    void aClockThatCostsMoreMissesItsBar() {
        for (String slow : CLOCKS.subList(1, CLOCKS.size())) {
            Map<String, Double> scores = new TreeMap<>();
            CLOCKS.forEach(clock -> scores.put(clock, 20.0));
            scores.put(slow, 40.5);
            assertFalse(JmhBars.of(results(scores)).good(), slow);
        }
    }

    /** As with {@code --include}. */
    @Test
    void aRatioOfWhichASideDidNotRunHasNoBar() {
        assertEquals(List.of(), JmhBars.of(results(Map.of("plainMillis", 20.0))).bars());
        Figures figures = JmhBars.of(results(Map.of("replacedMillisInside", 20.0)));
        assertEquals(List.of(), figures.bars());
        assertEquals(Map.of(), figures.ratios());
    }

    /** Or a renamed benchmark would leave its bar out unseen. */
    @Test
    void itsBenchmarksAreThere() {
        List<String> benchmarks = Stream.of(ClockBenchmark.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(Method::getName)
                .toList();
        assertTrue(benchmarks.containsAll(CLOCKS), benchmarks::toString);
    }

    private static ArrayNode results(Map<String, Double> scores) {
        ArrayNode results = JsonNodeFactory.instance.arrayNode();
        scores.forEach((method, score) -> {
            ObjectNode result = results.addObject();
            result.put("benchmark", ClockBenchmark.class.getName() + "." + method);
            result.putObject("primaryMetric").put("score", score);
        });
        return results;
    }
}
