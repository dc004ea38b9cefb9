package org.amo.benchmarks.jmh;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.benchmarks.figures.Figures;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the JMH benchmarks, each in a virtual machine of its own, with the profiler of allocations. */
public final class JmhBench {
    private static final String ALL = "org\\.amo\\.benchmarks\\.jmh\\..*";

    private JmhBench() {}

    /**
     * Runs them and has JMH write its own JSON.
     *
     * @param include which benchmarks, a regular expression over their names; all when empty
     * @param quick short rounds, about a minute for all; otherwise some ten minutes
     * @param results JMH's JSON
     * @param log for JMH's output
     * @return how many benchmarks ran
     * @throws IllegalArgumentException when none matches
     */
    public static int run(Optional<String> include, boolean quick, Path results, Path log) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(include.orElse(ALL))
                .forks(quick ? 1 : 3)
                .warmupIterations(quick ? 2 : 5)
                .warmupTime(TimeValue.milliseconds(quick ? 150 : 1_000))
                .measurementIterations(quick ? 2 : 5)
                .measurementTime(TimeValue.milliseconds(quick ? 150 : 1_000))
                .shouldFailOnError(true)
                .addProfiler(GCProfiler.class)
                .resultFormat(ResultFormatType.JSON)
                .result(results.toString())
                .output(log.toString())
                .verbosity(VerboseMode.NORMAL);
        try {
            int ran = new Runner(options.build()).run().size();
            if (ran == 0) {
                throw new IllegalArgumentException("no benchmark matches --include " + include.orElse(ALL));
            }
            return ran;
        } catch (NoBenchmarksException e) {
            throw new IllegalArgumentException("no benchmark matches --include " + include.orElse(ALL), e);
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH stopped; " + log + " says why: " + e.getMessage(), e);
        }
    }

    /**
     * The ratios and bars of the benchmarks that ran.
     *
     * @param results JMH's JSON
     */
    public static Figures figures(JsonNode results) {
        return JmhBars.of(results);
    }
}
