package org.amo.lab.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.function.Consumer;

/** Writes the messages of a run to a file, with the time of day, beside the logs of its processes. */
record Timeline(Path file, Consumer<String> next) implements Consumer<String> {

    @Override
    public void accept(String line) {
        try {
            Files.writeString(
                    file,
                    LocalTime.now(ZoneId.systemDefault()) + " " + line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        next.accept(line);
    }
}
