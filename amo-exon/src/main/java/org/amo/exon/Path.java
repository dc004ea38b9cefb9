package org.amo.exon;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When tokens leave and when they leave again: pacing, round-trip times, loss by gap and by time. It knows nothing of
 * slots. One thread owns it; times in microseconds.
 */
final class Path {
    /** On a path that does not reorder a token is lost when the peer has got a datagram so many numbers later. */
    private static final int GAP = 3;

    /** How long a receiver may hold an acknowledgement back. */
    static final long ACK_DELAY = 2_000;

    /** Bounds of the time that a late loop or application may make good at once, which is a round trip. */
    private static final long LEAST_BURST = 1_000;

    private static final long MOST_BURST = 10_000;
    /** Time for which a loop that was late recently gathers datagrams for one wake-up: fewer wake-ups, fewer late ones. */
    private static final long GATHERED = 500;

    private static final int GATHERED_SHARE = 16;
    private static final long LATENESS_LIFE = 200_000;
    private static final int UDP_IP = 28;

    private final long maxRetryMicros;
    private final RttEstimator rtt = new RttEstimator();
    private final Reordering reordering;
    private final CongestionControl control;
    private final ArrayDeque<Departure> departures = new ArrayDeque<>();
    private final ArrayDeque<SentToken> lost = new ArrayDeque<>();

    private long inFlight;
    private long delivered;
    private long deliveredMicros;
    private long firstSentMicros;
    private long limitedUntil;
    private long nextSendMicros;
    /** Whether pacing was the last obstacle of a datagram: then a send after the time that pacing set is late. */
    private boolean paced;

    /** Whether the window was the last obstacle: then the time without sends is not made good. */
    private boolean blocked;

    private long lateMicros = Long.MIN_VALUE / 2;

    private int probes;
    private int backOff;
    private long lastSentMicros;
    private long highestSeen;
    private long askPacket;
    private long askMicros;
    private long tokenBytes = 1_000;

    private record Departure(SentToken token, long packet) {}

    Path(ExonOptions options) {
        this(options, new Reordering());
    }

    Path(ExonOptions options, Reordering reordering) {
        this.reordering = reordering;
        this.maxRetryMicros = options.maxRetryMicros();
        this.control = new CongestionControl(options.datagramBytes());
    }

    /** Whether pacing and window let a datagram with tokens go. */
    boolean open(long nowMicros) {
        return probes > 0 || (inFlight < control.window() && nextSendMicros <= nowMicros);
    }

    /** When pacing lets the next datagram go, if the window does. */
    long opensMicros() {
        paced = inFlight < control.window();
        blocked = !paced;
        if (!paced) {
            return Long.MAX_VALUE;
        }
        boolean lateOften = nextSendMicros < lateMicros + LATENESS_LIFE;
        return nextSendMicros + (lateOften ? Math.min(GATHERED, control.delayMicros() / GATHERED_SHARE) : 0);
    }

    boolean hasLost() {
        while (!lost.isEmpty() && lost.element().settled()) {
            lost.remove();
        }
        return !lost.isEmpty();
    }

    /** The next token to send again. Only if {@link #hasLost}. */
    SentToken peekLost() {
        return lost.element();
    }

    SentToken takeLost() {
        return lost.remove();
    }

    /** A datagram left; it carried these tokens, perhaps none, and perhaps a request for slots. */
    void onSent(long packet, int datagramBytes, List<SentToken> tokens, boolean asks, long nowMicros) {
        if (asks) {
            askPacket = packet;
            askMicros = nowMicros;
            lastSentMicros = nowMicros;
        }
        if (tokens.isEmpty()) {
            return;
        }
        lastSentMicros = nowMicros;
        if (probes > 0) {
            probes--;
        }
        if (inFlight == 0) {
            deliveredMicros = nowMicros;
            firstSentMicros = nowMicros;
        }
        int share = (datagramBytes + UDP_IP) / tokens.size();
        for (SentToken token : tokens) {
            token.packet = packet;
            token.sentBeforeMicros = token.sentMicros;
            token.sentMicros = nowMicros;
            token.bytes = share;
            token.deliveredAtSend = delivered;
            token.deliveredMicrosAtSend = deliveredMicros;
            token.firstSentMicrosAtSend = firstSentMicros;
            token.limitedAtSend = limitedUntil > delivered;
            token.transmissions++;
            token.inFlight = true;
            inFlight += share;
            tokenBytes += (share - tokenBytes) / 8;
            departures.add(new Departure(token, packet));
        }
        double rate = control.pacingRate();
        if (rate > 0) {
            long burst = blocked ? LEAST_BURST : Math.max(LEAST_BURST, Math.min(MOST_BURST, control.delayMicros()));
            if (paced && nextSendMicros < nowMicros - LEAST_BURST) {
                lateMicros = nowMicros;
            }
            if (paced && nextSendMicros < nowMicros - burst) {
                onLate();
            }
            nextSendMicros = Math.max(nextSendMicros, nowMicros - burst) + (long) ((datagramBytes + UDP_IP) / rate);
        }
    }

