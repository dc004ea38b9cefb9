package org.amo.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** {@code --json}, the same in every command that has a result. */
public final class JsonOption {
    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write the result as one JSON object; - is standard output, without other output there."
                    + " Default: text.")
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
        if (isStandardOutput()) {
            standardOutput.println(text(object));
            standardOutput.flush();
        } else if (isWanted()) {
            writeFile(Path.of(target.orElseThrow()), text(object));
        }
    }

    private static String text(JsonNode object) {
        try {
            return new ObjectMapper().writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values became no JSON", e);
        }
    }

    private static void writeFile(Path file, String text) {
        try {
            Files.writeString(file, text + System.lineSeparator());
        } catch (IOException e) {
            throw CliException.environment(
                    "cannot write " + file + " (" + e.getMessage() + "); give --json a file in a folder that exists");
        }
    }
}
