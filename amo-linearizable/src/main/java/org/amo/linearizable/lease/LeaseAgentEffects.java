package org.amo.linearizable.lease;

/** Carries out the actions of a {@link LeaseAgent}. No method may call back into it. */
public interface LeaseAgentEffects {
    /** Ask the authority for a lease; give {@code attempt} back with its answer. */
    void open(long attempt);

    /** Ask the authority to renew; give {@code attempt} back with its answer. */
    void renew(LeaseId client, long attempt);

    /** There is a lease; calls may begin. */
    void onOpened(LeaseId client);

    /**
     * The lease is over. Calls under it that have no answer are unknown, for ever, and must not be sent again under
     * another id. {@link LeaseAgent#open} begins anew.
     */
    void onLost(LeaseId client);
}
