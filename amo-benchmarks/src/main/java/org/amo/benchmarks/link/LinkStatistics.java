package org.amo.benchmarks.link;

/**
 * Packets of one direction.
 *
 * @param carried to the other side, copies too
 * @param lost by the seeded loss
 * @param dropped since the queue was full
 * @param doubled that arrive twice
 * @param held longer than the others
 */
public record LinkStatistics(long carried, long lost, long dropped, long doubled, long held) {}
