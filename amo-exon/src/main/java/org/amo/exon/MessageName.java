package org.amo.exon;

/**
 * Names a message that a node gave to its shell. No two messages of one receiver have the same name, in any of the lives of
 * both nodes, if the clock of the receiver is durable.
 *
 * @param from its sender
 * @param incarnation r: of the receive record that it came under
 * @param slot s: the slot that it took; of a message in pieces, that of the piece that came last
 * @param units of room that it takes until {@link ExonNode#onTaken}: datagrams' worth
 */
public record MessageName(NodeId from, long incarnation, long slot, int units) {}
