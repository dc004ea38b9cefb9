package org.amo.lab.chaos;

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
    private final Map<String, Long> outcomes = new TreeMap<>();

    ChainedCountersService(Counters next) {
        this.next = next;
    }

    @Override
    public long add(String name, long amount) {
        try {
            next.add(name, amount);
            count(REPLIED);
        } catch (AmoNotExecutedException e) {
            missed.merge(name, amount, Long::sum);
            count(NOT_EXECUTED);
        } catch (AmoUnknownException e) {
            doubtful.merge(name, Math.abs(amount), Long::sum);
            count(UNKNOWN);
        }
        return super.add(name, amount);
    }

    private void count(String outcome) {
        outcomes.merge(outcome, 1L, Long::sum);
    }

    @Override
    public Map<String, Long> outcomes() {
        return outcomes;
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
