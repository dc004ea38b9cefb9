package org.amo.core.client;

/**
 * An attempt that left as a datagram, and may leave again.
 *
 * @param sentAtMillis when it left first
 * @param againAtMillis when it leaves next, if no answer comes
 * @param intervalMillis between the last time and the next one
 * @param once whether it left once: only then an answer measures the round trip
 */
record SentDatagram(
        Attempt attempt, int member, long sentAtMillis, long againAtMillis, long intervalMillis, boolean once) {}
