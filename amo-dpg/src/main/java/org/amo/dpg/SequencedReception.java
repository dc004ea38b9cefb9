package org.amo.dpg;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * The 1C service with ContiguityDetector made of a tag sequencer (section 3.3), at one site: PDUs are received in the order of
 * the numbers of their tags. Contiguity is inferred if every number between two messages was seen, and is either another
 * group's or that of a PDU that was received. Reports and messages are numbered alike.
 *
 * <p>A PDU or a number that does not come within {@code patienceMicros} is a miss: later PDUs are received without it. A PDU
 * that comes later than that is handed over as late, for its body only.
 *
 * <p>One thread owns it. It holds at most {@code window} PDUs and as many numbers; when there are more it stops being patient.
 */
public class SequencedReception<P> {
    private final LongUnaryOperator proof;
    private final long patienceMicros;
    private final int window;
    private final Receiver<P> receiver;

    private final TreeMap<Long, Numbered> numbers = new TreeMap<>();
    private final Map<Long, Held<P>> held = new LinkedHashMap<>();
    private long epoch;
    private long next;
    private boolean broken = true;

    /** A number of which this site has heard. */
    private record Numbered(PduTag tag, long sinceMicros) {}

    private record Held<P>(P pdu, boolean isMessage) {}

    /** Gets the PDUs. It must not call back. */
    public interface Receiver<P> {
        /** @param contiguous for a message: whether no other was sent since the last one received */
        void receive(P pdu, boolean contiguous);

        /** It came after its turn: nothing may be concluded from when it comes. */
        void late(P pdu);
    }

    /** @param proof of a nonce of this site's group, as in {@link PduTag} */
    public SequencedReception(LongUnaryOperator proof, long patienceMicros, int window, Receiver<P> receiver) {
        if (patienceMicros < 1 || window < 1) {
            throw new IllegalArgumentException(
                    "patience and window must be positive: patience=" + patienceMicros + " window=" + window);
        }
        this.proof = proof;
        this.patienceMicros = patienceMicros;
        this.window = window;
        this.receiver = receiver;
    }

    /** A PDU came, its own ones too. */
    public void onPdu(long nonce, P pdu, boolean isMessage, long nowMicros) {
        if (held.size() >= window) {
            Long oldest = held.keySet().iterator().next();
            held.remove(oldest);
        }
        held.put(nonce, new Held<>(pdu, isMessage));
        advance(nowMicros);
    }

    /** Numbered tags came. Those of a lower epoch are ignored. */
    public void onNumbered(TagSequencer.Numbered numbered, long nowMicros) {
        if (numbered.tags().isEmpty() || numbered.epoch() < epoch) {
            return;
        }
        if (numbered.epoch() > epoch || next == 0) {
            epoch = numbered.epoch();
            numbers.clear();
            next = numbered.first();
            broken = true;
        }
        long number = numbered.first();
        for (PduTag tag : numbered.tags()) {
            if (number >= next) {
                numbers.putIfAbsent(number, new Numbered(tag, nowMicros));
            } else {
                Held<P> late = held.remove(tag.nonce());
                if (late != null) {
                    receiver.late(late.pdu);
                }
            }
            number++;
        }
        advance(nowMicros);
    }

    public void onTick(long nowMicros) {
        advance(nowMicros);
    }

    /** When {@link #onTick} must be called at the latest. */
    public long nextDeadline() {
        return numbers.isEmpty() ? Long.MAX_VALUE : firstSinceMicros() + patienceMicros;
    }

    private long firstSinceMicros() {
        return Objects.requireNonNull(numbers.get(numbers.firstKey())).sinceMicros;
    }

    /** Whether a number of which this site never heard counts as one that its group may have used. */
    boolean breaksAtGap() {
        return true;
    }

    private void advance(long nowMicros) {
        while (!numbers.isEmpty()) {
            // A number that was not heard of is missed since a higher one was.
            Numbered heard = numbers.get(next);
            long since = firstSinceMicros();
            boolean foreign = heard != null && proof.applyAsLong(heard.tag.nonce()) != heard.tag.proof();
            Held<P> mine = heard == null || foreign ? null : held.get(heard.tag.nonce());
            if (!foreign && mine == null) {
                if (nowMicros < since + patienceMicros && numbers.size() <= window) {
                    return;
                }
                if (heard == null) {
                    next = numbers.firstKey();
                    broken |= breaksAtGap();
                    continue;
                }
                broken = true;
            }
            numbers.remove(next++);
            if (heard != null && mine != null) {
                held.remove(heard.tag.nonce());
                boolean contiguous = mine.isMessage && !broken;
                broken = broken && !mine.isMessage;
                receiver.receive(mine.pdu, contiguous);
            }
        }
    }
}
