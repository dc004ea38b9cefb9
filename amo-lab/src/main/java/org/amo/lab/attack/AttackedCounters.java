package org.amo.lab.attack;

import org.amo.examples.counter.Counters;

/** The counters with careless methods. */
interface AttackedCounters extends Counters {
    /** See {@link Misuse#descend}. */
    long descend();

    /** See {@link Misuse#allocate}. */
    long allocate();

    /** See {@link Misuse#fail}. */
    long fail();

    /** See {@link Misuse#bulk}. */
    byte[] bulk(int bytes);
}
