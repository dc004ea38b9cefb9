package org.amo.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.ClientRecord;
import org.amo.core.reply.LiveEntry;
import org.amo.core.request.Principal;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** amo's own reply store on the heap: the window of one client. Times are per entry. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeapStoreBenchmark {
    private static final int ENTRIES = 1_000;
    private static final byte[] REPLY = new byte[StoreWork.REPLY_BYTES];

    private ClientRecord record = new ClientRecord(new ClientId(1, 1), Principal.UNKNOWN);
    private ClientRecord full = new ClientRecord(new ClientId(1, 2), Principal.UNKNOWN);
    private long number;

    /** A record with entries to read. */
    @Setup
    public void fill() {
        record = new ClientRecord(new ClientId(1, 1), Principal.UNKNOWN);
        number = 0;
        full = filled();
    }

    /** A request is accepted, its reply kept, and the acknowledgement frees it: the life of an entry. */
    @Benchmark
    public int putAndAcknowledge() {
        long next = ++number;
        LiveEntry entry = new LiveEntry(next, next + 10_000, next, 600);
        record.accept(next, entry);
        record.complete(next, REPLY);
        return record.resolve(next, next, next);
    }

    /** A duplicate finds its reply. */
    @Benchmark
    public int replay() {
        long wanted = 1 + ++number % ENTRIES;
        return full.live(wanted).orElseThrow().reply().orElseThrow().length;
    }

    /** A thousand entries are put and expire. */
    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public int putAndExpire() {
        ClientRecord record = filled();
        return record.expire(Long.MAX_VALUE, record::keepId);
    }

    /** A thousand entries go into a snapshot. */
    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public int snapshot() {
        WireWriter writer = new WireWriter(64 * ENTRIES);
        full.write(writer);
        return writer.size();
    }

    private static ClientRecord filled() {
        ClientRecord made = new ClientRecord(new ClientId(1, 3), Principal.UNKNOWN);
        for (int i = 1; i <= ENTRIES; i++) {
            LiveEntry entry = new LiveEntry(i, i + 10_000, i, 600);
            made.accept(i, entry);
            made.complete(i, REPLY);
        }
        return made;
    }
}
