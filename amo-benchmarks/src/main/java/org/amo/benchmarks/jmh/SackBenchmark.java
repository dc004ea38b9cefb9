package org.amo.benchmarks.jmh;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;
import org.amo.core.wire.RequestFields;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Encodes the finished numbers of a client of 250 threads, as bytes: all but the newest (dense), every second of the last
 * 500 still under way (sparse), ids drawn at random (random), and the list of ids of about 90 bytes each that Friedman and
 * Hadad send.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SackBenchmark {
    private static final long NUMBER = 1_000_000;
    private static final int IDS = 250;
    private static final int PAPER_BYTES = 90;

    private static final FinishedNumbers DENSE = FinishedNumbers.of(NUMBER - 1);
    private static final FinishedNumbers SPARSE = sparse();
    private static final FinishedNumbers RANDOM = random();
    private static final byte[] DENSE_BYTES = encoded(DENSE);
    private static final byte[] SPARSE_BYTES = encoded(SPARSE);
    private static final byte[] RANDOM_BYTES = encoded(RANDOM);
    private static final byte[] PAPER_ID =
            "x".repeat(PAPER_BYTES - 1 - Long.BYTES).getBytes(StandardCharsets.US_ASCII);

    private final NumberRanges finished = new NumberRanges();
    private long number;

    /** How many bytes each form takes. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Size {
        private int bytes;

        public int bytes() {
            return bytes;
        }
    }

    @Benchmark
    public byte[] encodeDense(Size size) {
        return counted(encoded(DENSE), size);
    }

    @Benchmark
    public byte[] encodeSparse(Size size) {
        return counted(encoded(SPARSE), size);
    }

    @Benchmark
    public byte[] encodeRandom(Size size) {
        return counted(encoded(RANDOM), size);
    }

    /** The same 250 ids in the paper's form. */
    @Benchmark
    public byte[] encodePaperForm(Size size) {
        WireWriter writer = new WireWriter(IDS * PAPER_BYTES);
        for (int i = 0; i < IDS; i++) {
            writer.blob(PAPER_ID);
            writer.i64(i);
        }
        return counted(writer.toBytes(), size);
    }

    @Benchmark
    public FinishedNumbers decodeDense() {
        return decoded(DENSE_BYTES);
    }

    @Benchmark
    public FinishedNumbers decodeSparse() {
        return decoded(SPARSE_BYTES);
    }

    @Benchmark
    public FinishedNumbers decodeRandom() {
        return decoded(RANDOM_BYTES);
    }

    /** A client finishes its calls in pairs of the wrong order. */
    @Benchmark
    public long finishOutOfOrder() {
        number += 2;
        finished.add(number, number);
        finished.add(number - 1, number - 1);
        return finished.floor();
    }

    private static byte[] counted(byte[] bytes, Size size) {
        size.bytes = bytes.length;
        return bytes;
    }

    private static byte[] encoded(FinishedNumbers numbers) {
        WireWriter writer = new WireWriter(16);
        RequestFields.writeFinished(writer, numbers, NUMBER - 1);
        return writer.toBytes();
    }

    private static FinishedNumbers decoded(byte[] bytes) {
        return RequestFields.readFinished(new WireReader("finished", bytes), NUMBER - 1);
    }

    private static FinishedNumbers sparse() {
        NumberRanges ranges = new NumberRanges();
        ranges.add(1, NUMBER - 2 * IDS - 1);
        for (long i = NUMBER - 2 * IDS + 1; i < NUMBER; i += 2) {
            ranges.add(i, i);
        }
        return ranges.toFinished(0, FinishedNumbers.MAX_RANGES);
    }

    private static FinishedNumbers random() {
        NumberRanges ranges = new NumberRanges();
        Random random = new Random(1);
        for (int i = 0; i < IDS; i++) {
            long id = 1 + (random.nextLong() >>> 4);
            ranges.add(id, id);
        }
        return ranges.toFinished(0, FinishedNumbers.MAX_RANGES);
    }
}
