package org.amo.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes what {@code --json} asks for: one object, to a file or, for {@code -}, to standard output. */
public final class JsonOutput {
    private JsonOutput() {}

    public static void write(String target, JsonNode object, PrintWriter standardOutput) {
        try {
            String text = new ObjectMapper().writeValueAsString(object);
            if (target.equals("-")) {
                standardOutput.println(text);
                standardOutput.flush();
            } else {
                Files.writeString(Path.of(target), text + System.lineSeparator());
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values became no JSON", e);
        } catch (IOException e) {
            throw CliException.environment(
                    "cannot write " + target + " (" + e.getMessage() + "); give --json a file in a folder that exists");
        }
    }
}
