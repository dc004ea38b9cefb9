package org.amo.exon;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireWriter;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Arrived;
import org.amo.exon.Frame.Refused;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Seen;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.jspecify.annotations.Nullable;

/**
 * Holds the state of one other node: the two records of Algorithm 1, the path to the node and the frames to be sent to it.
 * The peer is forgotten when both records are. One thread owns it.
 */
final class Peer {
    /** Least time between two requests for slots that only the loss of an answer gave rise to. */
    private static final long ASK_AGAIN_MICROS = 1_000;

    /** Room kept in a datagram for a request for slots, and for the fields around a run of tokens. */
    private static final int REQUEST_ROOM = 40;

    /** How long a due acknowledgement waits for a datagram with tokens to take it along. */
    private static final long ACK_WAITS = 500;

    /** Least time between two acknowledgements that nothing but a datagram that leaves anyway gave rise to. */
    private static final long ACK_SPACING = 1_000;

    /** Least time between two acknowledgements in a stream of tokens: each costs both sides a wake-up. */
    private static final long ACK_STREAM = 500;

    /** How many datagrams repeat the last SEEN: some of them are lost. */
    private static final int SEEN_TOLD = 4;

    /** How long an acknowledgement waits for the application to take messages, so that one datagram tells of both. */
    private static final long HAND_OVER_WAITS = 200;

    /** Least time after which a sender asks whether messages that came are delivered: their acknowledgement may be lost. */
    private static final long POLL_MICROS = 20_000;

    /** Tokens that are sent again to ask. */
    private static final int POLLED = 2;

    private static final int TOKEN_ROOM = 28;
    private static final int RUN_ROOM = 3;
    private static final int MAX_ANSWERS = 256;

    /**
     * How often the acknowledgements of one datagram may have this node look at all its tokens. A peer acknowledges the
     * tokens of a record once, with perhaps those of a record that went before, and single tokens.
     */
    private static final int MOST_WINDOWS = 4;

    private static final long MAX_PROBE_MICROS = 60_000_000;

    /** Probes that a sender has left unanswered before its slots may go to others: five times the idle time of silence. */
    private static final int UNANSWERED = 4;

    private final ExonOptions options;
    private final Session session;
    private final Path path;
    private final List<Frame> answers = new ArrayList<>();

    @Nullable
    SendRecord send;

    @Nullable
    ReceiveRecord receive;

    private int unacknowledged;
    private int datagramsWithTokens;
    private int seenToTell;
    private long acknowledgedMicros = Long.MIN_VALUE / 2;
    private long ackAtMicros = Long.MAX_VALUE;
    /** Whether an acknowledgement is due as soon as no message waits for the application. */
    private boolean dueWhenSettled;

    /** When the peer last acknowledged something, or was asked to. */
    private long newsMicros;

    private int polls;
    private long workedMicros;
    private long heardMicros;
    private int probesSent;

    /** When the last question before the receive record is abandoned was asked, or {@link Long#MAX_VALUE}. */
    private long lastQuestionMicros = Long.MAX_VALUE;

    /** The earliest entry of this peer in the node's agenda. */
    long scheduledMicros = Long.MAX_VALUE;

    /** What the node counts of the messages to this peer. */
    long countedMemory;

    private long askedAgainMicros = Long.MIN_VALUE / 2;

    Peer(ExonOptions options, Session session, Reordering reordering, long nowMicros) {
        this.options = options;
        this.session = session;
        this.path = new Path(options, reordering);
        this.workedMicros = nowMicros;
        this.heardMicros = nowMicros;
    }

    Session session() {
        return session;
    }

    /** How late datagrams to the peer come that others have overtaken. */
    long reorderingMicros() {
        return path.reorderingMicros();
    }

    /** Whether nothing is left to remember. */
    boolean forgettable() {
        return send == null && receive == null && answers.isEmpty();
    }

    /** To be told with the next datagram. An answer that does not fit is asked for again. */
    void answer(Frame frame) {
        if (answers.size() < MAX_ANSWERS) {
            answers.add(frame);
        }
    }

    void onWork(long nowMicros) {
        workedMicros = nowMicros;
    }

