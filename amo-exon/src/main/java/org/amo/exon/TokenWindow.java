package org.amo.exon;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tokens by slot: a ring over the slots from the first that has one. One thread owns it. */
final class TokenWindow {
    private @Nullable SentToken[] ring = new SentToken[16];
    private long first;
    private long end;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** min(dom tok), if there is one. */
    long first() {
        return first;
    }

    /** Distance from the first token to one past the last. */
    long span() {
        return isEmpty() ? 0 : end - first;
    }

    /** Slots are added in rising order. */
    void add(SentToken token) {
        if (isEmpty()) {
            first = token.slot;
        }
        while (token.slot - first >= ring.length) {
            grow();
        }
        ring[at(token.slot)] = token;
        end = token.slot + 1;
        size++;
    }

    void remove(SentToken token) {
        ring[at(token.slot)] = null;
        size--;
        token.gone = true;
        while (size > 0 && ring[at(first)] == null) {
            first++;
        }
    }

    /** Every token in the slots from {@code from} to {@code to}, excluded; the action may remove it. */
    void forEach(long from, long to, Consumer<SentToken> action) {
        for (long slot = Math.max(from, first); slot < Math.min(to, end) && size > 0; slot++) {
            SentToken token = ring[at(slot)];
            if (token != null && token.slot == slot) {
                action.accept(token);
            }
        }
    }

    void forEach(Consumer<SentToken> action) {
        forEach(first, end, action);
    }

    /** How many of the slots from {@code from} to {@code to}, excluded, may have a token. */
    long within(long from, long to) {
        return Math.max(0, Math.min(to, end) - Math.max(from, first));
    }

    private void grow() {
        @Nullable SentToken[] old = ring;
        ring = new SentToken[2 * old.length];
        for (SentToken token : old) {
            if (token != null) {
                ring[at(token.slot)] = token;
            }
        }
    }

    private int at(long slot) {
        return (int) (slot & (ring.length - 1));
    }
}
