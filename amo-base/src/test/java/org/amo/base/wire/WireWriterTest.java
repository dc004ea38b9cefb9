package org.amo.base.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class WireWriterTest {
    @Test
    void theBytesAreTheSameWhateverTheCapacityWas() {
        for (int capacity = 0; capacity < 60; capacity++) {
            WireWriter grown = new WireWriter(0);
            WireWriter tried = new WireWriter(capacity);
            write(grown, 3);
            write(tried, 3);
            tried.capacityFor(capacity);
            write(grown, 4);
            write(tried, 4);
            byte[] bytes = tried.toBytes();
            assertArrayEquals(grown.toBytes(), bytes);
            assertArrayEquals(bytes, tried.take());
        }
    }

    @Test
    void aNumberOfAnyLengthFillsTheCapacityThatWasMadeForIt() {
        for (int bits = 0; bits < Long.SIZE - 1; bits++) {
            long number = 1L << bits;
            WireWriter writer = new WireWriter(16);
            writer.i64(5);
            writer.capacityFor(WireWriter.varintSize(number));
            writer.varint(number);
            WireReader reader = new WireReader("taken", writer.take());
            assertEquals(5, reader.i64("first"));
            assertEquals(number, reader.varint("number", 0, Long.MAX_VALUE));
            reader.end();
        }
    }

    /** The taken array belongs to the caller alone. */
    @Test
    void aWriterIsEmptyAfterItsBytesWereTaken() {
        WireWriter writer = new WireWriter(16);
        writer.i64(1);
        writer.i64(2);
        byte[] taken = writer.take();
        byte[] copy = taken.clone();
        assertEquals(0, writer.size());
        writer.i64(3);
        assertArrayEquals(copy, taken);
        assertEquals(3, new WireReader("second", writer.take()).i64("number"));
    }

    private static void write(WireWriter writer, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 8; i++) {
            writer.u8(random.nextInt(256));
            writer.varint(random.nextLong() >>> (1 + random.nextInt(62)));
            writer.text("t".repeat(random.nextInt(5)));
            writer.i32(random.nextInt());
        }
    }
}
