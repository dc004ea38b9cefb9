package org.amo.spring;

import java.util.Map;
import java.util.TreeMap;

/** A service without the name of its group, which the properties have. */
@AmoService
class CountersInMemory implements Counters {
    private final Map<String, Long> counters = new TreeMap<>();

    @Override
    public long add(String name, long amount) {
        return counters.merge(name, amount, Long::sum);
    }

    @Override
    public long value(String name) {
        return counters.getOrDefault(name, 0L);
    }
}
