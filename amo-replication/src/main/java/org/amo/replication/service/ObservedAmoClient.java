package org.amo.replication.service;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;

/** A client for monitoring. Any thread; nothing here waits. */
record ObservedAmoClient(String group, String id, ClientLoop loop, CallPermits room) implements Observed {
    @Override
    public String kind() {
        return "client";
    }

    @Override
    public List<Reading> readings() {
        CallCounts counts = loop.counts();
        return List.of(
                Reading.counter("amo_client_calls_total", counts.begun.sum(), "Numbers given to calls"),
                Reading.counter("amo_client_redirects_total", loop.moves(), "Changes to another member"),
                Reading.gauge("amo_client_open_calls", room.taken(), "Calls that are neither answered nor given up"),
                outcomes("REPLIED", counts.replied),
                outcomes("NOT_EXECUTED", counts.notExecuted),
                outcomes("UNKNOWN", counts.unknown));
    }

    private static Reading outcomes(String outcome, LongAdder count) {
        return Reading.counter("amo_client_outcomes_total", count.sum(), "Calls that have ended, by outcome")
                .with("outcome", outcome);
    }

    @Override
    public Readiness readiness() {
        return loop.health();
    }
}
