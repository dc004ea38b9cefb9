package org.amo.lab;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Option;

/** {@code --seed} of a run over real processes. */
public final class SeedOption {
    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Chooses the calls of each thread, and the faults. Default: another one in each run.")
    private Optional<Long> seed = Optional.empty();

    /** The seed that was given, or a new one. */
    public long choose() {
        return seed.orElseGet(() -> ThreadLocalRandom.current().nextLong(1, Integer.MAX_VALUE));
    }
}
