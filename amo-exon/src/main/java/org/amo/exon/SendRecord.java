package org.amo.exon;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Refused;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Slots;

/**
 * S[j] of Algorithm 1: the sending half of a connection. Line numbers are the paper's. One thread owns it.
 *
 * <p>It differs from the paper in this: a message gets its envelope when the path lets it leave, not when it is sent, so
 * that tokens are messages under way and nothing else; a message takes the envelopes of all its pieces or none; slots are
 * asked for at a low watermark up to a high one; envelopes are a range.
 *
 * <p>Invariant: envelopes are the slots from {@code nextEnvelope} to {@code sck}, excluded, all of incarnation rck, and no
 * token was ever made of one.
 */
class SendRecord {
    private final ExonOptions options;
    private final NodeClock clock;
    private final ExonEffects effects;

    private long sck;
    private long rck;
    private long nextEnvelope;
    private final ArrayDeque<OutgoingMessage> messages = new ArrayDeque<>();
    private final TokenWindow tokens = new TokenWindow();

    /** Tokens that the peer has got and not acknowledged. */
    private int waitingTokens;

    private int standby;
    private int queuedPieces;
    private long pendingBytes;
    private long pendingMessages;
    private long askedEnd;
    private boolean refused;
    private long earliestDeadline = Long.MAX_VALUE;
    private Optional<RequestSlots> request = Optional.empty();

    /** Line 24, without the message. */
    SendRecord(ExonOptions options, NodeClock clock, ExonEffects effects) {
        this.options = options;
        this.clock = clock;
        this.effects = effects;
        this.sck = clock.value();
        this.nextEnvelope = sck;
        this.askedEnd = sck;
        this.standby = options.minStandbySlots();
    }

    /** Lines 22 to 35. */
    void send(OutgoingMessage message) {
        messages.add(message);
        queuedPieces += message.pieces;
        pendingBytes += message.bytes();
        pendingMessages++;
        earliestDeadline = Math.min(earliestDeadline, message.deadlineMicros);
        requestSlots();
    }

    /** Whether a message waits that has all its envelopes. */
    boolean canBind() {
        OutgoingMessage head = messages.peek();
        return head != null
                && envelopes() >= head.pieces - head.bound
                && tokens.span() < 4L * options.maxSlotsPerRecord();
    }

    /** Whether {@link #bind} makes a token of a whole message, as this one is. */
    boolean joins(SentToken last) {
        return last.message.pieces == 1 && messages.element().pieces == 1;
    }

    /** Length of the piece that {@link #bind} takes. Only if {@link #canBind}. */
    int nextLength() {
        OutgoingMessage head = messages.element();
        return head.pieceLength(head.bound);
    }

    /** Lines 29 to 33 and 69 to 73: an envelope and a piece become a token. Only if {@link #canBind}. */
    SentToken bind() {
        OutgoingMessage message = messages.element();
        SentToken token = new SentToken(message, message.bound++, nextEnvelope++, rck);
        queuedPieces--;
        // The paper asks for slots (30-31) before it stores the token (32). The frontier then passes over the
        // slot of a message that is about to leave, and the receiver acknowledges that message without delivering it.
        store(token);
        message.left = true;
        if (message.bound == message.pieces) {
            messages.remove();
        }
        requestSlots();
        return token;
    }

    void store(SentToken token) {
        tokens.add(token);
    }

    /** Lines 36 to 43, if the envelopes have sunk below the low watermark N/2; up to the high one, N. */
    final void requestSlots() {
        int low = (standby + 1) / 2;
        if (!refused && askedEnd - nextEnvelope < (long) queuedPieces + low) {
            askForSlots();
        }
    }

    private void askForSlots() {
        long wanted = Math.min((long) queuedPieces + standby, options.maxSlotsPerRecord());
        long end = Math.min(nextEnvelope + wanted, clock.reserved());
        if (end <= sck) {
            return;
        }
        OutgoingMessage head = messages.peek();
        long need = head == null ? 0 : Math.max(0, head.pieces - head.bound - envelopes());
        int count = (int) (end - sck);
        askedEnd = end;
        request = Optional.of(new RequestSlots(sck, count, frontier(), (int) Math.min(need, count)));
    }

