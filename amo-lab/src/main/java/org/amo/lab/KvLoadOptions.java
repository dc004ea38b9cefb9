package org.amo.lab;

import org.amo.cli.CliException;
import org.amo.cli.Durations;
import picocli.CommandLine.Option;

/** The load of a command of {@code amo kv}. */
final class KvLoadOptions {
    @Option(
            names = "--threads",
            defaultValue = "8",
            paramLabel = "N",
            description = "Threads, all of one client. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--duration",
            converter = Durations.class,
            defaultValue = "10s",
            paramLabel = "TIME",
            description = "How long. Default: ${DEFAULT-VALUE}.")
    private Long durationMillis = 0L;

    int threads() {
        if (threads < 1 || threads > 1_000) {
            throw CliException.user("--threads is 1 to 1000, not " + threads);
        }
        return threads;
    }

    long durationMillis() {
        return durationMillis;
    }
}
