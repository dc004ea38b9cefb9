package org.amo.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.map.ChronicleMap;
import org.amo.core.request.ClientId;
import org.amo.core.wire.WireWriter;
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

/** Replies in a Chronicle Map: outside the heap, so that they cost the collector nothing. */
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
    /** Timestamp, expiry and fingerprint before the reply. */
    private static final byte[] VALUE = new byte[24 + StoreWork.REPLY_BYTES];

    private @Nullable ChronicleMap<byte[], byte[]> map;
    private long number;

    /** A map with entries to read. */
    @Setup
    public void fill() {
        map = ChronicleMaps.inMemory(4 * ENTRIES, VALUE.length);
        for (int i = 1; i <= ENTRIES; i++) {
            map.put(StoreWork.key(CLIENT, i), VALUE);
        }
        number = ENTRIES;
    }

    @TearDown
    public void close() {
        open().close();
    }

    @Benchmark
    public boolean putAndAcknowledge() {
        byte[] key = StoreWork.key(CLIENT, ++number);
        open().put(key, VALUE);
        return open().remove(key) != null;
    }

    @Benchmark
    public int replay() {
        byte[] found = open().get(StoreWork.key(CLIENT, 1 + ++number % ENTRIES));
        return found == null ? 0 : found.length;
    }

    @Benchmark
    @OperationsPerInvocation(ENTRIES)
    public int snapshot() {
        WireWriter writer = new WireWriter(96 * ENTRIES);
        open().forEach((key, value) -> {
            writer.blob(key);
            writer.blob(value);
        });
        return writer.size();
    }

    private ChronicleMap<byte[], byte[]> open() {
        ChronicleMap<byte[], byte[]> opened = map;
        if (opened == null) {
            throw new IllegalStateException("not set up");
        }
        return opened;
    }
}