    /** Line 40: l. The sender holds nothing below it. */
    private long frontier() {
        return tokens.isEmpty() ? nextEnvelope : tokens.first();
    }

    /** Asks again, after the answer to the last request had its time. */
    void requestAgain() {
        refused = false;
        askedEnd = sck;
        requestSlots();
    }

    /** Whether an answer to a request is awaited. */
    boolean asking() {
        return askedEnd > sck;
    }

    /** Whether messages wait for slots. */
    boolean starving() {
        return !messages.isEmpty() && !canBind();
    }

    boolean hasRequest() {
        return request.isPresent();
    }

    /** The request to send now, once. */
    Optional<RequestSlots> takeRequest() {
        Optional<RequestSlots> taken = request;
        request = Optional.empty();
        return taken;
    }

    /** Lines 64 to 74. */
    void onSlots(Slots slots) {
        long end = slots.from() + slots.count();
        boolean expected = slots.from() == sck;
        // Two requests from one s may be under way; the longer answer extends the shorter one of the same record.
        boolean extending = slots.from() < sck && end > sck && slots.incarnation() == rck;
        if (!(expected || extending) || slots.incarnation() < rck || end > clock.reserved()) {
            return;
        }
        if (slots.incarnation() != rck) {
            dropEnvelopes(); // of a record that is gone; no token was made of them
        }
        rck = slots.incarnation();
        // A second copy of an answer without slots is one, too: or each copy would ask, and be answered, anew.
        refused = slots.count() == 0 || end < askedEnd;
        sck = end;
        askedEnd = sck;
        request = Optional.empty();
        requestSlots();
    }

    /** Lines 82 to 86, for all slots that the acknowledgement covers. */
    List<SentToken> onAck(Ack ack) {
        List<SentToken> acknowledged = covered(ack, token -> true);
        for (SentToken token : acknowledged) {
            tokens.remove(token);
            waitingTokens -= token.arrived ? 1 : 0;
            OutgoingMessage message = token.message;
            if (++message.acknowledged == message.pieces && !message.done) {
                finish(message, Outcome.DELIVERED);
            }
        }
        return acknowledged;
    }

    /** The tokens came, and none of them is delivered for that. Returns those that were not known to have come. */
    List<SentToken> onArrived(Ack ack) {
        List<SentToken> arrived = covered(ack, token -> !token.arrived);
        arrived.forEach(token -> token.arrived = true);
        waitingTokens += arrived.size();
        return arrived;
    }

    private List<SentToken> covered(Ack ack, Predicate<SentToken> wanted) {
        List<SentToken> found = new ArrayList<>();
        long[] covered = ack.covered();
        for (int i = 0; i < covered.length; i += 2) {
            tokens.forEach(covered[i], covered[i + 1], token -> {
                // The paper compares with c.rck (85); the receiver was asked under the token's own r.
                if (incarnationOf(token) == ack.incarnation() && wanted.test(token)) {
                    found.add(token);
                }
            });
        }
        return found;
    }

    /** Whether tokens that the peer has got wait for their acknowledgement. */
    boolean awaitsDelivery() {
        return waitingTokens > 0;
    }

    /** The oldest tokens that the peer has got and not acknowledged, at most so many: they are to be sent once more. */
    List<SentToken> doubtOldest(int most) {
        List<SentToken> oldest = new ArrayList<>();
        tokens.forEach(token -> {
            if (token.arrived && oldest.size() < most) {
                token.arrived = false;
                oldest.add(token);
            }
        });
        waitingTokens -= oldest.size();
        return oldest;
    }

    /** The receiver's application failed at the messages: no life of the receiver gets them again. */
    void onRefused(Refused refused) {
        tokens.forEach(refused.slot(), refused.slot() + refused.count(), token -> {
            if (token.incarnation == refused.incarnation()) {
                abandon(token.message, Outcome.UNKNOWN);
            }
        });
        dropDone();
        requestSlots();
    }

