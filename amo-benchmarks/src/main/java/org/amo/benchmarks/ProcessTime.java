package org.amo.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Processor time of a process, and how much of it is the just-in-time compiler's. */
public final class ProcessTime {
    private static final double CLOCK_TICKS_PER_SECOND = 100;

    private ProcessTime() {}

    /** User and system seconds so far; empty where there is no /proc, or no such process. */
    public static Optional<Double> cpuSeconds(long pid) {
        try {
            return Optional.of(seconds(Files.readString(process(pid).resolve("stat"), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Of these, the seconds of the threads of HotSpot's compiler that live now; 0 where they cannot be told. A program
     * in which they still work has not reached its speed.
     */
    public static double compilerSeconds(long pid) {
        double seconds = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(process(pid).resolve("task"))) {
            for (Path thread : threads) {
                seconds += ofCompiler(thread);
            }
        } catch (IOException | DirectoryIteratorException e) {
            return seconds;
        }
        return seconds;
    }

    private static double ofCompiler(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"), StandardCharsets.UTF_8);
            return stat.contains("CompilerThre") ? seconds(stat) : 0;
        } catch (IOException e) {
            return 0; // it has ended
        }
    }

    private static Path process(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }

    private static double seconds(String stat) {
        // The fields after the command's name, which may hold blanks but ends with the last parenthesis.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / CLOCK_TICKS_PER_SECOND;
    }
}
