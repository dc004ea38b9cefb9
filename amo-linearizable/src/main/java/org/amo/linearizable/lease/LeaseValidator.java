package org.amo.linearizable.lease;

/**
 * A server's cache of {@link ClusterTime} (section V-B), which only rises.
 *
 * <p>Promise: nothing is valid before the server has heard the time from the authority itself, and again after it took
 * a range of keys over. The server that served the range before may have forgotten clients with ended leases; only a
 * time that is no older than its last one refuses their late attempts. The paper leaves this out: a recovery master
 * that begins with time 0, or goes on with an old time, takes such an attempt for a new call.
 *
 * <p>A time that a client claims is believed, since it only puts leases in doubt, and about a lease in doubt the
 * authority is asked. One thread owns it. Nothing survives a crash.
 */
public class LeaseValidator {
    private ClusterTime now = ClusterTime.ZERO;
    private long question;
    private boolean learned;

    /**
     * Stops serving until the authority has told the time: at start, and when a range was taken over.
     *
     * @return the number of the question, to give back with its answer
     */
    public long mustLearn() {
        learned = false;
        return ++question;
    }

    /** The authority's answer. One to a question from before the last {@link #mustLearn} does not count. */
    public void onLearned(long answered, ClusterTime time) {
        now = ClusterTime.max(now, time);
        learned |= answered == question;
    }

    /** A time that a message mentioned, from the authority directly or not. */
    public void onHeard(ClusterTime time) {
        now = ClusterTime.max(now, time);
    }

    /** Whether the server may serve. */
    public boolean isReady() {
        return learned;
    }

    public ClusterTime now() {
        return now;
    }

    /** Whether a lease that ends then is live for all that this server knows; if not, the authority is to be asked. */
    public boolean covers(ClusterTime expires) {
        return expires.isAfter(now);
    }
}
