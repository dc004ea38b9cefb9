package org.amo.core.sim;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What one seed gave.
 *
 * @param seed that reproduces it
 * @param operations issued by clients
 * @param faults injected, by kind
 * @param violation the check that stopped the run, if one did
 * @param trace every event, if that was asked for
 */
public record SimResult(
        long seed, long operations, Map<String, Long> faults, Optional<Violation> violation, List<String> trace) {
    public SimResult {
        faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        trace = List.copyOf(trace);
    }
}
