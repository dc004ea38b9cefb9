package org.amo.lab.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalTime;
import java.time.ZoneId;
import org.amo.cli.Terminal;

/** Writes the messages of a run to a file, with the time of day, beside the logs of its processes. */
record Timeline(Path file, Terminal.Progress next) implements Terminal.Progress {

    @Override
    public void accept(String event) {
        write(event);
        next.accept(event);
    }

    @Override
    public void state(String line) {
        if (!line.isEmpty()) {
            write(line);
        }
        next.state(line);
    }

    private void write(String line) {
        try {
            Files.writeString(
                    file,
                    LocalTime.now(ZoneId.systemDefault()) + " " + line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
