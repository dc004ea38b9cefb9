package org.amo.dpg;

/**
 * What the tag sequencer sees of a PDU: 128 bits that look random to whoever has not the secret of the group.
 *
 * @param nonce random, and unique in the lifetime of a PDU
 * @param proof a keyed hash of the nonce: members recognise their group's tags by it, others cannot
 */
public record PduTag(long nonce, long proof) {}
