package org.amo.linearizable.lease;

/**
 * Carries out the actions of a {@link RenewalCollector}. No method may call back into it.
 *
 * @param <A> the shell's type for an asker
 */
public interface RenewalCollectorEffects<A> {
    /**
     * Have the order carry these renewals in one entry; give {@code batch} back with the outcome.
     *
     * @param clients rising, none twice
     */
    void order(long batch, long[] clients);

    /** The ordered outcome, for the asker. */
    void answer(A asker, LeaseAnswer answer);

    /** Whether the renewal was ordered is unknown and stays unknown: the asker may ask again. */
    void unanswered(A asker);
}
