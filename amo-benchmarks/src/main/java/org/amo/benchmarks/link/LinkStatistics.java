package org.amo.benchmarks.link;

/**
 * Packets of one direction.
 *
 * @param carried to the other side
 * @param lost by the seeded loss
 * @param dropped since the queue was full
 */
public record LinkStatistics(long carried, long lost, long dropped) {}
