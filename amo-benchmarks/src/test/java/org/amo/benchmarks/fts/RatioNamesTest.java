package org.amo.benchmarks.fts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.fts.CallBlocks.Done;
import org.amo.benchmarks.fts.JavaOverFloor.Compared;
import org.amo.benchmarks.fts.JavaOverFloor.Kind;
import org.junit.jupiter.api.Test;

/** Scripts read the ratios of the JSON by these names. */
final class RatioNamesTest {
    private static final Spent SPENT = new Spent(1, 0);

    private final Figures figures = new Figures("fts");

    @Test
    void plainJavaOverTheFloorByKindOfCaller() {
        JavaOverFloor.ratios(
                figures,
                List.of(
                        new Compared(Kind.PLATFORM, 1, turns(300, 10), turns(100, 10)),
                        new Compared(Kind.PLATFORM, 64, turns(300, 10), turns(100, 20)),
                        new Compared(Kind.VIRTUAL, 64, turns(300, 15), turns(100, 20)),
                        new Compared(Kind.ASYNC, 64, turns(300, 40), turns(100, 20))));
        assertEquals(
                Map.of(
                        "p50OverMinimal", 3.0,
                        "callsOverMinimal", Map.of("platform", 0.5, "virtual", 0.75, "async", 2.0),
                        "asyncOverPlatform", 4.0),
                figures.ratios());
    }

    @Test
    void forcedLogsByNumberOfThreads() {
        JavaOverFloor.forcedRatios(
                figures,
                List.of(
                        new Compared(Kind.PLATFORM, 1, turns(300, 10), turns(100, 10)),
                        new Compared(Kind.PLATFORM, 16, turns(300, 10), turns(100, 20)),
                        new Compared(Kind.PLATFORM, 64, turns(300, 5), turns(100, 20))));
        assertEquals(
                Map.of("p50OverForcedMinimal", 3.0, "callsOverForcedMinimal", Map.of("16", 0.5, "64", 0.25)),
                figures.ratios());
    }

    @Test
    void threadSwitchesOfACallAtEachPlace() {
        ReplicatedOverPlain.switches(figures, "leader", switching(26), switching(4));
        ReplicatedOverPlain.switches(figures, "follower", switching(30), switching(5));
        assertEquals(
                Map.of("switchesPerCall", Map.of("leader", 26.0, "plain", 4.0, "follower", 30.0)), figures.ratios());
    }

    @Test
    void theShellsOverPlain() {
        ShellsOverPlain.report(
                figures,
                List.of("plain", "adaptor", "interceptor"),
                List.of(List.of(new Done(100, 10), new Done(75, 12), new Done(50, 11))));
        assertEquals(Map.of("adaptorOverPlain", 0.75, "interceptorOverPlain", 0.5), figures.ratios());
    }

    private static List<Side.Turn> turns(double p50Micros, double callsPerSecond) {
        return List.of(new Side.Turn(callsPerSecond, 1, p50Micros, SPENT, 1));
    }

    private static List<Side.Turn> switching(double switchesPerCall) {
        return List.of(new Side.Turn(1, 1, 1, SPENT, switchesPerCall));
    }
}
