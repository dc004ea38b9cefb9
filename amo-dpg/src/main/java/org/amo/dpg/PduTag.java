package org.amo.dpg;

/**
 * Identifies a PDU to the tag sequencer, which sees no more of it: 128 bits that look random without the group's secret.
 *
 * @param nonce random, and unique in the lifetime of a PDU
 * @param proof a keyed hash of the nonce: members recognise their group's tags by it, others cannot
 */
public record PduTag(long nonce, long proof) {}