    /** The loop came too late to make it all good: the rate measured now is this machine's, not the path's. */
    private void onLate() {
        limitedUntil = delivered + inFlight;
    }

    /** Nothing more waits: the rate measured now is the application's, not the path's. */
    void onNothingToSend() {
        paced = false;
        blocked = false;
        if (inFlight < control.window()) {
            limitedUntil = delivered + inFlight;
        }
    }

    /**
     * The peer told of tokens that they came, and named the highest packet that it has got.
     *
     * @param seen 0 if it named none
     */
    void onFeedback(List<SentToken> acknowledged, long seen, long delayMicros, long nowMicros) {
        long rttMicros = sampleRtt(acknowledged, seen, delayMicros, nowMicros);
        long bytes = 0;
        @Nullable SentToken newest = null;
        for (SentToken token : acknowledged) {
            learnReordering(token, nowMicros);
            land(token);
            bytes += token.bytes;
            if (token.transmissions == 1 && (newest == null || token.packet > newest.packet)) {
                newest = token;
            }
        }
        if (bytes > 0) {
            delivered += bytes;
            deliveredMicros = nowMicros;
            backOff = 0;
            probes = 0;
        }
        highestSeen = Math.max(highestSeen, seen);
        reordering.onTime(nowMicros, rtt.smoothed());
        control.onReordering(reordering.steadyMicros());
        findLost(nowMicros);
        if (bytes > 0 || rttMicros > 0) {
            control.onAck(sample(newest, bytes, rttMicros, nowMicros), nowMicros);
        }
    }

    private CongestionControl.Sample sample(@Nullable SentToken newest, long bytes, long rttMicros, long nowMicros) {
        double rate = 0;
        long prior = newest == null ? 0 : newest.deliveredAtSend;
        if (newest != null) {
            // The slower of sending and of being acknowledged: acknowledgements may come in a lump.
            long elapsed = Math.max(
                    nowMicros - newest.deliveredMicrosAtSend, newest.sentMicros - newest.firstSentMicrosAtSend);
            firstSentMicros = newest.sentMicros;
            rate = elapsed > 0 ? (delivered - prior) / (double) elapsed : 0;
        }
        return new CongestionControl.Sample(
                delivered, prior, rate, newest != null && newest.limitedAtSend, rttMicros, bytes, inFlight);
    }

    private long sampleRtt(List<SentToken> acknowledged, long seen, long delayMicros, long nowMicros) {
        if (seen <= highestSeen) {
            return 0;
        }
        Optional<SentToken> named =
                acknowledged.stream().filter(token -> token.packet == seen).findFirst();
        if (named.isEmpty() && seen != askPacket) {
            return 0;
        }
        backOff = 0;
        rtt.sample(named.isPresent() ? named.get().sentMicros : askMicros, nowMicros, delayMicros);
        return rtt.latest();
    }

    /** A token came: after a later one, perhaps, or after it was sent again in vain. */
    private void learnReordering(SentToken token, long nowMicros) {
        boolean inVain = token.countedLost && nowMicros - token.sentMicros < control.delayMicros() * 3 / 4;
        if (inVain) {
            control.onFound(token.bytes);
            reordering.onLate(nowMicros - token.sentBeforeMicros, rtt.smoothed(), control.delayMicros());
        } else if (token.transmissions == 1 && token.packet < highestSeen) {
            reordering.onLate(nowMicros - token.sentMicros, rtt.smoothed(), control.delayMicros());
        }
        token.countedLost = false;
    }

