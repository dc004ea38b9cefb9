package org.amo.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.JsonOption;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of all benchmarks. */
final class BenchOptions {
    @Option(
            names = "--quick",
            description = "At most three minutes each on two cores. Default: as long as the figures need.")
    boolean quick;

    @Mixin
    final JsonOption json = new JsonOption();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write a table as CSV, plots and a page in Markdown there. Default: none.")
    Optional<Path> out = Optional.empty();

    /** Writes files into a folder. */
    @FunctionalInterface
    interface Files {
        void write(Path folder) throws IOException;
    }

    /** Writes into the folder that the user named, if any. */
    void toFolder(Files files) {
        out.ifPresent(folder -> {
            try {
                files.write(folder);
            } catch (IOException e) {
                throw CliException.environment("cannot write into " + folder + " (" + e.getMessage()
                        + "); give --out a folder that can be written");
            }
        });
    }
}