    void onHeard(long nowMicros) {
        heardMicros = nowMicros;
        probesSent = 0;
        lastQuestionMicros = Long.MAX_VALUE;
    }

    /** A receive record begins: silence counts from here. */
    void beginReceiving(ReceiveRecord record, long nowMicros) {
        receive = record;
        onHeard(nowMicros);
    }

    /** Whether the sender has answered the last probe, if there was one. */
    boolean answers() {
        return probesSent == 0;
    }

    /** Whether the sender left so many probes unanswered that its slots may go to others. A last question comes first. */
    boolean isSilent() {
        return receive != null && probesSent >= UNANSWERED;
    }

    boolean isAskedLast() {
        return lastQuestionMicros != Long.MAX_VALUE;
    }

    /** If no answer comes, the receive record goes. */
    void askLast(long nowMicros) {
        if (receive != null) {
            probesSent++;
            answer(receive.probe());
            lastQuestionMicros = nowMicros;
        }
    }

    /** The room is not needed any more: the sender has the time that every silent one has. */
    void spare() {
        lastQuestionMicros = Long.MAX_VALUE;
    }

    long heardMicros() {
        return heardMicros;
    }

    /** Whether the sender has been silent for as long as any may be. */
    boolean isLost(long nowMicros) {
        return nowMicros >= heardMicros + options.abandonMicros();
    }

    /**
     * The node ends: a send record without messages closes, so that the receiver gets its room back at once.
     *
     * @return whether there is one
     */
    boolean closeIdle() {
        if (send == null || !send.idle()) {
            return false;
        }
        answer(send.close());
        send = null;
        return true;
    }

    /** A token was consumed: acknowledge every second at once, one alone soon. */
    void acknowledgeSoon(long nowMicros) {
        if (++unacknowledged == 1) {
            ackAtMicros = nowMicros + Path.ACK_DELAY;
        }
    }

    /** The peer waits to hear which of its datagrams came: this one carried something that it would send again. */
    void tellWhatWasSeen() {
        seenToTell = SEEN_TOLD;
    }

    /** The end of a datagram that carried tokens. */
    void onTokensEnd(boolean repeated, long nowMicros) {
        if (repeated) {
            ackAtMicros = nowMicros;
        } else if (datagramsWithTokens++ % 2 == 1) {
            dueWhenSettled = true;
            acknowledgeInStream(nowMicros + (receive != null && receive.hasUnsettled() ? HAND_OVER_WAITS : 0));
        }
    }

    private void acknowledgeInStream(long atMicros) {
        ackAtMicros = Math.min(ackAtMicros, Math.max(atMicros, acknowledgedMicros + ACK_STREAM));
    }

    /** The application has taken a message, and its acknowledgement may leave. */
    void onAccepted(long nowMicros) {
        acknowledgeSoon(nowMicros);
        if (dueWhenSettled && receive != null && !receive.hasUnsettled()) {
            acknowledgeInStream(nowMicros);
        }
    }

    /** A record goes: its pending acknowledgements are told first. */
    void dropReceive() {
        if (receive != null) {
            if (unacknowledged > 0) {
                answer(receive.ack());
            }
            unacknowledged = 0;
            ackAtMicros = Long.MAX_VALUE;
            receive.release();
            receive = null;
        }
    }

    /** Sends all frames that may be sent now. */
    void flush(ExonEffects effects, @Nullable Address fallback, long nowMicros) {
        Address address = address(fallback);
        if (address == null) {
            answers.clear(); // no datagram came from there: none waits for them, and they would keep this peer for ever
            return;
        }
        Address second = second(address, fallback);
        while (wantsToSend(nowMicros)) {
            byte[] datagram = datagram(nowMicros);
            effects.transmit(session.peer(), address, datagram);
            if (second != null) {
                effects.transmit(session.peer(), second, datagram.clone());
            }
        }
        if (send != null && !path.hasLost() && !send.canBind()) {
            path.onNothingToSend();
        }
    }

    /** The last address heard; after silence, every other time the configured one. */
    private @Nullable Address address(@Nullable Address fallback) {
        Address heard = session.address();
        int silences = Math.max(path.backOff(), probesSent);
        boolean elsewhere = fallback != null && silences > 1 && silences % 2 == 0;
        return heard == null || elsewhere ? fallback : heard;
    }

