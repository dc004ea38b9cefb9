package org.amo.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.amo.benchmarks.figures.Figures;

/** One program of {@code amo bench}. */
public interface Bench {

    /**
     * How to run.
     *
     * @param quick ends within 180 s on two cores
     * @param folder for logs and data of the processes that it starts; may be deleted afterwards
     * @param progress told what goes on, a line at a time
     */
    record Run(boolean quick, Path folder, Consumer<String> progress) {}

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
}
