package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.cli.Run;
import org.junit.jupiter.api.Test;

/** Mistakes are told in one line; the measurements themselves are tested where they are. */
final class FiguresCommandsTest {

    @Test
    void aMeasurementNeedsItsName() {
        assertMistake("bench needs the name of one: ", "bench");
        assertMistake(
                "unknown command 'exonn'; there are fts, failover, cache, order, transfer, java, scmp, exon, rpclog,"
                        + " once, dpg, sizing, jmh, all",
                "bench",
                "exonn");
    }

    @Test
    void includeIsARegularExpressionThatMatches() {
        assertMistake("--include ( is no regular expression", "bench", "jmh", "--include", "(");
        assertMistake(
                "no benchmark matches --include nothing-of-that-name",
                "bench",
                "jmh",
                "--include",
                "nothing-of-that-name");
    }

    private static void assertMistake(String words, String... command) {
        Run run = Run.of(command);
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains(words), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
    }
}
