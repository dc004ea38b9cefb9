package org.amo.benchmarks.cache;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.amo.base.ClientId;
import org.amo.benchmarks.LoopReplica;
import org.amo.benchmarks.cache.PrunedReplies.Verdict;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;

/**
 * One workload for all caches, in virtual time and from a seed: clients of four threads each in a closed loop, replies
 * that arrive out of order, and copies of one request in fifty that arrive up to a minute late.
 */
final class Workload {
    static final int THREADS_A_CLIENT = 4;
    static final long DEADLINE_MILLIS = 10_000;
    static final long SKEW_MILLIS = 2_000;
    static final long RETENTION_MILLIS = 2 * DEADLINE_MILLIS + 10_000;
    private static final int MOST_LATE_MILLIS = 60_000;
    private static final int ONE_COPY_IN = 50;
    private static final int MOST_ROUND_TRIP_MILLIS = 200;
    private static final long START = 1_000_000_000L;

    private final ReplyCache cache;
    private final boolean lease;
    private final int clients;
    private final long virtualMillis;
    private final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Client> all = new ArrayList<>();
    private long sequence;

    private record Event(long atMillis, long sequence, Client client, Call call, boolean late)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atMillis, other.atMillis);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private record Call(long number, long timestampMillis, long deadlineMillis) {}

    /** One incarnation: with leases a client takes a new id when its lease ends. */
    private static final class Client {
        private ClientId id;
        private NumberRanges finished = new NumberRanges();
        private BitSet executed = new BitSet();
        private long next = 1;
        private long leaseEnd;

        private Client(ClientId id, long leaseEnd) {
            this.id = id;
            this.leaseEnd = leaseEnd;
        }
    }

    /** The result of a run. */
    record Result(
            double entries,
            double replyBytes,
            double opsPerSecond,
            long executed,
            long lateExecuted,
            long lateCopies) {}

    Workload(ReplyCache cache, boolean lease, int clients, long virtualMillis, long seed) {
        this.cache = cache;
        this.lease = lease;
        this.clients = clients;
        this.virtualMillis = virtualMillis;
        this.random = new Random(seed);
    }

    Result run() {
        for (int i = 0; i < clients; i++) {
            Client client = new Client(
                    new ClientId(random.nextLong(), i), START + random.nextInt((int) DEADLINE_MILLIS) + 1_000);
            all.add(client);
            for (int thread = 0; thread < THREADS_A_CLIENT; thread++) {
                at(START + random.nextInt(MOST_ROUND_TRIP_MILLIS), client, newCall(client, START), false);
            }
        }
        long operations = 0;
        long executed = 0;
        long lateExecuted = 0;
        long lateCopies = 0;
        double entries = 0;
        double bytes = 0;
        long samples = 0;
        long nextSample = START + DEADLINE_MILLIS + SKEW_MILLIS + 1_000;
        byte[] reply = new byte[LoopReplica.REPLY_BYTES];
        long begin = System.nanoTime();
        while (!events.isEmpty() && events.peek().atMillis < START + virtualMillis) {
            Event event = events.poll();
            long now = event.atMillis;
            Client client = event.client;
            Call call = event.call;
            cache.advance(now);
            Verdict verdict = cache.accept(
                    client.id,
                    call.number,
                    call.timestampMillis,
                    call.deadlineMillis,
                    event.late ? FinishedNumbers.NONE : client.finished.toFinished(0, FinishedNumbers.MAX_RANGES));
            operations++;
            boolean again = client.executed.get((int) call.number);
            if (verdict == Verdict.EXECUTE) {
                cache.complete(client.id, call.number, reply);
                client.executed.set((int) call.number);
                executed++;
                lateExecuted += again ? 1 : 0;
            }
            if (event.late) {
                lateCopies++;
            } else {
                client.finished.add(call.number, call.number);
                Client speaker = lease && now > client.leaseEnd - 1_000 ? renewed(client, now) : client;
                at(now + 1 + random.nextInt(MOST_ROUND_TRIP_MILLIS), speaker, newCall(speaker, now), false);
                if (random.nextInt(ONE_COPY_IN) == 0) {
                    at(now + 1 + random.nextInt(MOST_LATE_MILLIS), client, call, true);
                }
            }
            if (now >= nextSample) {
                nextSample = now + 500;
                entries += cache.entries();
                bytes += cache.replyBytes();
                samples++;
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Result(
                entries / Math.max(1, samples),
                bytes / Math.max(1, samples),
                operations / seconds,
                executed,
                lateExecuted,
                lateCopies);
    }

    private Client renewed(Client old, long now) {
        int index = (int) old.id.low();
        Client present = all.get(index);
        if (present == old) {
            present = new Client(new ClientId(random.nextLong(), index), now + DEADLINE_MILLIS);
            all.set(index, present);
        }
        return present;
    }

    private Call newCall(Client client, long now) {
        return new Call(client.next++, now, lease ? client.leaseEnd : now + DEADLINE_MILLIS);
    }

    private void at(long millis, Client client, Call call, boolean late) {
        events.add(new Event(millis, sequence++, client, call, late));
    }
}
