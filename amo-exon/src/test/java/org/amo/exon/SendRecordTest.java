package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.exon.Frame.Slots;
import org.junit.jupiter.api.Test;

/** Which answers of a receiver give a sender slots. */
class SendRecordTest {
    private static final long FIRST = 100;

    private final SendRecord record = new SendRecord(
            ExonOptions.builder().build(), new NodeClock(FIRST, FIRST + 10_000, 10_000), new NoEffects());

    SendRecordTest() {
        record.send(new OutgoingMessage(1, new byte[1], Long.MAX_VALUE, 1_000));
        record.send(new OutgoingMessage(2, new byte[1], Long.MAX_VALUE, 1_000));
    }

    /**
     * Its record at the receiver is gone, and with it the slots: the token would be acknowledged without being delivered.
     */
    @Test
    void slotsOfAnOlderIncarnationAreNone() {
        record.onSlots(new Slots(FIRST, 7, 1));
        assertEquals(7, record.incarnationOf(record.bind()));
        record.onSlots(new Slots(FIRST + 1, 6, 1));
        assertFalse(record.canBind());
        record.onSlots(new Slots(FIRST + 1, 7, 1));
        assertTrue(record.canBind());
        assertEquals(7, record.incarnationOf(record.bind()));
    }

    @Test
    void slotsOfANewerIncarnationReplaceTheEnvelopesThatAreLeft() {
        record.onSlots(new Slots(FIRST, 7, 2));
        record.onSlots(new Slots(FIRST + 2, 8, 1));
        assertEquals(1, record.envelopes());
        SentToken token = record.bind();
        assertEquals(8, record.incarnationOf(token));
        assertEquals(FIRST + 2, token.slot);
    }

    @Test
    void slotsThatWereNotAskedForNextAreNone() {
        record.onSlots(new Slots(FIRST + 1, 7, 5));
        assertFalse(record.canBind());
        record.onSlots(new Slots(FIRST - 1, 7, 5));
        assertFalse(record.canBind());
    }

    private static final class NoEffects implements ExonEffects {
        @Override
        public void transmit(Address to, byte[] datagram) {}

        @Override
        public void deliver(MessageName delivery, byte[] message) {}

        @Override
        public void completed(long message, Outcome outcome) {}

        @Override
        public void reserveClock(long bound) {}
    }
}
