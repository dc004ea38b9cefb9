package org.amo.core.reply;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Packs live entries with numbers in a row: {@value #WIDTH} ints an entry and a reference to its reply. Slot s holds the
 * number {@code key * SIZE + s}. The arrays cover the slots from the first to the last that was ever used since they were
 * last trimmed, so that a client with one live entry pays for one.
 */
class LiveChunk {
    static final int SIZE = 32;

    /** Offset of the timestamp, offset of the expiry, both halves of the fingerprint, complement of the charge. */
    private static final int WIDTH = 5;

    /** By how many slots the arrays grow, from the fourth on. */
    private static final int STEP = 4;

    private final long key;

    /** The base of the offsets of times. */
    private long baseMillis;

    /** Of the entries that are in it now. */
    private long earliestExpiry = Long.MAX_VALUE;

    private int firstSlot;
    private int used;
    private int[] facts = {};
    private byte[] @Nullable [] replies = {};

    LiveChunk(long key) {
        this.key = key;
    }

    long key() {
        return key;
    }

    long number(int slot) {
        return key * SIZE + slot;
    }

    boolean isEmpty() {
        return used == 0;
    }

    long earliestExpiry() {
        return earliestExpiry;
    }

    boolean isLive(int slot) {
        int index = slot - firstSlot;
        // The complement of a charge is below zero; a slot that was never set is zero.
        return index >= 0 && index < replies.length && facts[index * WIDTH + 4] < 0;
    }

    /** The slot must hold one. */
    LiveEntry get(int slot) {
        int index = slot - firstSlot;
        int at = index * WIDTH;
        long fingerprint = ((long) facts[at + 2] << 32) | (facts[at + 3] & 0xFFFF_FFFFL);
        return new LiveEntry(
                baseMillis + facts[at], baseMillis + facts[at + 1], fingerprint, ~facts[at + 4], replies[index]);
    }

    /** The slot must be free. */
    void put(int slot, LiveEntry entry) {
        cover(slot);
        if (used == 0) {
            baseMillis = entry.timestampMillis();
        } else if (!fits(entry, baseMillis)) {
            countFrom(entry.timestampMillis());
        }
        pack(slot, entry);
        used++;
        earliestExpiry = Math.min(earliestExpiry, entry.expiresAtMillis());
    }

    /** The slot must hold an entry. */
    void complete(int slot, byte[] reply) {
        replies[slot - firstSlot] = reply;
    }

    /** The slot must hold an entry; {@link #trim} follows when all that has to go has gone. */
    void remove(int slot) {
        int index = slot - firstSlot;
        Arrays.fill(facts, index * WIDTH, (index + 1) * WIDTH, 0);
        replies[index] = null;
        used--;
    }

    /** After removals: finds the earliest expiry, and gives back room of which little is used. */
    void trim() {
        earliestExpiry = Long.MAX_VALUE;
        int low = SIZE;
        int high = 0;
        for (int slot = firstSlot; slot < firstSlot + replies.length; slot++) {
            if (isLive(slot)) {
                earliestExpiry = Math.min(earliestExpiry, baseMillis + facts[(slot - firstSlot) * WIDTH + 1]);
                low = Math.min(low, slot);
                high = Math.max(high, slot);
            }
        }
        if (used > 0 && high - low + 1 <= replies.length / 2) {
            resize(low, high - low + 1);
        }
    }

    LiveChunk copy() {
        LiveChunk copy = new LiveChunk(key);
        copy.baseMillis = baseMillis;
        copy.earliestExpiry = earliestExpiry;
        copy.firstSlot = firstSlot;
        copy.used = used;
        copy.facts = facts.clone();
        copy.replies = replies.clone();
        return copy;
    }

    /** Whether the times of an entry can be told in ints from a base. */
    private static boolean fits(LiveEntry entry, long base) {
        long timestamp = entry.timestampMillis() - base;
        long expiry = entry.expiresAtMillis() - base;
        return timestamp == (int) timestamp && expiry == (int) expiry;
    }

    private void pack(int slot, LiveEntry entry) {
        if (!fits(entry, baseMillis)) {
            throw new IllegalArgumentException("times of entries that live together differ by more than 24 days: base="
                    + baseMillis + " timestamp=" + entry.timestampMillis() + " expiresAt=" + entry.expiresAtMillis());
        }
        int at = (slot - firstSlot) * WIDTH;
        facts[at] = (int) (entry.timestampMillis() - baseMillis);
        facts[at + 1] = (int) (entry.expiresAtMillis() - baseMillis);
        facts[at + 2] = (int) (entry.fingerprint() >>> 32);
        facts[at + 3] = (int) entry.fingerprint();
        facts[at + 4] = ~entry.charge();
        replies[slot - firstSlot] = entry.reply().orElse(null);
    }

    /** Numbers of one chunk may be used one after another for longer than an int can tell; those live now are close. */
    private void countFrom(long base) {
        LiveEntry[] entries = new LiveEntry[replies.length];
        for (int index = 0; index < entries.length; index++) {
            if (isLive(firstSlot + index)) {
                entries[index] = get(firstSlot + index);
            }
        }
        baseMillis = base;
        for (int index = 0; index < entries.length; index++) {
            if (isLive(firstSlot + index)) {
                pack(firstSlot + index, entries[index]);
            }
        }
    }

    /** Makes the arrays reach a slot. */
    private void cover(int slot) {
        if (used == 0) {
            firstSlot = slot;
            resize(slot, 1);
        } else if (slot < firstSlot) {
            resize(slot, firstSlot + replies.length - slot);
        } else if (slot >= firstSlot + replies.length) {
            int needed = slot - firstSlot + 1;
            int wanted = Math.max(needed, replies.length + Math.min(replies.length, STEP));
            resize(firstSlot, Math.min(wanted, SIZE - firstSlot));
        }
    }

    private void resize(int first, int length) {
        int[] newFacts = new int[length * WIDTH];
        byte[][] newReplies = new byte[length][];
        int from = Math.max(first, firstSlot);
        int to = Math.min(first + length, firstSlot + replies.length);
        if (from < to) {
            System.arraycopy(facts, (from - firstSlot) * WIDTH, newFacts, (from - first) * WIDTH, (to - from) * WIDTH);
            System.arraycopy(replies, from - firstSlot, newReplies, from - first, to - from);
        }
        firstSlot = first;
        facts = newFacts;
        replies = newReplies;
    }
}