    /**
     * A session begins with any datagram that is well sealed, perhaps a recording that comes from elsewhere. Until the peer has
     * heard this node, datagrams go both there and to the configured address.
     */
    private @Nullable Address second(Address first, @Nullable Address fallback) {
        Address heard = session.address();
        if (session.confirmed() || fallback == null || heard == null || heard.equals(fallback)) {
            return null;
        }
        return first.equals(fallback) ? heard : fallback;
    }

    private boolean wantsToSend(long nowMicros) {
        return !answers.isEmpty()
                || ackDueMicros() <= nowMicros
                || (send != null && (send.hasRequest() || (hasTokens() && path.open(nowMicros))));
    }

    /** When the acknowledgement leaves: in a datagram of its own only if none with tokens is about to go. */
    private long ackDueMicros() {
        if (ackAtMicros == Long.MAX_VALUE || !hasTokens()) {
            return ackAtMicros;
        }
        long opens = path.opensMicros();
        return opens <= ackAtMicros + ACK_WAITS ? Math.max(ackAtMicros, opens) : ackAtMicros;
    }

    private boolean hasTokens() {
        return send != null && (path.hasLost() || send.canBind());
    }

    private byte[] datagram(long nowMicros) {
        int limit = options.datagramBytes() - Seal.BYTES;
        long packet = session.nextPacket();
        WireWriter writer = session.begin(options.datagramBytes(), path.silent() || probesSent > 0);
        boolean acknowledges =
                ackAtMicros <= nowMicros || (unacknowledged > 0 && nowMicros >= acknowledgedMicros + ACK_SPACING);
        if (seenToTell > 0 && (acknowledges || unacknowledged == 0)) {
            seenToTell--;
            Seen seen = new Seen(session.highestPacket(), session.highestAge(nowMicros));
            ExonCodec.writeFrame(seen, session.numbers(), writer);
        }
        if (acknowledges) {
            acknowledge(writer, limit, nowMicros);
        }
        writeAnswers(writer, limit);
        List<SentToken> tokens = new ArrayList<>();
        boolean asks = false;
        if (send != null) {
            send.standby(path.standbySlots());
            if (path.open(nowMicros)) {
                collectTokens(limit - REQUEST_ROOM - writer.size(), tokens);
            }
            RequestSlots request = send.takeRequest().orElse(null);
            if (request != null) {
                ExonCodec.writeFrame(request, session.numbers(), writer);
                asks = true;
            }
            writeTokens(tokens, send, writer);
        }
        byte[] datagram = session.end(writer);
        path.onSent(packet, datagram.length, tokens, asks, nowMicros);
        return datagram;
    }

    private void acknowledge(WireWriter writer, int limit, long nowMicros) {
        if (unacknowledged > 0 && receive != null && receive.hasConsumed()) {
            ExonCodec.writeFrame(fitting(receive.ack(), limit - writer.size()), session.numbers(), writer);
            if (receive.hasUnsettled()) {
                Ack arrived = fitting(receive.arrived().slots(), limit - writer.size());
                ExonCodec.writeFrame(new Arrived(arrived), session.numbers(), writer);
            }
        }
        dueWhenSettled = false;
        unacknowledged = 0;
        ackAtMicros = Long.MAX_VALUE;
        acknowledgedMicros = nowMicros;
    }

    private void writeAnswers(WireWriter writer, int limit) {
        int written = 0;
        while (written < answers.size() && writer.size() + 4 * REQUEST_ROOM < limit) {
            Frame frame = answers.get(written++);
            Frame fits = frame instanceof Ack ack ? fitting(ack, limit - writer.size()) : frame;
            ExonCodec.writeFrame(fits, session.numbers(), writer);
        }
        answers.subList(0, written).clear();
    }

    /** An acknowledgement with as many holes as fit, in half of the room. */
    private static Ack fitting(Ack ack, int room) {
        int most = Math.max(1, (room / 2 - REQUEST_ROOM) / 6);
        if (ack.holes().length <= 2 * most) {
            return ack;
        }
        long[] holes = java.util.Arrays.copyOf(ack.holes(), 2 * most);
        return new Ack(ack.incarnation(), holes[holes.length - 2], ack.end(), holes);
    }

