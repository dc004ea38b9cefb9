package org.amo.core.replica;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.core.order.LogHealth;
import org.amo.core.request.Budget;

/** Counts the events at a replica since its process started. For the operator; no decision depends on them. */
final class ReplicaCounters {
    private String stateDigest = "";
    private LogHealth health = LogHealth.SOUND;
    private String divergence = "";
    private long divergedAt;
    private final EnumMap<Budget, Long> atDoor = new EnumMap<>(Budget.class);
    private long plainCalls;
    private long replayed;
    private long malformedEntries;
    private long malformedMessages;
    private long entriesWithRequests;
    private long entriesWithAcknowledgements;
    private long emptyEntries;
    private long orderedBytes;
    private long sackBytes;
    private long sackLagMillis;
    private long sackLagMillisPeak;
    private Map<String, Long> datagrams = Map.of();
    private Map<String, Long> secrets = Map.of();
    private Map<String, Long> snapshot = Map.of();
    private long replyMicrosP99;

    void plainCall() {
        plainCalls++;
    }

    void replayed() {
        replayed++;
    }

    /** An entry was delivered; its oldest acknowledgement had come here so long ago. */
    void acknowledgedAfter(long millis) {
        sackLagMillis = millis;
        sackLagMillisPeak = Math.max(sackLagMillisPeak, millis);
    }

    /** Refused before it was ordered. */
    void overloadedAtDoor(Budget budget) {
        atDoor.merge(budget, 1L, Long::sum);
    }

    void malformedEntry() {
        malformedEntries++;
    }

    void malformedMessage() {
        malformedMessages++;
    }

    void delivered(OrderedEntry entry, int bytes) {
        boolean request = false;
        for (OrderedEntry.Item item : entry.items()) {
            request |= item.request().isPresent();
            sackBytes += OrderedEntry.sackBytes(item);
        }
        if (request) {
            entriesWithRequests++;
        } else if (entry.items().isEmpty()) {
            emptyEntries++;
        } else {
            entriesWithAcknowledgements++;
        }
        orderedBytes += bytes;
    }

    void stateDigest(long position, long digest) {
        stateDigest = String.format(Locale.ROOT, "%d@%016x", position, digest);
    }

    void health(LogHealth now) {
        health = now;
    }

    void datagrams(Map<String, Long> byOutcome) {
        datagrams = Map.copyOf(byOutcome);
    }

    void secrets(Map<String, Long> numbers) {
        secrets = Map.copyOf(numbers);
    }

    void snapshot(Map<String, Long> numbers) {
        snapshot = Map.copyOf(numbers);
    }

    void replyTime(long microsP99) {
        replyMicrosP99 = microsP99;
    }

    void divergence(String line, long at) {
        divergence = line;
        divergedAt = at;
    }

    ReplicaStatus status(
            String id,
            String leader,
            long position,
            ExecutionProgress progress,
            DecisionTable table,
            int sacksWaiting,
            int queued,
            DivergenceMarks marks,
            OutcomeOrder outcomes,
            int featureLevel) {
        Map<String, Long> refusals = new TreeMap<>();
        table.counters().decisions().forEach((decision, count) -> decision.refusal()
                .ifPresent(refusal -> refusals.merge(refusal.name(), count, Long::sum)));
        Map<String, Long> overloads = new TreeMap<>();
        table.counters().decisions().forEach((decision, count) -> decision.budget()
                .ifPresent(budget -> overloads.put(budget.name(), count)));
        atDoor.forEach((budget, count) -> overloads.merge(budget.name(), count, Long::sum));
        Map<String, Long> entries = new TreeMap<>(Map.of(
                "total", entriesWithRequests + entriesWithAcknowledgements + emptyEntries,
                "requests", entriesWithRequests,
                "acknowledgements", entriesWithAcknowledgements,
                "ticks", emptyEntries,
                "malformed", malformedEntries,
                "malformedMessages", malformedMessages));
        TableCounters counted = table.counters();
        return new ReplicaStatus(
                id,
                leader,
                position,
                progress.executedPosition(),
                progress.executed(),
                table.orderedTimeMillis(),
                table.upperMillis(),
                table.clients(),
                table.entries(),
                counted.entriesPeak(),
                table.replyBytes(),
                counted.bytesPeak(),
                counted.timeoutOnlyEntries(),
                counted.timeoutOnlyPeak(),
                counted.purgedBySack(),
                counted.purgedByTimeout(),
                table.resolvedRanges(),
                replayed,
                refusals,
                overloads,
                plainCalls,
                datagrams,
                entries,
                orderedBytes,
                sackBytes,
                sacksWaiting,
                sackLagMillis,
                sackLagMillisPeak,
                queued,
                replyMicrosP99,
                String.format(Locale.ROOT, "%016x", progress.digest()),
                stateDigest,
                health.trouble(),
                health.repaired(),
                marks.divergedCount(),
                marks.equalAgainCount(),
                marks.incomparableVotes(),
                divergedAt,
                Stream.of(divergence, marks.apart())
                        .filter(line -> !line.isEmpty())
                        .collect(Collectors.joining("; ")),
                outcomes.isOn() ? "passive" : "active",
                outcomes.primary(id, leader),
                featureLevel,
                secrets,
                snapshot);
    }
}
