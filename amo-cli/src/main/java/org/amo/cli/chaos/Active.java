package org.amo.cli.chaos;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.amo.cli.cluster.Replica;

/**
 * A fault that lasts.
 *
 * @param words for the person who watches
 * @param impaired replicas that cannot do their part while it lasts
 * @param lastsMillis from its beginning, at most
 * @param isOver whether it has ended before its time
 * @param heal ends it
 */
record Active(String words, List<Replica> impaired, long lastsMillis, BooleanSupplier isOver, Runnable heal) {

    /** One that lasts for its time. */
    Active(String words, List<Replica> impaired, long lastsMillis, Runnable heal) {
        this(words, impaired, lastsMillis, () -> false, heal);
    }
}
