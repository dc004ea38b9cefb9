package org.amo.examples.counter;

import java.util.Map;
import org.amo.replication.service.ReadOnly;

/** Counters by name, as clients call them. */
public interface Counters {

    /** Adds to a counter, which begins at 0, and returns its new value. */
    long add(String name, long amount);

    /** Moves an amount from one counter to another, if there is as much; returns whether there was. */
    boolean move(String from, String to, long amount);

    /** All of them. One member answers, without an entry in the log. */
    @ReadOnly
    Map<String, Long> all();
}
