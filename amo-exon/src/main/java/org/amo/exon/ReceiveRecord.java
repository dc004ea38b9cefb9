package org.amo.exon;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Arrived;
import org.amo.exon.Frame.Refused;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.jspecify.annotations.Nullable;

/**
 * R[j] of Algorithm 1: the receiving half of a connection. Line numbers are the paper's. One thread owns it.
 *
 * <p>Invariant: a slot of this incarnation is open (in {@code slots}), consumed by one delivery, or waived by the sender's
 * frontier. It is opened once, since {@code sck} only rises.
 *
 * <p>The paper acknowledges what it delivers. Here a consumed slot stays in {@code unsettled} until the shell accepts the
 * message. Invariant: {@code unsettled} contains the open slots, those of messages that wait for the shell's word, and
 * those of refused ones; an acknowledgement covers no slot of it, and the record stays while it has any.
 */
class ReceiveRecord {
    private final ExonOptions options;
    private final ReceiveBudget budget;
    private final long rck;
    private final SlotSet slots = new SlotSet();
    private final SlotSet unsettled = new SlotSet();

    /** Slots of refused messages; the sender's frontier passes them once it knows. A part of {@code unsettled}. */
    private final SlotSet refused = new SlotSet();

    private final Map<Long, PartialMessage> partials = new HashMap<>();
    private long sck;

    /** One past the highest slot that was consumed. */
    private long consumedEnd;

    /** End of the slots that were asked for and not granted, or 0. */
    private long wantedEnd;

    /** End of the slots without which the sender's next message cannot leave, or 0. */
    private long neededEnd;

    /** Lines 50 and 51; the incarnation was taken from the node clock. */
    ReceiveRecord(ExonOptions options, ReceiveBudget budget, long from, long incarnation) {
        this.options = options;
        this.budget = budget;
        this.sck = from;
        this.rck = incarnation;
    }

    /** A piece of a message that waits for the others. */
    private static final class PartialMessage {
        private final int count;

        /** Grows with the pieces that arrived: the count is only what a sender says. */
        private final Map<Integer, byte[]> pieces = new HashMap<>();

        PartialMessage(int count) {
            this.count = count;
        }

        /** The whole message once this was the last piece. */
        byte @Nullable [] add(int index, byte[] body) {
            pieces.put(index, body);
            if (pieces.size() < count) {
                return null;
            }
            int length = 0;
            for (byte[] piece : pieces.values()) {
                length += piece.length;
            }
            byte[] whole = new byte[length];
            int at = 0;
            for (int i = 0; i < count; i++) {
                byte[] piece = Objects.requireNonNull(pieces.get(i));
                System.arraycopy(piece, 0, whole, at, piece.length);
                at += piece.length;
            }
            return whole;
        }
    }

    /**
     * Lines 53 to 58.
     *
     * @return the answer; its count is less than was asked for if there is no room
     */
    Slots onRequest(RequestSlots request) {
        collectBelow(request.frontier());
        long end = request.from() + request.count();
        boolean more = request.count() > 0 && end > sck;
        if (more) {
            grant(request.from(), end, request.need());
        }
        wantedEnd = more && end > sck ? end : 0;
        neededEnd = more ? request.from() + request.need() : 0;
        // Also for an old duplicate: the slots that exist from s on.
        long granted = Math.max(0, Math.min(end, sck) - request.from());
        return new Slots(request.from(), rck, (int) granted);
    }

    private void grant(long from, long end, int need) {
        // The paper adds from the record's own sck on. Below s the sender asks for nothing under this incarnation, so
        // after a gap (a restart of the sender) that would open slots that stay unused for ever.
        long start = firstGranted(sck, from);
        long grantedEnd = Math.min(end, start + Math.max(0, room()));
        if (grantedEnd <= start || grantedEnd - from < need) {
            return;
        }
        slots.add(start, grantedEnd);
        unsettled.add(start, grantedEnd);
        budget.opened(grantedEnd - start);
        sck = grantedEnd;
    }

    /** The first slot that a request opens if it asks from there on. */
    long firstGranted(long own, long from) {
        return Math.max(own, from);
    }

    /** How many slots may be opened now: messages that wait for the application hold their sender back. */
    long room() {
        return Math.min(options.maxSlotsPerRecord() - unsettled.size(), budget.room());
    }

    /** Whether slots were asked for that could not be granted. */
    boolean wants() {
        return wantedEnd > 0;
    }

    /** Whether the sender's next message waits for slots that could not be granted. */
    boolean starves() {
        return wants() && neededEnd > sck;
    }

    /** How many slots more it would get if there was room in the node. */
    long wanted() {
        return Math.max(0, Math.min(wantedEnd - sck, options.maxSlotsPerRecord() - unsettled.size()));
    }

    /** Grants the slots that were asked for before, as far as there is room now. */
    @Nullable
    Slots grantWanted() {
        long from = sck;
        grant(from, wantedEnd, 0);
        if (sck == from) {
            return null;
        }
        wantedEnd = wantedEnd > sck ? wantedEnd : 0;
        return new Slots(from, rck, (int) (sck - from));
    }

