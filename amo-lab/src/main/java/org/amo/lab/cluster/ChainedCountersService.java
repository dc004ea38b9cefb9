package org.amo.lab.cluster;

import java.util.Map;
import java.util.TreeMap;
import org.amo.examples.counter.Counters;
import org.amo.examples.counter.CountersInMemory;
import org.amo.replication.service.AmoNotExecutedException;
import org.amo.replication.service.AmoUnknownException;

/** An ordinary object that calls another one inside its operations, and keeps accounts of the calls that failed. */
final class ChainedCountersService extends CountersInMemory implements ChainedCounters {
    private final transient Counters next;
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
        return super.add(name, amount);
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
