package org.amo.cli;

import java.io.PrintWriter;

/** Progress on a terminal, which knows the escape sequences of ECMA-48. Any thread. */
final class RewrittenLine implements Terminal.Progress {
    /** To the first column, and without what stands in the line. */
    private static final String CLEAR = "\r\033[K";

    /** A longer line would be wrapped, and its first part stay. */
    private static final int MOST_COLUMNS = 79;

    private final PrintWriter writer;

    // Guarded by this.
    private String state = "";

    RewrittenLine(PrintWriter writer) {
        this.writer = writer;
    }

    @Override
    public synchronized void accept(String event) {
        writer.print(CLEAR + event + System.lineSeparator() + state);
        writer.flush();
    }

    @Override
    public synchronized void state(String line) {
        state = line.substring(0, Math.min(line.length(), MOST_COLUMNS));
        writer.print(CLEAR + state);
        writer.flush();
    }
}
