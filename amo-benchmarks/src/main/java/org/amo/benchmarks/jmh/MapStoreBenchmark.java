package org.amo.benchmarks.jmh;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.RequestId;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The plain alternative: a ConcurrentHashMap from id to entry, which forgets ids with their entries. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MapStoreBenchmark {
    private static final int ENTRIES = 1_000;
    private static final ClientId CLIENT = new ClientId(1, 1);
    private static final byte[] REPLY = new byte[StoreWork.REPLY_BYTES];

    private Map<RequestId, Kept> entries = new ConcurrentHashMap<>();
    private Map<RequestId, Kept> full = new ConcurrentHashMap<>();
    private long number;

    private record Kept(long timestampMillis, long expiresAtMillis, long fingerprint, byte[] reply) {}

    /** A map with entries to read. */
    @Setup
    public void fill() {
        entries = new ConcurrentHashMap<>();
        number = 0;
        full = filled();
    }

    @Benchmark
    public boolean putAndAcknowledge() {
        long next = ++number;
        entries.put(RequestId.own(CLIENT, next), new Kept(next, next + 10_000, next, REPLY));
        return entries.remove(RequestId.own(CLIENT, next)) != null;
    }

    @Benchmark
    public int replay() {
        Kept found = full.get(RequestId.own(CLIENT, 1 + ++number % ENTRIES));
        return found == null ? 0 : found.reply.length;
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public int putAndExpire() {
        Map<RequestId, Kept> made = filled();
        made.values().removeIf(entry -> entry.expiresAtMillis > 0);
        return made.size();
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public int snapshot() {
        WireWriter writer = new WireWriter(64 * ENTRIES);
        full.forEach((id, entry) -> {
            writer.clientId(id.client());
            writer.varint(id.number());
            writer.i64(entry.timestampMillis);
            writer.i64(entry.expiresAtMillis);
            writer.i64(entry.fingerprint);
            writer.blob(entry.reply);
        });
        return writer.size();
    }

    private static Map<RequestId, Kept> filled() {
        Map<RequestId, Kept> made = new ConcurrentHashMap<>();
        for (int i = 1; i <= ENTRIES; i++) {
            made.put(RequestId.own(CLIENT, i), new Kept(i, i + 10_000, i, REPLY));
        }
        return made;
    }
}
