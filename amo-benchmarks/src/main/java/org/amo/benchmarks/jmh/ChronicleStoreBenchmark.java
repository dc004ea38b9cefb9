package org.amo.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.replication.store.ChronicleReplies;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Replies in the Chronicle Map of {@code --store chronicle}: outside the heap, so that they cost the collector nothing. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "-Djava.util.logging.config.class=org.amo.interceptors.logging.QuietLogging",
            "-Dchronicle.announcer.disable=true"
        })
public class ChronicleStoreBenchmark {
    private static final int ENTRIES = 1_000;
    private static final ClientId CLIENT = new ClientId(1, 1);
    private static final byte[] REPLY = new byte[StoreWork.REPLY_BYTES];

    private @Nullable ChronicleReplies replies;
    private long number;

    /** A store with entries to read. */
    @Setup
    public void fill() {
        replies = ChronicleReplies.open(4L * ENTRIES * REPLY.length, REPLY.length);
        for (int i = 1; i <= ENTRIES; i++) {
            replies.put(CLIENT, i, REPLY);
        }
        number = ENTRIES;
    }

    @TearDown
    public void close() {
        open().close();
    }

    @Benchmark
    public int putAndAcknowledge() {
        open().put(CLIENT, ++number, REPLY);
        return open().remove(CLIENT, number);
    }

    @Benchmark
    public int replay() {
        return open().get(CLIENT, 1 + ++number % ENTRIES).length;
    }

    /** A thousand replies come onto the heap, as for a snapshot. */
    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public int snapshot() {
        WireWriter writer = new WireWriter(96 * ENTRIES);
        for (int i = 1; i <= ENTRIES; i++) {
            writer.blob(open().get(CLIENT, i));
        }
        return writer.size();
    }

    private ChronicleReplies open() {
        ChronicleReplies opened = replies;
        if (opened == null) {
            throw new IllegalStateException("not set up");
        }
        return opened;
    }
}
