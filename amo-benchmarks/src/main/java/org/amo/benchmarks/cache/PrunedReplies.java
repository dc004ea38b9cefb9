package org.amo.benchmarks.cache;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.amo.base.ClientId;
import org.amo.core.reply.ClientRecord;
import org.amo.core.reply.LiveEntry;
import org.amo.core.request.Principal;
import org.amo.core.sack.FinishedNumbers;

/**
 * A reply cache with a {@link PruningPolicy}: the decision table without budgets and fingerprints, to compare policies on
 * equal terms. Times are the group's, and rise. One thread owns it.
 */
final class PrunedReplies implements ReplyCache {
    private static final long BUCKET_MILLIS = 100;

    private final PruningPolicy policy;
    private final long retentionMillis;
    private final long skewMillis;
    private final Map<ClientId, ClientRecord> records = new HashMap<>();

    /** Clients by the time at which one of their entries expires, in steps. */
    private final TreeMap<Long, Set<ClientId>> expiries = new TreeMap<>();

    /** Clients by the time at which their resolved ranges may be covered by {@code upper}. */
    private final TreeMap<Long, Set<ClientId>> forgettables = new TreeMap<>();

    private long orderedTimeMillis = Long.MIN_VALUE;
    private long upperMillis = Long.MIN_VALUE;
    private long entries;
    private long replyBytes;

    /** The verdict on an attempt of a request. */
    enum Verdict {
        /** Run it; its reply is then kept. */
        EXECUTE,
        /** It runs or ran, and its reply is kept or will be. */
        LIVE,
        /** It may have run, and its reply is not needed. */
        STALE,
        /** It has not run and will not. */
        EXPIRED
    }

    /**
     * @param retentionMillis how old a timestamp may be; at least twice the longest deadline
     * @param skewMillis added to a deadline before an entry goes
     */
    PrunedReplies(PruningPolicy policy, long retentionMillis, long skewMillis) {
        this.policy = policy;
        this.retentionMillis = retentionMillis;
        this.skewMillis = skewMillis;
    }

    /** The group's time: entries expire, ids below the raised bound go. */
    @Override
    public void advance(long nowMillis) {
        orderedTimeMillis = Math.max(orderedTimeMillis, nowMillis);
        upperMillis = Math.max(upperMillis, orderedTimeMillis - retentionMillis);
        while (!expiries.isEmpty() && expiries.firstKey() * BUCKET_MILLIS < orderedTimeMillis) {
            for (ClientId client : expiries.pollFirstEntry().getValue()) {
                expire(record(client));
            }
        }
        while (!forgettables.isEmpty() && forgettables.firstKey() * BUCKET_MILLIS < upperMillis) {
            for (ClientId client : forgettables.pollFirstEntry().getValue()) {
                record(client).forgetUpTo(upperMillis);
            }
        }
    }

    /**
     * An attempt of a request, with the finished numbers of its client.
     *
     * @param deadlineMillis with {@link PruningPolicy#LEASE} the end of the client's lease
     */
    @Override
    public Verdict accept(
            ClientId client, long number, long timestampMillis, long deadlineMillis, FinishedNumbers acknowledged) {
        ClientRecord record = record(client);
        finished(record, policy.finishedBy(number, acknowledged));
        if (record.live(number).isPresent()) {
            return Verdict.LIVE;
        }
        if (record.isResolved(number) || timestampMillis <= upperMillis) {
            return Verdict.STALE;
        }
        if (orderedTimeMillis > deadlineMillis) {
            return policy == PruningPolicy.LEASE ? Verdict.STALE : Verdict.EXPIRED;
        }
        LiveEntry entry = new LiveEntry(timestampMillis, deadlineMillis + skewMillis, number, 0);
        record.accept(number, entry);
        entries++;
        schedule(expiries, entry.expiresAtMillis(), client);
        return Verdict.EXECUTE;
    }

    /** An execution has ended; its reply is kept unless it is not needed any more. */
    @Override
    public void complete(ClientId client, long number, byte[] reply) {
        ClientRecord record = record(client);
        record.live(number).ifPresent(entry -> {
            record.complete(number, reply);
            replyBytes += reply.length;
        });
    }

    @Override
    public long entries() {
        return entries;
    }

    @Override
    public long replyBytes() {
        return replyBytes;
    }

    private void finished(ClientRecord record, FinishedNumbers numbers) {
        if (numbers.floor() > record.floor()) {
            resolve(record, record.floor() + 1, numbers.floor());
        }
        for (int i = 0; i < numbers.rangeCount(); i++) {
            if (!record.areResolved(numbers.rangeFirst(i), numbers.rangeLast(i))) {
                resolve(record, numbers.rangeFirst(i), numbers.rangeLast(i));
            }
        }
    }

    private void resolve(ClientRecord record, long first, long last) {
        long bytes = record.replyBytes();
        long unseen = orderedTimeMillis + skewMillis;
        entries -= record.resolve(first, last, unseen);
        replyBytes -= bytes - record.replyBytes();
        schedule(forgettables, unseen, record.client());
    }

    private void expire(ClientRecord record) {
        long bytes = record.replyBytes();
        // An ended lease refuses its ids by itself; a deadline does not, for row STALE stands before EXPIRED.
        boolean keepIds = policy != PruningPolicy.LEASE;
        entries -= record.expire(orderedTimeMillis, (number, timestamp) -> {
            if (keepIds) {
                record.keepId(number, timestamp);
            }
        });
        replyBytes -= bytes - record.replyBytes();
        schedule(forgettables, orderedTimeMillis, record.client());
    }

    private static void schedule(Map<Long, Set<ClientId>> clients, long atMillis, ClientId client) {
        clients.computeIfAbsent(Math.floorDiv(atMillis, BUCKET_MILLIS) + 1, key -> new HashSet<>())
                .add(client);
    }

    private ClientRecord record(ClientId client) {
        return records.computeIfAbsent(client, id -> new ClientRecord(id, Principal.UNKNOWN));
    }
}
