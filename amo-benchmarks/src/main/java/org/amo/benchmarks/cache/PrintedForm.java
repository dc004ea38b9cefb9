package org.amo.benchmarks.cache;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.amo.base.ClientId;
import org.amo.benchmarks.cache.PrunedReplies.Verdict;
import org.amo.core.sack.FinishedNumbers;

/** A policy as the papers print it: with its reply an entry's id is forgotten, and nothing refuses a late copy. */
final class PrintedForm implements ReplyCache {
    private static final long BUCKET_MILLIS = 100;

    private final PruningPolicy policy;
    private final long skewMillis;
    private final Map<ClientId, NavigableMap<Long, byte[]>> replies = new HashMap<>();
    private final TreeMap<Long, Set<Key>> expiries = new TreeMap<>();
    private long entries;
    private long bytes;

    private record Key(ClientId client, long number) {}

    PrintedForm(PruningPolicy policy, long skewMillis) {
        this.policy = policy;
        this.skewMillis = skewMillis;
    }

    @Override
    public void advance(long nowMillis) {
        while (!expiries.isEmpty() && expiries.firstKey() * BUCKET_MILLIS < nowMillis) {
            expiries.pollFirstEntry().getValue().forEach(key -> remove(of(key.client), key.number));
        }
    }

    @Override
    public Verdict accept(
            ClientId client, long number, long timestampMillis, long deadlineMillis, FinishedNumbers acknowledged) {
        NavigableMap<Long, byte[]> own = of(client);
        FinishedNumbers finished = policy.finishedBy(number, acknowledged);
        while (!own.isEmpty() && own.firstKey() <= finished.floor()) {
            remove(own, own.firstKey());
        }
        for (int i = 0; i < finished.rangeCount(); i++) {
            for (long each = finished.rangeFirst(i); each <= finished.rangeLast(i); each++) {
                remove(own, each);
            }
        }
        if (own.containsKey(number)) {
            return Verdict.LIVE;
        }
        own.put(number, new byte[0]);
        entries++;
        expiries.computeIfAbsent((deadlineMillis + skewMillis) / BUCKET_MILLIS + 1, key -> new HashSet<>())
                .add(new Key(client, number));
        return Verdict.EXECUTE;
    }

    @Override
    public void complete(ClientId client, long number, byte[] reply) {
        if (of(client).replace(number, reply) != null) {
            bytes += reply.length;
        }
    }

    @Override
    public long entries() {
        return entries;
    }

    @Override
    public long replyBytes() {
        return bytes;
    }

    private void remove(Map<Long, byte[]> own, long number) {
        byte[] reply = own.remove(number);
        if (reply != null) {
            entries--;
            bytes -= reply.length;
        }
    }

    private NavigableMap<Long, byte[]> of(ClientId client) {
        return replies.computeIfAbsent(client, key -> new TreeMap<>());
    }
}
