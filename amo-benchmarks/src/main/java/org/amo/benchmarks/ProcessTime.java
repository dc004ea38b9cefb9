package org.amo.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        return text(process(pid).resolve("stat")).map(ProcessTime::seconds);
    }

    private static double compilerSeconds(long pid) {
        return ofThreads(pid, "stat").stream()
                .filter(stat -> stat.contains("CompilerThre"))
                .mapToDouble(ProcessTime::seconds)
                .sum();
    }

    /** A file of {@code /proc} of each thread that lives now; none for a process that has ended, and where there is no /proc. */
    public static List<String> ofThreads(long pid, String file) {
        List<String> texts = new ArrayList<>();
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(process(pid).resolve("task"))) {
            for (Path thread : threads) {
                // A thread's name may hold any bytes.
                text(thread.resolve(file)).ifPresent(texts::add);
            }
        } catch (IOException | DirectoryIteratorException e) {
            return texts;
        }
        return texts;
    }

    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty(); // it has ended
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
