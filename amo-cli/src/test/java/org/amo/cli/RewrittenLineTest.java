package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class RewrittenLineTest {
    private static final String CLEAR = "\r\033[K";

    private final StringWriter screen = new StringWriter();
    private final RewrittenLine progress = new RewrittenLine(new PrintWriter(screen));

    @Test
    void eventsStayAndTheStateStandsBelowThem() {
        progress.accept("starting");
        progress.state("1 of 3");
        progress.accept("killed");
        progress.state("2 of 3");
        progress.end();
        String newLine = System.lineSeparator();
        assertEquals(
                CLEAR + "starting" + newLine + CLEAR + "1 of 3" + CLEAR + "killed" + newLine + "1 of 3" + CLEAR
                        + "2 of 3" + CLEAR,
                screen.toString());
    }

    @Test
    void aStateThatWouldBeWrappedIsCut() {
        progress.state("x".repeat(80));
        assertEquals(CLEAR + "x".repeat(79), screen.toString());
    }
}
