package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
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
