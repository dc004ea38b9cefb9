package org.amo.lab.demo;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.Status;

/** The largest figures of any replica, over all that was heard of them. One thread owns it. */
final class DemoPeaks {
    private static final String TOTAL = "total";
    private static final String ACKNOWLEDGEMENTS = "acknowledgements";

    /** By life of a replica: each counts the copies that came over its own connections. */
    private final Map<String, Long> replayed = new HashMap<>();

    private long entriesPeak;
    private long bytesPeak;
    private long timeoutOnlyPeak;

    /** Of the replica that has seen most of the log. */
    private Optional<Status> fullest = Optional.empty();

    void add(int life, Status status) {
        replayed.put(status.id() + life, status.number("replayed"));
        entriesPeak = Math.max(entriesPeak, status.number("entriesPeak"));
        bytesPeak = Math.max(bytesPeak, status.number("bytesPeak"));
        timeoutOnlyPeak = Math.max(timeoutOnlyPeak, status.number("timeoutOnlyEntriesPeak"));
        if (fullest.isEmpty() || fullest.get().orderedEntries(TOTAL) <= status.orderedEntries(TOTAL)) {
            fullest = Optional.of(status);
        }
    }

    long replayed() {
        return replayed.values().stream().mapToLong(Long::longValue).sum();
    }

    DemoResult.Cache cache(List<ReplicaProcess> replicas) {
        long atEnd = replicas.stream()
                .filter(ReplicaProcess::isUp)
                .flatMap(replica -> replica.last().stream())
                .mapToLong(status -> status.number("entries"))
                .max()
                .orElse(0);
        return new DemoResult.Cache(entriesPeak, atEnd, bytesPeak, timeoutOnlyPeak);
    }

    DemoResult.Sack sack() {
        long entries =
                fullest.map(status -> status.orderedEntries(ACKNOWLEDGEMENTS)).orElse(0L);
        long allEntries = fullest.map(status -> status.orderedEntries(TOTAL)).orElse(0L);
        long bytes = fullest.map(status -> status.number("sackBytes")).orElse(0L);
        long allBytes = fullest.map(status -> status.number("orderedBytes")).orElse(0L);
        return new DemoResult.Sack(entries, bytes, percent(entries, allEntries), percent(bytes, allBytes));
    }

    private static double percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(10_000_000.0 * part / whole) / 100_000.0;
    }
}
