package org.amo.interceptors.client;

import java.util.List;
import java.util.function.IntSupplier;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;

/** The counters of one ORB as a client, all its groups together. Any thread. */
final class ObservedClient implements Observed {
    private final Targets targets;
    private final IntSupplier openCalls;

    ObservedClient(Targets targets, IntSupplier openCalls) {
        this.targets = targets;
        this.openCalls = openCalls;
    }

    @Override
    public String kind() {
        return "client";
    }

    @Override
    public String group() {
        return "";
    }

    @Override
    public String id() {
        return targets.clientName();
    }

    /** Changes to another member. */
    long redirects() {
        return targets.groups().stream().mapToLong(ReplicatedGroup::redirects).sum();
    }

    @Override
    public List<Reading> readings() {
        long numbers = 0;
        long ranges = 0;
        for (ReplicatedGroup group : targets.groups()) {
            ReplicatedGroup.Usage usage = group.usage();
            numbers += usage.numbers();
            ranges += usage.ranges();
        }
        return List.of(
                Reading.counter("amo_client_calls_total", numbers, "Numbers given to calls"),
                Reading.counter("amo_client_redirects_total", redirects(), "Changes to another member"),
                Reading.gauge(
                        "amo_client_open_calls", openCalls.getAsInt(), "Calls that are neither answered nor given up"),
                Reading.gauge(
                        "amo_client_finished_ranges", ranges, "Ranges of finished numbers that the next call tells"));
    }

    /** A client has no port of its own, so nothing asks for more. */
    @Override
    public String statusJson() {
        return "{}";
    }

    @Override
    public Readiness readiness() {
        return Readiness.READY;
    }
}
