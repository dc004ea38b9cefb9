package org.amo.core.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.base.SecretRing;
import org.amo.base.observe.Reading;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;

/**
 * The numbers of a {@link ReplicaStatus} as metrics. The names are those of docs/reference/metrics.md; a name that was published
 * stays.
 */
final class ReplicaReadings {
    private static final double MILLIS = 1_000;
    private static final double MICROS = 1_000_000;
    private static final String MESSAGES = "malformedMessages";

    /** The outcomes of a datagram at a member. */
    private static final List<String> DATAGRAMS = List.of(
            "TAKEN",
            "LENGTH",
            "VERSION",
            "MALFORMED",
            "UNSEALED",
            "FORGED",
            "OTHER_GROUP",
            "REPEATED",
            "TURNED_AWAY",
            "STALE",
            "OVERLOADED",
            "DRAINING");

    private ReplicaReadings() {}

    /** All of them, in the order of the page. */
    static List<Reading> of(ReplicaStatus now) {
        List<Reading> all = new ArrayList<>();
        all.add(Reading.gauge("amo_replica_leader", is(now, now.leader()), "Whether this member leads"));
        all.add(Reading.gauge(
                "amo_replica_primary", is(now, now.primary()), "Whether this member executes, in style passive"));
        all.add(Reading.gauge("amo_replica_feature_level", now.featureLevel(), "The feature level of the group"));
        Map<String, Long> secrets = new TreeMap<>(SecretRing.NO_COUNTS);
        secrets.putAll(now.secrets());
        secrets.forEach((kind, number) ->
                all.add(Reading.gauge("amo_replica_secrets", number, "Secrets of the group at this member, by kind")
                        .with("kind", kind)));
        position(now, all);
        order(now, all);
        divergence(now, all);
        snapshot(now.snapshot(), all);
        cache(now, all);
        return all;
    }

    private static long is(ReplicaStatus now, String member) {
        return now.id().equals(member) ? 1 : 0;
    }

    private static void position(ReplicaStatus now, List<Reading> all) {
        all.add(Reading.gauge("amo_replica_position", now.position(), "Position of the last delivered entry"));
        all.add(Reading.gauge(
                "amo_replica_executed_position",
                now.executedPosition(),
                "Every request up to this position has been executed here"));
        all.add(Reading.counter("amo_replica_executed_requests_total", now.executed(), "Requests executed here"));
        all.add(Reading.gauge(
                "amo_replica_ordered_time_seconds",
                now.orderedTimeMillis() / MILLIS,
                "The time of the group, since 1970"));
        all.add(Reading.gauge(
                "amo_replica_upper_seconds",
                now.upperMillis() / MILLIS,
                "Requests with a timestamp up to this time are refused, since 1970"));
    }

    private static void order(ReplicaStatus now, List<Reading> all) {
        all.add(Reading.counter("amo_replica_replayed_total", now.replayed(), "Attempts answered from a kept reply"));
        all.addAll(each(
                "amo_replica_refusals_total",
                "reason",
                now.refusals(),
                names(Refusal.values()),
                "Ordered refusals by reason"));
        all.addAll(each(
                "amo_replica_overloads_total",
                "budget",
                now.overloads(),
                names(Budget.values()),
                "Refusals OVERLOADED by the used-up budget"));
        all.add(Reading.counter("amo_replica_plain_calls_total", now.plainCalls(), "Calls of clients without amo"));
        all.addAll(each(
                "amo_replica_datagrams_total",
                "outcome",
                now.datagrams(),
                DATAGRAMS,
                "Datagrams of clients without a connection, by outcome"));
        Map<String, Long> kinds = new TreeMap<>(now.orderedEntries());
        // The sum of the others would be counted twice, and messages are no entries.
        kinds.keySet().removeAll(List.of("total", MESSAGES));
        long messages = now.orderedEntries().getOrDefault(MESSAGES, 0L);
        all.addAll(each(
                "amo_replica_ordered_entries_total",
                "kind",
                kinds,
                List.of("requests", "acknowledgements", "ticks", "malformed"),
                "Delivered entries by kind"));
        all.add(Reading.counter("amo_replica_malformed_messages_total", messages, "Malformed messages of members"));
        all.add(Reading.counter(
                "amo_replica_ordered_bytes_total", now.orderedBytes(), "Bytes of all delivered entries"));
        all.add(Reading.counter(
                "amo_replica_sack_bytes_total", now.sackBytes(), "Bytes of acknowledgements in delivered entries"));
        all.add(Reading.gauge(
                "amo_replica_sacks_waiting", now.sacksWaiting(), "Acknowledgements that wait here for the next entry"));
        all.add(Reading.gauge(
                "amo_replica_sack_lag_seconds",
                now.sackLagMillis() / MILLIS,
                "Time until the latest acknowledgement was ordered"));
        all.add(Reading.gauge(
                "amo_replica_sack_lag_peak_seconds",
                now.sackLagMillisPeak() / MILLIS,
                "Longest time until an acknowledgement was ordered"));
        all.add(Reading.gauge("amo_replica_queued_requests", now.queued(), "Attempts that wait here to be ordered"));
        all.add(Reading.gauge(
                "amo_replica_reply_p99_seconds",
                now.replyMicrosP99() / MICROS,
                "Time from an attempt's arrival to its answer, 99 of 100 of the last second or two"));
    }

