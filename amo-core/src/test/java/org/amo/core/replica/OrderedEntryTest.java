package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestFields;
import org.amo.meetings.AllocatedBytes;
import org.junit.jupiter.api.Test;

/** The sizes that a batch and the status reckon with, beside those of the encoded entry. */
final class OrderedEntryTest {
    private static final ClientId C = new ClientId(1, 1);
    private static final long NOW = 1_700_000_000_000L;

    @Test
    void theSizeOfAnItemIsNotFarFromItsBytes() {
        for (Item item : List.of(
                request(1, FinishedNumbers.NONE, 0),
                request(1, FinishedNumbers.NONE, 1_000),
                request(2_000_000, ranges(), 1_000),
                Item.acknowledgements(C, FinishedNumbers.of(1)),
                Item.acknowledgements(C, ranges()))) {
            int bytes = entry(item).length - entry().length;
            int size = OrderedEntry.encodedSize(item);
            assertTrue(Math.abs(size - bytes) <= 40, size + " instead of " + bytes);
        }
    }

    @Test
    void theBytesOfAcknowledgementsAreThoseThatTheyTakeInAnEntry() {
        for (FinishedNumbers finished : List.of(FinishedNumbers.of(41), FinishedNumbers.of(10), ranges())) {
            Item with = request(42, finished, 5);
            Item without = request(42, FinishedNumbers.NONE, 5);
            assertEquals(1, OrderedEntry.sackBytes(without));
            assertEquals(1 + entry(with).length - entry(without).length, OrderedEntry.sackBytes(with));
        }
    }

    @Property(tries = 2_000)
    void theSizeOfAcknowledgementsIsThatOfTheWrittenOnes(@ForAll long seed) {
        Random random = new Random(seed);
        FinishedNumbers finished = randomNumbers(random);
        long expectedFloor = random.nextInt(8) == 0 ? random.nextInt(2) - 1 : lengthOfBits(random, 56);
        WireWriter writer = new WireWriter(16);
        RequestFields.writeFinished(writer, finished, expectedFloor);
        assertEquals(writer.size(), RequestFields.finishedSize(finished, expectedFloor), finished.toString());
        Item alone = Item.acknowledgements(C, finished);
        assertEquals(entry(alone).length - entry().length, OrderedEntry.sackBytes(alone), finished.toString());
    }

    /** Items of every form: own and foreign, oneway, with a path, with a body of any length. */
    @Property(tries = 2_000)
    void theSizeOfARequestIsThatOfTheWrittenOne(@ForAll long seed) {
        Item item = randomRequest(new Random(seed));
        int bytes = entry(item).length - entry().length;
        assertEquals(bytes, OrderedEntry.size(item), item.toString());
        Item without = new Item(C, FinishedNumbers.NONE, item.request(), item.principal());
        int others = entry(without).length - entry().length - 1;
        assertEquals(bytes - others, OrderedEntry.sackBytes(item), item.toString());
    }

    /** The submitting member encodes 50 kB at a time under load. */
    @Test
    void anEntryIsWrittenIntoOneArrayOfItsLength() {
        Item[] items = new Item[500];
        Arrays.setAll(items, i -> request(1_000 + i, FinishedNumbers.of(999 + i), 100));
        OrderedEntry entry = EntryBuilder.entry("a", 1, 1, NOW, Optional.empty(), List.of(items));
        byte[][] encoded = {{}};
        long least = AllocatedBytes.leastOf(() -> encoded[0] = entry.encode());
        assertTrue(least < encoded[0].length * 5L / 4, least + " bytes for an entry of " + encoded[0].length);
    }

    /** The last number of each length, and the one after it. */
    @Test
    void theSizeOfANumberIsThatOfTheWrittenOne() {
        for (int bits = 0; bits < Long.SIZE; bits++) {
            for (long number : new long[] {(1L << bits) - 1, 1L << bits}) {
                if (number >= 0) {
                    WireWriter writer = new WireWriter(16);
                    writer.varint(number);
                    assertEquals(writer.size(), WireWriter.varintSize(number), Long.toString(number));
                }
            }
        }
    }

    /** Every member asks for each item of each entry. */
    @Test
    void theSizeOfAcknowledgementsIsFoundWithoutWritingThem() {
        List<Item> items = List.of(
                request(42, FinishedNumbers.of(41), 5), request(42, ranges(), 5), Item.acknowledgements(C, ranges()));
        long[] sum = {0};
        long least = AllocatedBytes.leastOf(() -> {
            for (Item item : items) {
                sum[0] += OrderedEntry.sackBytes(item);
            }
        });
        assertTrue(sum[0] > 0);
        // The list's iterator, at most; written, the ranges alone take more than 500 bytes.
        assertTrue(least < 200, least + " bytes");
    }

    private static Item randomRequest(Random random) {
        boolean own = random.nextInt(4) > 0;
        RequestId id = own
                ? RequestId.own(C, 1 + lengthOfBits(random, 56))
                : new RequestId(RequestId.Space.FOREIGN, C, random.nextLong() >>> 32);
        long timestamp = random.nextLong() >>> 16;
        // The length of a name, and that of a body, is of one byte or more.
        CallPath path = random.nextBoolean()
                ? CallPath.NONE
                : new CallPath(List.of("bank", "\u00FC".repeat(1 + random.nextInt(400))));
        Request request = new Request(
                id,
                timestamp,
                timestamp + (random.nextLong() >>> (16 + random.nextInt(48))),
                random.nextLong(),
                random.nextBoolean(),
                new byte[(1 << random.nextInt(16)) - random.nextInt(2)],
                path);
        FinishedNumbers finished = own ? randomNumbers(random) : FinishedNumbers.NONE;
        return new Item(C, finished, Optional.of(request), new Principal(random.nextLong()));
    }

    /** Bounds, gaps and lengths of any number of bits; now and then many ranges, whose count has two bytes. */
    private static FinishedNumbers randomNumbers(Random random) {
        boolean many = random.nextInt(16) == 0;
        int mostBits = many ? 40 : 56;
        long floor = random.nextInt(4) == 0 ? 0 : lengthOfBits(random, mostBits);
        long[] bounds = new long[2 * random.nextInt(many ? FinishedNumbers.MAX_RANGES : 6)];
        long last = floor;
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = last + 2 + lengthOfBits(random, mostBits);
            bounds[i + 1] = bounds[i] + lengthOfBits(random, mostBits);
            last = bounds[i + 1];
        }
        return FinishedNumbers.of(floor, bounds);
    }

    /** Often at the edge of a byte of a varint. The sum of a dozen of 56 bits, or of 4,000 of 40, is a permitted number. */
    private static long lengthOfBits(Random random, int mostBits) {
        long edge = 1L << random.nextInt(mostBits);
        return random.nextBoolean() ? edge - 1 + random.nextInt(2) : edge + random.nextInt(1_000);
    }

    /** A hundred of them, far apart. */
    private static FinishedNumbers ranges() {
        long[] bounds = new long[200];
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = 10L + 90_000L * i;
            bounds[i + 1] = bounds[i] + 80_000;
        }
        return FinishedNumbers.of(1, bounds);
    }

    private static Item request(long number, FinishedNumbers finished, int bodyBytes) {
        Request request = new Request(RequestId.own(C, number), NOW, NOW + 5_000, 7, false, new byte[bodyBytes]);
        return new Item(C, finished, Optional.of(request), Principal.UNKNOWN);
    }

    private static byte[] entry(Item... items) {
        return EntryBuilder.entry("a", 1, 1, NOW, Optional.empty(), List.of(items))
                .encode();
    }
}