    /** Line 53: slots below the frontier are waived, and with them messages that can no more become whole. */
    private void collectBelow(long frontier) {
        int before = slots.size();
        slots.removeBelow(frontier);
        // The sender has an outcome for each message below. Those that wait here are handed over all the same.
        unsettled.removeBelow(frontier);
        refused.removeBelow(frontier);
        if (slots.size() == before) {
            return;
        }
        budget.closed(before - slots.size());
        partials.entrySet().removeIf(entry -> {
            PartialMessage partial = entry.getValue();
            for (int i = 0; i < partial.count; i++) {
                if (!partial.pieces.containsKey(i) && !slots.contains(entry.getKey() + i)) {
                    budget.released(partial.pieces.size());
                    return true;
                }
            }
            return false;
        });
    }

    /** The verdict on a token. */
    enum Verdict {
        /** Its slot was open: consumed now. */
        CONSUMED,
        /** Its slot was open before, and its message is not acknowledged: it waits, or was refused. */
        UNSETTLED,
        /** Its slot is not open, or it is of another incarnation. */
        GONE,
        /** It contradicts earlier tokens; nothing was changed. */
        ABSURD
    }

    /** Lines 78 to 80, without the delivery. */
    Verdict onToken(Token token) {
        if (token.incarnation() != rck || !unsettled.contains(token.slot())) {
            return Verdict.GONE;
        }
        if (!slots.contains(token.slot())) {
            return Verdict.UNSETTLED;
        }
        if (token.pieces() > 1) {
            PartialMessage partial = partials.get(token.slot() - token.index());
            if (token.pieces() > options.maxPieces() || (partial != null && partial.count != token.pieces())) {
                return Verdict.ABSURD;
            }
        }
        slots.remove(token.slot());
        budget.consumed();
        consumedEnd = Math.max(consumedEnd, token.slot() + 1);
        return Verdict.CONSUMED;
    }

    /**
     * The message that a consumed token makes whole, or null: then the token is settled, and one of the others speaks for the
     * message.
     */
    byte @Nullable [] messageOf(Token token) {
        byte[] whole = token.pieces() == 1 ? token.body() : wholeWith(token);
        if (whole == null) {
            unsettled.remove(token.slot());
        }
        return whole;
    }

    private byte @Nullable [] wholeWith(Token token) {
        long first = token.slot() - token.index();
        PartialMessage partial = partials.computeIfAbsent(first, slot -> new PartialMessage(token.pieces()));
        byte[] whole = partial.add(token.index(), token.body());
        if (whole != null) {
            partials.remove(first);
        }
        return whole;
    }

    /** The message in the slot is delivered. Returns false if nothing waits for that: the sender gave it up. */
    boolean accept(long slot) {
        return unsettled.remove(slot);
    }

    /** The message in the slot will not be delivered for certain. Returns false if nothing waits for that. */
    boolean refuse(long slot) {
        if (!unsettled.contains(slot)) {
            return false;
        }
        refused.add(slot, slot + 1);
        return true;
    }

    boolean isRefused(long slot) {
        return refused.contains(slot);
    }

    /** The refusal of a slot, and of those right behind it. Only if {@link #isRefused}. */
    Refused refusal(long slot) {
        return new Refused(rck, slot, (int) (refused.endOfRange(slot) - slot));
    }

    /** Whether messages wait that came and are not acknowledged. */
    boolean hasUnsettled() {
        return unsettled.size() > slots.size();
    }

    /** All acknowledgements of this incarnation in one frame. Only if something was consumed. */
    Ack ack() {
        return allBut(unsettled);
    }

    /** Which slots came, in one frame. The sender need not send them again, and waits for their acknowledgement. */
    Arrived arrived() {
        return new Arrived(allBut(slots));
    }

    private Ack allBut(SlotSet missing) {
        long[] holes = missing.highestBelow(consumedEnd, ExonCodec.MAX_HOLES);
        // The frame omits slots below the lowest hole that fits, and slots that no sender has as a token any more.
        long from = Math.max(0, consumedEnd - 4L * options.maxSlotsPerRecord());
        if (holes.length == 2 * ExonCodec.MAX_HOLES) {
            from = Math.max(from, holes[holes.length - 2]);
        }
        int kept = holes.length;
        while (kept > 0 && holes[kept - 2] < from) {
            from = Math.max(from, holes[kept - 1]);
            kept -= 2;
        }
        return new Ack(rck, from, consumedEnd, Arrays.copyOf(holes, kept));
    }

    boolean hasConsumed() {
        return consumedEnd > 0;
    }

    /** Line 93: asks the sender whether it still knows this record. */
    Slots probe() {
        return new Slots(Math.max(1, sck), rck, 0);
    }

    /**
     * Line 59: nothing is open. A record that waits for room stays, too, and one whose messages wait to be accepted: without it
     * their tokens would count as consumed.
     */
    boolean empty() {
        return unsettled.isEmpty() && wantedEnd == 0;
    }

    /** Gives everything back that the record holds; it is not used again. */
    void release() {
        budget.closed(slots.size());
        partials.values().forEach(partial -> budget.released(partial.pieces.size()));
    }

    long incarnation() {
        return rck;
    }

    int openSlots() {
        return slots.size();
    }
}
