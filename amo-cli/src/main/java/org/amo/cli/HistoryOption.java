package org.amo.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** {@code --history}, the same in every command with processes that write a history. */
public final class HistoryOption {
    @Option(
            names = "--history",
            paramLabel = "FILE",
            description = "Write the events of calls and executions, one JSON object a line. Default: none; a run that"
                    + " finds a violation keeps its own.")
    private Optional<Path> file = Optional.empty();

    /** The file, which can be written. */
    public Optional<Path> file() {
        file.ifPresent(wanted -> checkWritable("--history", wanted));
        return file;
    }

    static void checkWritable(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
            throw CliException.user("cannot write " + file + ": give " + option + " a file in a folder that exists");
        }
    }
}
