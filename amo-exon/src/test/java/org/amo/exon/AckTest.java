package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.stream.IntStream;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Token;
import org.junit.jupiter.api.Test;

/** Acknowledgements by ranges: of what a sender may still have as a token, and never of a slot that is open. */
class AckTest {
    private static final int LAST = 60;
    private static final int SPAN = 4 * 8;

    private final ReceiveRecord record = new AtReceiptNode.AtReceiptRecord(
            ExonOptions.builder()
                    .standbySlots(1, 4)
                    .maxSlots(8, 64)
                    .maxMessageBytes(100)
                    .build(),
            new ReceiveBudget(1_000),
            1,
            5);

    /** Opens slots 1 to 60 and consumes all but some. */
    private Ack consumeAllBut(Set<Integer> open) {
        for (int slot = 1; slot <= LAST; slot++) {
            record.onRequest(new RequestSlots(slot, 1, 1, 0));
            if (!open.contains(slot)) {
                Token token = new Token(5, slot, 0, 1, new byte[0]);
                assertEquals(ReceiveRecord.Verdict.CONSUMED, record.onToken(token), "slot " + slot);
            }
        }
        return record.ack();
    }

    static boolean covers(Ack ack, long slot) {
        long[] covered = ack.covered();
        return IntStream.range(0, covered.length / 2)
                .anyMatch(range -> covered[2 * range] <= slot && slot < covered[2 * range + 1]);
    }

    @Test
    void theyReachAsFarBackAsASendersTokensDo() {
        Ack ack = consumeAllBut(Set.of(50));
        assertEquals(LAST + 1 - SPAN, ack.from());
        for (int slot = LAST + 1 - SPAN; slot <= LAST; slot++) {
            assertEquals(slot != 50, covers(ack, slot), "slot " + slot);
        }
    }

    /** The hole of 27 to 31 begins below the bound, 29, and ends above it. */
    @Test
    void noneIsOfAnOpenSlotWhereTheRangeBegins() {
        Set<Integer> open = Set.of(2, 27, 28, 29, 30, 31, 40);
        Ack ack = consumeAllBut(open);
        open.forEach(slot -> assertFalse(covers(ack, slot), "slot " + slot + " is open: " + ack));
        assertTrue(covers(ack, 32) && covers(ack, 41) && covers(ack, LAST), ack.toString());
    }
}