    /** Lost tokens first, then new ones, as many as fit. */
    private void collectTokens(int room, List<SentToken> tokens) {
        int left = room;
        while (hasTokens() && send != null) {
            boolean again = path.hasLost();
            SentToken last = tokens.isEmpty() ? null : tokens.get(tokens.size() - 1);
            int length = again ? path.peekLost().length() : send.nextLength();
            // A new token joins the new one before it, if both are whole messages.
            boolean joins = !again && last != null && last.transmissions == 0 && send.joins(last);
            left -= length + (joins ? RUN_ROOM : TOKEN_ROOM);
            if (left < 0) {
                return;
            }
            tokens.add(again ? path.takeLost() : send.bind());
        }
    }

    /** Tokens of whole messages in consecutive slots of one incarnation share a frame. */
    private void writeTokens(List<SentToken> tokens, SendRecord record, WireWriter writer) {
        List<Token> run = new ArrayList<>();
        for (SentToken token : tokens) {
            Token frame = token.frame(record.incarnationOf(token));
            if (!run.isEmpty() && !joins(run.get(run.size() - 1), frame)) {
                ExonCodec.writeTokens(run, session.numbers(), writer);
                run.clear();
            }
            run.add(frame);
        }
        if (!run.isEmpty()) {
            ExonCodec.writeTokens(run, session.numbers(), writer);
        }
    }

    private static boolean joins(Token last, Token next) {
        return next.pieces() == 1
                && last.pieces() == 1
                && last.slot() + 1 == next.slot()
                && last.incarnation() == next.incarnation();
    }

    /** When {@link #onTick} must be called. */
    long deadline() {
        long at = ackDueMicros();
        if (send != null) {
            at = Math.min(at, path.retryAtMicros(waiting()));
            at = Math.min(at, path.lossMicros());
            at = Math.min(at, send.earliestDeadline());
            if (hasTokens()) {
                at = Math.min(at, path.opensMicros());
            }
            if (send.idle()) {
                at = Math.min(at, workedMicros + options.idleMicros());
            }
            at = Math.min(at, pollAtMicros());
        }
        if (receive != null) {
            long patience =
                    isAskedLast() ? lastQuestionMicros + options.idleMicros() : heardMicros + options.abandonMicros();
            at = Math.min(at, Math.min(nextProbeMicros(), patience));
        }
        return at;
    }

    /** Whether an answer to a request for slots is awaited, and messages wait with it. */
    private boolean waiting() {
        return send != null && send.starving();
    }

    /** When the peer is asked whether messages that came are delivered. */
    private long pollAtMicros() {
        return send != null && send.awaitsDelivery()
                ? newsMicros + path.waitMicros(POLL_MICROS, polls)
                : Long.MAX_VALUE;
    }

    private long nextProbeMicros() {
        long wait = options.idleMicros() + ((options.idleMicros() / 2) << Math.min(probesSent, 16));
        return heardMicros + Math.min(wait, options.idleMicros() + MAX_PROBE_MICROS * Math.max(1, probesSent));
    }

    /**
     * Whether the receive record goes: its sender has been silent for too long and did not answer a last question. The
     * question protects a sender that has nothing to send, and all senders if this process stood still.
     */
    boolean abandoned(long nowMicros) {
        return receive != null && isAskedLast() && nowMicros >= lastQuestionMicros + options.idleMicros();
    }

    /** Lines 87 to 93, each part when its time has come. */
    void onTick(long nowMicros) {
        if (send != null) {
            if (nowMicros >= send.earliestDeadline()) {
                send.expire(nowMicros);
                path.forgetGone();
            }
            path.onTick(nowMicros);
            if (nowMicros >= path.retryAtMicros(waiting())) {
                path.onRetry(nowMicros);
                send.requestAgain();
            }
            if (nowMicros >= pollAtMicros()) {
                polls++;
                newsMicros = nowMicros;
                path.sendAgain(send.doubtOldest(POLLED));
            }
            if (send.idle() && nowMicros >= workedMicros + options.idleMicros()) {
                answer(send.close());
                send = null;
            }
        }
        if (receive == null) {
            return;
        }
        if (!isAskedLast() && isLost(nowMicros)) {
            askLast(nowMicros);
        } else if (nowMicros >= nextProbeMicros()) {
            probesSent++;
            answer(receive.probe());
        }
    }

