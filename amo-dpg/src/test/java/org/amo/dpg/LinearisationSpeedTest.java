package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a message costs in G: its reception, the incorporation of another one, and for each tenth, which was missed, what a
 * report tells of it. The paper's graphs "rarely exceed 30 vertices".
 */
class LinearisationSpeedTest {
    private final Random random = new Random(1);
    private PrecedenceGraph graph = new PrecedenceGraph(2_048);
    private int root;
    private int latest;

    private static Tag tag(int number) {
        return new Tag(7, number);
    }

    /** The best of some rounds, so that it says what the code takes and not what else the machine does. */
    @ParameterizedTest
    @CsvSource({"30, 600, 200, 10000", "1000, 60, 10, 1000000"})
    void aMessageTakesLessThan(int vertices, int rounds, int messages, long mostNanos, TestReporter reporter) {
        root = 1;
        latest = 1;
        graph = new PrecedenceGraph(2_048);
        graph.add(tag(1), 0);
        while (graph.size() < vertices) {
            receive();
        }
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                incorporate();
                receive();
            }
            best = Math.min(best, (System.nanoTime() - start) / messages);
        }
        assertTrue(Math.abs(graph.size() - vertices) <= 60, "vertices: " + graph.size());
        assertEquals(0, graph.contradictions());
        reporter.publishEntry("G of " + vertices + " vertices, ns a message", String.valueOf(best));
        assertTrue(best < mostNanos, best + " ns a message with " + vertices + " vertices");
    }

    private void receive() {
        Tag before = tag(latest);
        if (random.nextInt(10) == 0) {
            Tag missed = tag(latest + 1);
            Tag received = tag(latest + 2);
            graph.receive(received, before, false, 0);
            graph.add(missed, 0);
            graph.union(List.of(Arc.plain(before, missed), new Arc(missed, received, random.nextBoolean())));
            latest += 2;
            incorporate();
        } else {
            graph.receive(tag(latest + 1), before, random.nextInt(10) < 3, 0);
            latest += 1;
        }
    }

    private void incorporate() {
        if (root + 1 < latest) {
            assertTrue(graph.mark(tag(root), tag(root + 1)));
            graph.removeFirst(tag(root));
            root++;
        }
    }
}
