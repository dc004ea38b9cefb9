package org.amo.dpg;

/**
 * Identifies a PDU to the tag sequencer, which sees no more of it: 128 bits that look random without the group's secret.
 *
 * <p>Ordered, since senders may choose many of one hash: a table finds one of these by the order.
 *
 * @param nonce random, and unique in the lifetime of a PDU
 * @param proof a keyed hash of the nonce: members recognise their group's tags by it, others cannot
 */
public record PduTag(long nonce, long proof) implements Comparable<PduTag> {

    @Override
    public int compareTo(PduTag other) {
        int order = Long.compare(nonce, other.nonce);
        return order != 0 ? order : Long.compare(proof, other.proof);
    }
}
