package org.amo.examples.counter;

import java.util.Map;
import java.util.TreeMap;

/** An ordinary object. amo runs it at every member, one call after another, so it needs no locks. */
public class CountersInMemory implements Counters {
    private final Map<String, Long> counters = new TreeMap<>();

    @Override
    public long add(String name, long amount) {
        return counters.merge(name, amount, Long::sum);
    }

    @Override
    public boolean move(String from, String to, long amount) {
        if (counters.getOrDefault(from, 0L) < amount) {
            return false;
        }
        add(from, -amount);
        add(to, amount);
        return true;
    }

    @Override
    public Map<String, Long> all() {
        return counters;
    }
}
