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

/** Processor time of a process, how much of it is the just-in-time compiler's, and how often its threads waited. */
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

    /**
     * How often the threads of some processes gave up a processor.
     *
     * @param voluntary to wait: for another thread, a lock, bytes of a socket or a disk
     * @param involuntary for another thread that was to run
     */
    public record Switches(long voluntary, long involuntary) {
        private static final String VOLUNTARY = "voluntary_ctxt_switches:";
        private static final String INVOLUNTARY = "nonvoluntary_ctxt_switches:";
        private static final Switches NONE = new Switches(0, 0);

        /** Of the threads that live now; none for a process that has ended, and where there is no /proc. */
        public static Switches of(LongStream pids) {
            Switches all = NONE;
            for (long pid : pids.toArray()) {
                for (String status : ofThreads(pid, "status")) {
                    all = all.plus(new Switches(number(status, VOLUNTARY), number(status, INVOLUNTARY)));
                }
            }
            return all;
        }

        /** Those since an earlier reading; those of threads that have ended meanwhile are missing. */
        public Switches since(Switches before) {
            return new Switches(
                    Math.max(0, voluntary - before.voluntary), Math.max(0, involuntary - before.involuntary));
        }

        private Switches plus(Switches more) {
            return new Switches(voluntary + more.voluntary, involuntary + more.involuntary);
        }

        private static long number(String status, String name) {
            return status.lines()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(
                            line -> Long.parseLong(line.substring(name.length()).strip()))
                    .findFirst()
                    .orElse(0);
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