    /** At most how many tokens lie in the slots from {@code from} to {@code end}, excluded: so many a frame makes it look at. */
    long looksFor(long from, long end) {
        return tokens.within(from, end);
    }

    /** The receiver does not know incarnations: messages that left under them are UNKNOWN, unsent ones use other slots. */
    void onUnknown(Set<Long> incarnations) {
        lose(token -> incarnations.contains(token.incarnation), incarnations.contains(rck));
    }

    /** The receiver began a new life: the same for all incarnations of its former lives. */
    void onNewLife(long incarnation) {
        lose(token -> token.incarnation < incarnation, rck < incarnation);
        requestAgain();
    }

    private void lose(Predicate<SentToken> lost, boolean envelopesToo) {
        if (envelopesToo) {
            dropEnvelopes();
        }
        tokens.forEach(token -> {
            if (lost.test(token)) {
                abandon(token.message, Outcome.UNKNOWN);
            }
        });
        dropDone();
        requestSlots();
    }

    /** A message that is bound in part cannot become whole without them. */
    private void dropEnvelopes() {
        OutgoingMessage head = messages.peek();
        if (head != null && head.bound > 0) {
            abandon(head, Outcome.UNKNOWN);
            messages.remove();
            queuedPieces -= head.pieces - head.bound;
            dropDone();
        }
        nextEnvelope = sck;
    }

    /** Ends the messages that are past their deadline. The frontier waives their slots. */
    void expire(long nowMicros) {
        if (nowMicros < earliestDeadline) {
            return;
        }
        tokens.forEach(token -> {
            if (token.message.deadlineMicros <= nowMicros) {
                abandon(token.message, outcomeOfLeft());
            }
        });
        messages.removeIf(message -> {
            if (message.deadlineMicros <= nowMicros) {
                abandon(message, message.left ? outcomeOfLeft() : Outcome.NOT_SENT);
                queuedPieces -= message.pieces - message.bound;
                return true;
            }
            return false;
        });
        dropDone();
        earliestDeadline = Long.MAX_VALUE;
        tokens.forEach(token -> earliestDeadline = Math.min(earliestDeadline, token.message.deadlineMicros));
        messages.forEach(message -> earliestDeadline = Math.min(earliestDeadline, message.deadlineMicros));
    }

    /** The outcome of a message that left and is not acknowledged at its deadline. */
    Outcome outcomeOfLeft() {
        return Outcome.UNKNOWN;
    }

    private void abandon(OutgoingMessage message, Outcome outcome) {
        if (!message.done) {
            finish(message, outcome);
        }
    }

    private void dropDone() {
        tokens.forEach(token -> {
            if (token.message.done) {
                tokens.remove(token);
                waitingTokens -= token.arrived ? 1 : 0;
            }
        });
    }

    private void finish(OutgoingMessage message, Outcome outcome) {
        message.done = true;
        pendingBytes -= message.bytes();
        pendingMessages--;
        effects.completed(message.number, outcome);
    }

    /** Lines 44 to 47, once the record has been idle long enough: the last request. The caller removes the record. */
    RequestSlots close() {
        clock.raise(sck);
        return new RequestSlots(sck, 0, sck, 0);
    }

    /** The incarnation to send a token under. */
    long incarnationOf(SentToken token) {
        return token.incarnation;
    }

    /** N follows the capacity of the path. */
    void standby(int slots) {
        standby = Math.max(options.minStandbySlots(), Math.min(options.maxStandbySlots(), slots));
    }

    boolean idle() {
        return messages.isEmpty() && tokens.isEmpty();
    }

    long envelopes() {
        return sck - nextEnvelope;
    }

    /** The incarnation of the latest slots. */
    long rck() {
        return rck;
    }

    /** The highest clock value that this record uses. */
    long sck() {
        return sck;
    }

    long pendingBytes() {
        return pendingBytes;
    }

    /** What the messages without an outcome take in memory, about. */
    long pendingMemory() {
        return pendingBytes + pendingMessages * OutgoingMessage.OVERHEAD;
    }

    long earliestDeadline() {
        return earliestDeadline;
    }
}
