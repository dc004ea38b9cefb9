package org.amo.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** One run of the command within the test. */
public record Run(int exitCode, String out, String err) {

    public static Run of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine = Amo.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        int exitCode = commandLine.execute(args);
        return new Run(exitCode, out.toString(), err.toString());
    }

    /** Whether it said one line on standard error, nothing on standard output, and no stack trace. */
    public boolean isOneLineOfError() {
        return out.isEmpty() && err.lines().count() == 1 && err.startsWith("amo: ");
    }
}
