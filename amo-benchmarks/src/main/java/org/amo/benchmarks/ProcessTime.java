package org.amo.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;

/** Processor time of a process, and how much of it is the just-in-time compiler's. */
public final class ProcessTime {
    private static final double CLOCK_TICKS_PER_SECOND = 100;
    /** If the compiler takes less than this share of a program's processor time, the program has reached its speed. */
    private static final double WARM = 0.05;

    private ProcessTime() {}

    /**
     * The processor time that some processes have spent, or spent between two readings.
     *
     * @param seconds user and system time of all of them; 0 for those that cannot be told
     * @param compilerSeconds of these, those of HotSpot's compiler threads that live now
     */
    public record Spent(double seconds, double compilerSeconds) {

        /** Up to now. */
        public static Spent of(LongStream pids) {
            double all = 0;
            double compilers = 0;
            for (long pid : pids.toArray()) {
                all += cpuSeconds(pid).orElse(0.0);
                compilers += ProcessTime.compilerSeconds(pid);
            }
            return new Spent(all, compilers);
        }

        /** The time since an earlier reading; the time of compiler threads that have ended meanwhile is missing. */
        public Spent since(Spent before) {
            return new Spent(seconds - before.seconds, Math.max(0, compilerSeconds - before.compilerSeconds));
        }

        /** From 0 to 1. */
        public double compilerShare() {
            return seconds == 0 ? 0 : compilerSeconds / seconds;
        }

        /** Whether the compiler has little left to do. */
        public boolean isWarm() {
            return compilerShare() < WARM;
        }
    }

    /** User and system seconds so far; empty where there is no /proc, or no such process. */
    public static Optional<Double> cpuSeconds(long pid) {
        try {
            return Optional.of(seconds(Files.readString(process(pid).resolve("stat"), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static double compilerSeconds(long pid) {
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
