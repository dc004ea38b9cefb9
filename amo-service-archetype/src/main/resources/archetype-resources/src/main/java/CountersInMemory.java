package ${package};

import java.util.Map;
import java.util.TreeMap;

/** An ordinary object. Each member runs the same operations on one of its own, in the same order, so it needs no locks. */
final class CountersInMemory implements Counters {
    private final Map<String, Long> counters = new TreeMap<>();

    @Override
    public long add(String name, long amount) {
        return counters.merge(name, amount, Long::sum);
    }

    @Override
    public Map<String, Long> all() {
        return counters;
    }
}
