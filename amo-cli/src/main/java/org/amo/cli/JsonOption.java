package org.amo.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** {@code --json}, the same in every command that has a result. */
public final class JsonOption {
    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write the result as one JSON object; - is standard output, and then nothing else goes there."
                    + " Default: words.")
    private Optional<String> target = Optional.empty();

    /** Before a long run: a file that could not be written in the end is the user's mistake. */
    public void check() {
        target.filter(file -> !file.equals(STANDARD_OUTPUT))
                .ifPresent(file -> HistoryOption.checkWritable("--json", Path.of(file)));
    }

    public boolean isWanted() {
        return target.isPresent();
    }

    /** Whether words would spoil the object. */
    public boolean isStandardOutput() {
        return target.filter(STANDARD_OUTPUT::equals).isPresent();
    }

    /** Writes the object if one is wanted. */
    public void write(JsonNode object, PrintWriter standardOutput) {
        target.ifPresent(file -> JsonOutput.write(file, object, standardOutput));
    }
}
