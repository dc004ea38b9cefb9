package org.amo.dpg;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * The 1C service made of bounded delays (section 3.2), at one site: a PDU is received a bound after it was sent, by clocks that
 * run synchronously, and PDUs in the order of their times of sending. With it goes the {@link BoundedDelayDetector}.
 *
 * <p>A PDU that comes after its turn is handed over as late, for its body only. The order of reception is that of no other site
 * if clocks differ by more than the time between two PDUs, and the detector speaks falsely if one that came before is late by
 * itself: this service is as good as its bound.
 *
 * <p>One thread owns it. The thread hands over all PDUs that have come before it calls {@link #onTick}: only then are PDUs
 * sent earlier here, however long the process was paused. At most {@code window} PDUs are held; if there are more, the first
 * does not wait for the bound, and no contiguity is inferred for it.
 */
final class BoundedDelayReception<P> {
    private final long boundMicros;
    private final int window;
    private final BoundedDelayDetector detector;
    private final SequencedReception.Receiver<P> receiver;
    private final TreeSet<Held<P>> held =
            new TreeSet<>(Comparator.<Held<P>>comparingLong(Held::sentMicros).thenComparingLong(Held::sender));
    private long receivedMicros = Long.MIN_VALUE;
    private long receivedSender;

    private record Held<P>(long sentMicros, long sender, long arrivedMicros, boolean isMessage, P pdu) {}

    /**
     * @param boundMicros the delay that is hardly ever exceeded
     * @param detector which must have the same bound
     */
    public BoundedDelayReception(
            long boundMicros, int window, BoundedDelayDetector detector, SequencedReception.Receiver<P> receiver) {
        if (boundMicros < 1 || window < 1) {
            throw new IllegalArgumentException(
                    "bound and window must be positive: bound=" + boundMicros + " window=" + window);
        }
        this.boundMicros = boundMicros;
        this.window = window;
        this.detector = detector;
        this.receiver = receiver;
    }

    /**
     * A PDU came, its own ones too.
     *
     * @param sender PDUs with equal send times are received by increasing senders; a sender sends one PDU at a given time
     */
    public void onPdu(long sentMicros, long sender, P pdu, boolean isMessage, long nowMicros) {
        detector.onDelay(sentMicros, nowMicros);
        boolean tooLate = sentMicros < receivedMicros || (sentMicros == receivedMicros && sender <= receivedSender);
        if (tooLate) {
            receiver.late(pdu);
            return;
        }
        held.add(new Held<>(sentMicros, sender, nowMicros, isMessage, pdu));
        if (held.size() > window) {
            receiveFirst(false);
        }
    }

    /** Time has passed, and all that came until then was handed over. */
    public void onTick(long nowMicros) {
        while (!held.isEmpty() && held.first().sentMicros + boundMicros <= nowMicros) {
            receiveFirst(true);
        }
    }

    /** When {@link #onTick} must be called at the latest. */
    public long nextDeadline() {
        return held.isEmpty() ? Long.MAX_VALUE : held.first().sentMicros + boundMicros;
    }

    private void receiveFirst(boolean inTime) {
        Held<P> next = held.pollFirst();
        if (next == null) {
            return;
        }
        receivedMicros = next.sentMicros;
        receivedSender = next.sender;
        boolean contiguous = detector.onReception(new ContiguityDetector.Arrival(
                next.isMessage, !inTime, next.sentMicros, next.arrivedMicros, next.arrivedMicros));
        receiver.receive(next.pdu, contiguous && next.isMessage);
    }
}
