package org.amo.observe;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;

/** A component whose numbers a test sets. */
class FakeMember implements Observed {
    final AtomicInteger statusCalls = new AtomicInteger();
    final AtomicInteger askedAll = new AtomicInteger();
    volatile Optional<String> peer = Optional.empty();
    volatile List<Reading> readings = List.of(
            Reading.gauge("amo_replica_position", 7, "Position of the last delivered entry"),
            Reading.counter("amo_replica_refusals_total", 2, "Refusals").with("reason", "STALE"));
    volatile Readiness readiness = Readiness.READY;
    volatile String status = "{\"position\":7}";

    private final String group;
    private final String id;

    FakeMember(String group, String id) {
        this.group = group;
        this.id = id;
    }

    @Override
    public String kind() {
        return "replica";
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public List<Reading> readings() {
        return readings;
    }

    @Override
    public String statusJson() {
        statusCalls.incrementAndGet();
        return status;
    }

    @Override
    public Map<String, Optional<String>> statuses() {
        askedAll.incrementAndGet();
        Map<String, Optional<String>> statuses = new LinkedHashMap<>();
        statuses.put(id, Optional.of(status));
        statuses.put("peer", peer);
        return statuses;
    }

    @Override
    public Readiness readiness() {
        return readiness;
    }
}
