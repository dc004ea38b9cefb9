package org.amo.cli.chaos;

import java.util.List;
import org.amo.cli.cluster.Replica;

/**
 * A fault that lasts.
 *
 * @param words for the person who watches
 * @param impaired replicas that cannot do their part while it lasts
 * @param lastsMillis from its beginning
 * @param heal ends it
 */
record Active(String words, List<Replica> impaired, long lastsMillis, Runnable heal) {}
