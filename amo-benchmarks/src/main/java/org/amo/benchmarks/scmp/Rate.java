package org.amo.benchmarks.scmp;

/**
 * The result of a round of a pipelined load.
 *
 * @param perSecond calls
 * @param perServerCpuSecond calls for each second that the server's event loop ran
 */
record Rate(double perSecond, double perServerCpuSecond) {}
