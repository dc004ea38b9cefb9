package org.amo.benchmarks.scmp;

/**
 * What a round of a pipelined load gave.
 *
 * @param perSecond calls
 * @param perServerCpuSecond calls for each second that the server's event loop ran
 */
record Rate(double perSecond, double perServerCpuSecond) {}
