package org.amo.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Processor time of a process. */
public final class ProcessTime {
    private static final double CLOCK_TICKS_PER_SECOND = 100;

    private ProcessTime() {}

    /** User and system seconds so far; empty where there is no /proc, or no such process. */
    public static Optional<Double> cpuSeconds(long pid) {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        try {
            String text = Files.readString(stat, StandardCharsets.UTF_8);
            // The fields after the command's name, which may hold blanks but ends with the last parenthesis.
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
            return Optional.of((Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / CLOCK_TICKS_PER_SECOND);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
