package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

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

    /** Fails unless the help of the command tells each option, and the default of those that need none. */
    public static void assertHelpTellsDefaults(List<String> command) {
        String help = of(Stream.concat(command.stream(), Stream.of("--help")).toArray(String[]::new))
                .out();
        CommandLine line = Amo.commandLine();
        for (String word : command) {
            line = line.getSubcommands().get(word);
        }
        for (OptionSpec option : line.getCommandSpec().options()) {
            assertTrue(help.contains(option.longestName()), option.longestName());
            boolean hasDefault = option.required()
                    || option.usageHelp()
                    || option.longestName().equals("--secret-file")
                    || String.join(" ", option.description()).contains("Default: ");
            assertTrue(hasDefault, command + " " + option.longestName() + " tells no default");
            assertFalse(option.description().length == 0, option.longestName());
        }
    }
}
