package org.amo.lab.chaos;

/** Kinds of faults that are asked for together. */
enum FaultFamily {
    /** Processes, networks, clocks, full disks and members. */
    DEFAULT,
    /** Disks that lie or fail. */
    DISK,
    /** Heaps that are used up. */
    MEMORY
}