    /**
     * Loss by time (RFC 8985): a token is lost if the peer has got a later datagram, and the token's time is up, a round trip
     * and as much as datagrams come late on this path. On a path that does not reorder some later datagrams are enough.
     */
    private void findLost(long nowMicros) {
        while (!departures.isEmpty()) {
            Departure first = departures.element();
            boolean current = isCurrent(first);
            if (current && !(isPassed(first) && first.token.sentMicros + lostAfterMicros() <= nowMicros)) {
                return;
            }
            departures.remove();
            if (current) {
                lose(first.token);
            }
        }
    }

    private static boolean isCurrent(Departure departure) {
        SentToken token = departure.token;
        return !token.settled() && token.packet == departure.packet && token.inFlight;
    }

    /** Whether so many later datagrams have come that its time counts. */
    private boolean isPassed(Departure departure) {
        return departure.packet + (reordering.isSeen() ? 1 : GAP) <= highestSeen;
    }

    private long lostAfterMicros() {
        return reordering.isSeen() ? Math.max(rtt.smoothed(), rtt.latest()) + reordering.windowMicros() : 0;
    }

    /** When {@link #onTick} finds tokens that are lost by their time, if no word of them comes. */
    long lossMicros() {
        dropSettled();
        return departures.isEmpty() || !isPassed(departures.element())
                ? Long.MAX_VALUE
                : departures.element().token.sentMicros + lostAfterMicros();
    }

    void onTick(long nowMicros) {
        findLost(nowMicros);
    }

    private void lose(SentToken token) {
        land(token);
        control.onLoss(token.bytes);
        token.countedLost = true;
        lost.add(token);
    }

    /** Sends tokens once more that are not lost for all that is known. */
    void sendAgain(List<SentToken> tokens) {
        lost.addAll(tokens);
    }

    /** A token is no more under way. */
    private void land(SentToken token) {
        if (token.inFlight) {
            token.inFlight = false;
            inFlight -= token.bytes;
        }
    }

    /** Forgets tokens that went for another reason than an acknowledgement. */
    void forgetGone() {
        departures.removeIf(departure -> {
            if (departure.token.gone) {
                land(departure.token);
            }
            return departure.token.gone;
        });
    }

    /** When silence means loss, if anything waits for an answer. */
    long retryAtMicros(boolean asking) {
        dropSettled();
        if (departures.isEmpty() && !hasLost() && !asking) {
            return Long.MAX_VALUE;
        }
        return lastSentMicros + waitMicros(0, backOff);
    }

    /** How long to wait for an answer, and not less than so long, if there was none so many times. */
    long waitMicros(long leastMicros, int times) {
        long first = Math.max(leastMicros, rtt.retryMicros(ACK_DELAY));
        return Math.min(maxRetryMicros, first << Math.min(times, 12));
    }

    /** Silence: the oldest tokens go again, past the window; after the second time all count as lost. */
    void onRetry(long nowMicros) {
        backOff++;
        lastSentMicros = nowMicros;
        dropSettled();
        int again = backOff > 1 ? departures.size() : Math.min(2, departures.size());
        List<SentToken> oldest = new ArrayList<>();
        for (int i = 0; i < again; i++) {
            Departure departure = departures.remove();
            if (isCurrent(departure)) {
                land(departure.token);
                oldest.add(departure.token);
            }
        }
        lost.addAll(oldest);
        probes = 2;
    }

    private void dropSettled() {
        while (!departures.isEmpty()) {
            if (isCurrent(departures.element())) {
                return;
            }
            departures.remove();
        }
    }

    /** N: envelopes for four times the bandwidth-delay product. */
    int standbySlots() {
        return (int) Math.min(1 << 20, 2 * control.window() / Math.max(1, tokenBytes));
    }

    /** Whether nothing has come back for a while. */
    boolean silent() {
        return backOff > 0;
    }

    int backOff() {
        return backOff;
    }

    /** Whether the peer has got the last request for slots. */
    boolean requestSeen() {
        return highestSeen >= askPacket;
    }

    long inFlight() {
        return inFlight;
    }

    /** How late datagrams come that others have overtaken. */
    long reorderingMicros() {
        return reordering.windowMicros();
    }

    RttEstimator rtt() {
        return rtt;
    }

    CongestionControl control() {
        return control;
    }
}
