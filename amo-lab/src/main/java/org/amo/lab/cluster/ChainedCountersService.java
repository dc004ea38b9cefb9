package org.amo.lab.cluster;

import java.util.Map;
import java.util.TreeMap;
import org.amo.examples.counter.Counters;
import org.amo.replication.service.AmoNotExecutedException;
import org.amo.replication.service.AmoUnknownException;

/** An ordinary object that calls another one inside its operations, and keeps accounts of the calls that failed. */
final class ChainedCountersService implements ChainedCounters {
    private final transient Counters next;
    private final Map<String, Long> counters = new TreeMap<>();
    private final Map<String, Long> missed = new TreeMap<>();
    private final Map<String, Long> doubtful = new TreeMap<>();

    ChainedCountersService(Counters next) {
        this.next = next;
    }

    @Override
    public long add(String name, long amount) {
        try {
            next.add(name, amount);
        } catch (AmoNotExecutedException e) {
            missed.merge(name, amount, Long::sum);
        } catch (AmoUnknownException e) {
            doubtful.merge(name, Math.abs(amount), Long::sum);
        }
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

    @Override
    public Map<String, Long> missed() {
        return missed;
    }

    @Override
    public Map<String, Long> doubtful() {
        return doubtful;
    }
}