    private static void divergence(ReplicaStatus now, List<Reading> all) {
        all.add(Reading.counter(
                "amo_replica_repaired_total", now.repaired(), "Damaged places on disk that are whole again"));
        all.add(Reading.counter(
                "amo_replica_diverged_members_total",
                now.diverged(),
                "Members that were found diverged, this one included"));
        all.add(Reading.counter(
                "amo_replica_diverged_repaired_total",
                now.divergedRepaired(),
                "Diverged members that were equal to the majority again"));
        all.add(Reading.counter(
                "amo_replica_incomparable_votes_total",
                now.incomparableVotes(),
                "Votes of members that had executed other requests"));
        all.add(Reading.gauge(
                "amo_replica_diverged_position",
                now.divergedAt(),
                "Position of the first request with another result here, 0 for none"));
    }

    private static void snapshot(Map<String, Long> latest, List<Reading> all) {
        all.add(Reading.gauge(
                "amo_replica_snapshot_position",
                latest.getOrDefault("position", 0L),
                "Position of the snapshot on the disk, 0 for none"));
        all.add(Reading.gauge(
                "amo_replica_snapshot_bytes", latest.getOrDefault("bytes", 0L), "Bytes of the snapshot on the disk"));
        all.add(Reading.gauge(
                "amo_replica_snapshot_take_seconds",
                latest.getOrDefault("takeMicros", 0L) / MICROS,
                "Time in which the servant gave its state to the latest snapshot"));
        all.add(Reading.gauge(
                "amo_replica_snapshot_write_seconds",
                latest.getOrDefault("writeMicros", 0L) / MICROS,
                "Time until the latest snapshot was on the disk"));
        all.add(Reading.counter(
                "amo_replica_snapshots_total", latest.getOrDefault("taken", 0L), "Snapshots that were taken here"));
    }

    private static void cache(ReplicaStatus now, List<Reading> all) {
        all.add(Reading.gauge(
                "amo_reply_cache_entries", now.entries(), "Requests with a reply that is kept or still to come"));
        all.add(Reading.gauge(
                "amo_reply_cache_entries_peak", now.entriesPeak(), "Largest number of entries of the reply cache"));
        all.add(Reading.gauge("amo_reply_cache_bytes", now.bytes(), "Bytes of kept replies"));
        all.add(Reading.gauge(
                "amo_reply_cache_bytes_peak", now.bytesPeak(), "Largest number of bytes of kept replies"));
        all.add(Reading.gauge(
                "amo_reply_cache_timeout_only_entries",
                now.timeoutOnlyEntries(),
                "Entries of the reply cache if no acknowledgement had freed any"));
        all.add(Reading.gauge(
                "amo_reply_cache_timeout_only_entries_peak",
                now.timeoutOnlyEntriesPeak(),
                "Largest number of entries if no acknowledgement had freed any"));
        all.addAll(each(
                "amo_reply_cache_purged_total",
                "cause",
                Map.of("sack", now.purgedBySack(), "timeout", now.purgedByTimeout()),
                List.of(),
                "Entries that an acknowledgement or their deadline freed"));
        all.add(Reading.gauge("amo_reply_cache_clients", now.clients(), "Records of clients"));
        all.add(Reading.gauge(
                "amo_reply_cache_resolved_ranges",
                now.resolvedRanges(),
                "Ranges of resolved numbers, beyond one floor a client"));
    }

    private static List<String> names(Enum<?>[] values) {
        return Arrays.stream(values).map(Enum::name).toList();
    }

    /**
     * One counter for each value of a label.
     *
     * @param always values that are there before the first event
     */
    private static List<Reading> each(
            String name, String label, Map<String, Long> counts, List<String> always, String help) {
        Map<String, Long> all = new TreeMap<>();
        always.forEach(value -> all.put(value, 0L));
        all.putAll(counts);
        List<Reading> readings = new ArrayList<>();
        all.forEach((value, count) ->
                readings.add(Reading.counter(name, count, help).with(label, value)));
        return readings;
    }
}
