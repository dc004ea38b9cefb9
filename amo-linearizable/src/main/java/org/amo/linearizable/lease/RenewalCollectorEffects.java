package org.amo.linearizable.lease;

/**
 * What a {@link RenewalCollector} wants done. None may call back into it.
 *
 * @param <A> what the shell calls whoever asked
 */
public interface RenewalCollectorEffects<A> {
    /**
     * Have the order carry these renewals in one entry; give {@code batch} back with what came of it.
     *
     * @param clients rising, none twice
     */
    void order(long batch, long[] clients);

    /** What was ordered, for whoever asked. */
    void answer(A asker, LeaseAnswer answer);

    /** Nobody knows whether it was ordered, and nobody will say: whoever asked may ask again. */
    void unanswered(A asker);
}
