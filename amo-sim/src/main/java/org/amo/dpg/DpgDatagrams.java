package org.amo.dpg;

import org.jspecify.annotations.Nullable;

/** Makes a 1C service at one process from datagrams in any order, by a tag sequencer's numbers or by bounded delays. */
final class DpgDatagrams {
    private final SequencedReception<DpgCarrier.Pdu> sequenced;
    private final @Nullable BoundedDelayReception<DpgCarrier.Pdu> timed;

    DpgDatagrams(DpgCarrier medium, DpgSettings settings, SequencedReception.Receiver<DpgCarrier.Pdu> receiver) {
        this.sequenced = MutantDpgSite.reception(
                settings.rules(), DpgSequencedNetwork::proof, settings.patienceMicros(), 256, receiver);
        this.timed = medium instanceof DpgBoundedNetwork network ? network.newReception(receiver) : null;
    }

    void onPdu(long nonce, DpgCarrier.Pdu pdu, long nowMicros) {
        sequenced.onPdu(nonce, pdu, pdu.isMessage(), nowMicros);
    }

    void onNumbered(TagSequencer.Numbered numbered, long nowMicros) {
        sequenced.onNumbered(numbered, nowMicros);
    }

    void onTimed(DpgCarrier.Pdu pdu, long nowMicros) {
        if (timed != null) {
            timed.onPdu(pdu.sentMicros(), pdu.from().index(), pdu, pdu.isMessage(), nowMicros);
        }
    }

    void onTick(long nowMicros) {
        sequenced.onTick(nowMicros);
        if (timed != null) {
            timed.onTick(nowMicros);
        }
    }

    long nextDeadline() {
        return Math.min(sequenced.nextDeadline(), timed == null ? Long.MAX_VALUE : timed.nextDeadline());
    }
}
