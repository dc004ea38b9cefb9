package org.amo.sim;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The result of one seed.
 *
 * @param seed that reproduces it
 * @param operations issued by clients
 * @param faults injected, by kind
 * @param violation the check that stopped the run, if one did
 * @param trace every event, if that was asked for
 * @param rows further figures of the protocol by the kind of world that the seed was, if it has any
 */
public record SimResult(
        long seed,
        long operations,
        Map<String, Long> faults,
        Optional<Violation> violation,
        List<String> trace,
        Map<String, Map<String, Long>> rows) {
    public SimResult {
        faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        trace = List.copyOf(trace);
        rows = Collections.unmodifiableMap(new TreeMap<>(rows));
    }

    public SimResult(
            long seed, long operations, Map<String, Long> faults, Optional<Violation> violation, List<String> trace) {
        this(seed, operations, faults, violation, trace, Map.of());
    }
}