    /**
     * Handles what a datagram tells of tokens, and its report of the datagrams seen.
     *
     * @param told acknowledgements, arrivals and refusals
     */
    void onFeedback(List<Frame> told, @Nullable Seen report, long nowMicros) {
        if (send == null) {
            return;
        }
        // Of a packet that was never sent, it is of a former life of this node, and would count all that is under way
        // as lost.
        Seen seen = report != null && report.packet() < session.nextPacket() ? report : null;
        List<SentToken> came = new ArrayList<>();
        boolean waited = send.awaitsDelivery();
        long looks = MOST_WINDOWS * 4L * options.maxSlotsPerRecord();
        for (Frame frame : told) {
            looks -= looksFor(send, frame);
            if (looks < 0) {
                break; // as if the datagram was lost
            }
            onTold(send, frame, came, nowMicros);
        }
        if (!waited && polls == 0 && send.awaitsDelivery()) {
            onNews(nowMicros); // the answer to a poll is none: the next waits for longer
        }
        if (!came.isEmpty()) {
            onWork(nowMicros);
        }
        path.onFeedback(came, seen == null ? 0 : seen.packet(), seen == null ? 0 : seen.delayMicros(), nowMicros);
        if (seen != null && send.asking() && path.requestSeen() && nowMicros >= askedAgainMicros + ASK_AGAIN_MICROS) {
            // The request was heard, and its answer is lost: this datagram is later. The pause bounds the rate. Without
            // it an answer that cannot be used is requested again and again, and each duplicate doubles the rate.
            askedAgainMicros = nowMicros;
            send.requestAgain();
        }
    }

    private static long looksFor(SendRecord send, Frame frame) {
        if (frame instanceof Refused refused) {
            return send.looksFor(refused.slot(), refused.slot() + refused.count());
        }
        Ack ack = frame instanceof Arrived arrived ? arrived.slots() : (Ack) frame;
        return send.looksFor(ack.from(), ack.end());
    }

    /** @param came takes the tokens of which this is the first word */
    private void onTold(SendRecord record, Frame frame, List<SentToken> came, long nowMicros) {
        if (frame instanceof Ack ack) {
            List<SentToken> acknowledged = record.onAck(ack);
            acknowledged.stream().filter(token -> !token.arrived).forEach(came::add);
            if (!acknowledged.isEmpty()) {
                onWork(nowMicros);
                onNews(nowMicros);
            }
        } else if (frame instanceof Arrived arrived) {
            came.addAll(record.onArrived(arrived.slots()));
        } else if (frame instanceof Refused refused) {
            record.onRefused(refused);
            path.forgetGone();
            onNews(nowMicros);
        }
    }

    private void onNews(long nowMicros) {
        newsMicros = nowMicros;
        polls = 0;
    }

    /**
     * Slots, or a probe, which is slots of count 0. The paper's sender answers a probe only if it wants slots (67). Then a
     * live sender that has nothing to send, or may not send yet, is taken for gone, and its later messages are UNKNOWN.
     */
    void onSlots(Slots slots, long nowMicros) {
        if (send != null) {
            send.onSlots(slots);
            if (slots.count() == 0 && !send.hasRequest()) {
                answer(new Seen(session.highestPacket(), session.highestAge(nowMicros)));
            }
        }
    }

    /** The peer does not know these incarnations, or gave slots of another one than before. */
    void onGone(Set<Long> unknown) {
        if (send != null) {
            if (!unknown.isEmpty()) {
                send.onUnknown(unknown);
            }
            path.forgetGone();
        }
    }

    /** The peer was started anew, and its receive record is gone: nothing of its former life counts. */
    void onNewLife(long incarnation) {
        unacknowledged = 0;
        ackAtMicros = Long.MAX_VALUE;
        answers.clear();
        if (send != null) {
            if (session.peerIncarnation() > 0) {
                send.onNewLife(incarnation);
            }
            path.forgetGone();
        }
    }
}
