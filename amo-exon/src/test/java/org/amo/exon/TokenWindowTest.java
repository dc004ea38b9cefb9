package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tokens under way by slot: the lowest is known at once, and none is lost when the ring grows. */
class TokenWindowTest {
    private final TokenWindow window = new TokenWindow();

    private static SentToken token(long slot) {
        return new SentToken(new OutgoingMessage(slot, new byte[1], Long.MAX_VALUE, 10), 0, slot, 1);
    }

    private List<Long> slots(long from, long to) {
        List<Long> slots = new ArrayList<>();
        window.forEach(from, to, token -> slots.add(token.slot));
        return slots;
    }

    @Test
    void anEmptyWindowHasNoSpan() {
        assertTrue(window.isEmpty());
        assertEquals(0, window.span());
        SentToken token = token(5);
        window.add(token);
        assertEquals(1, window.span());
        window.remove(token);
        assertEquals(0, window.span());
        assertTrue(token.gone);
    }

    @Test
    void theFirstIsTheLowestThatIsLeft() {
        List<SentToken> tokens = new ArrayList<>();
        for (long slot : new long[] {7, 9, 12}) {
            SentToken token = token(slot);
            tokens.add(token);
            window.add(token);
        }
        assertEquals(7, window.first());
        assertEquals(6, window.span());
        window.remove(tokens.get(1));
        assertEquals(7, window.first());
        window.remove(tokens.get(0));
        assertEquals(12, window.first());
    }

    @Test
    void slotsFarApartAreAllKept() {
        List<Long> all = new ArrayList<>();
        for (long slot = 100; slot < 100 + 16 * 5; slot += 5) {
            window.add(token(slot));
            all.add(slot);
            assertEquals(all, slots(0, Long.MAX_VALUE));
        }
        window.add(token(100 + 16 * 5));
        assertEquals(81, window.span());
        assertFalse(window.isEmpty());
    }

    @Test
    void aRangeHasItsFirstSlotAndNotItsEnd() {
        for (long slot = 20; slot < 25; slot++) {
            window.add(token(slot));
        }
        assertEquals(List.of(21L, 22L), slots(21, 23));
        assertEquals(List.of(20L), slots(0, 21));
        assertEquals(List.of(24L), slots(24, 100));
        assertEquals(List.of(), slots(25, 100));
        window.forEach(window::remove);
        assertTrue(window.isEmpty());
        window.add(token(40));
        assertEquals(40, window.first());
    }
}
