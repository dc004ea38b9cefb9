package org.amo.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.amo.benchmarks.figures.Figures;
import org.amo.core.order.Member;

/** One program of {@code amo bench}. */
public interface Bench {

    /**
     * How to run.
     *
     * @param quick ends within 180 s on two cores
     * @param folder for logs and data of the processes that it starts; may be deleted afterwards
     * @param progress receives progress messages, a line at a time
     * @param servers the command lines of servers as a user starts them
     */
    record Run(boolean quick, Path folder, Consumer<String> progress, Servers servers) {

        /**
         * Flags for the JVM of a process that is measured; the same for all sides. In a quick run HotSpot's second
         * compiler is off: with it the programs reach their speed after most of a minute, without it within seconds,
         * and the remaining difference is small, since most of a call is system calls.
         */
        public List<String> jvmFlags(String... own) {
            List<String> flags = new ArrayList<>(List.of(own));
            if (quick) {
                flags.add("-XX:TieredStopAtLevel=1");
            }
            return flags;
        }

        /** For the settings of a result. */
        public String compiler() {
            return quick ? "C1 only in servers, as this run is quick; both in the clients' process" : "C1 and C2";
        }
    }

    /** Makes command lines of servers under {@code amo wrap server}. */
    interface Servers {
        /**
         * The bank as one member of a group in memory.
         *
         * @param folder for its data
         * @param reference the file for its reference
         * @param options of its virtual machine
         */
        List<String> bank(List<Member> members, Member member, Path folder, Path reference, List<String> options);
    }

    /** As the user writes it. */
    String name();

    /** In one sentence, for the help. */
    String description();

    /**
     * Measures. Starts processes and ends them all before it returns, also when it throws.
     *
     * @throws IOException when a process does not start or dies; one line
     */
    Figures measure(Run run) throws IOException, InterruptedException;

    /** A measurement that may throw anything. */
    interface Measurement {
        Figures measure() throws Exception;
    }

    /** Runs it; an exception that {@link #measure} does not declare becomes an IOException that begins with these words. */
    static Figures failingAs(String words, Measurement measurement) throws IOException, InterruptedException {
        try {
            return measurement.measure();
        } catch (IOException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(words + ": " + e, e);
        }
    }
}
