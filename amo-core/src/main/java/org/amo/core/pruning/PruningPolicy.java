package org.amo.core.pruning;

import org.amo.core.sack.FinishedNumbers;

/**
 * When a reply may leave the cache. All five obey one rule: the id that goes with it is forgotten only when a bound has
 * been raised that refuses it from then on, whoever sends it. What differs is whose word counts.
 */
public enum PruningPolicy {
    /** Nobody's: a reply stays until its deadline and the skew have passed (paper 004, "without SACK"). */
    TIMEOUT("timeout"),
    /** The next request of a client stands for the end of all before it (Eternal). Right for one call at a time only. */
    NEXT("next"),
    /** The client names what it has finished, in any order (paper 004). */
    SACK("sack"),
    /** The client names the number below which it has finished all (paper 002, ackId). */
    WATERMARK("watermark"),
    /** A client's replies stay until its lease has ended; requests name the end of the lease as their deadline (paper 002). */
    LEASE("lease");

    private final String word;

    PruningPolicy(String word) {
        this.word = word;
    }

    /** As reports name it. */
    public String word() {
        return word;
    }

    /**
     * What the arrival of a request says about earlier ones.
     *
     * @param number of the request
     * @param acknowledged what the client has finished
     */
    public FinishedNumbers finishedBy(long number, FinishedNumbers acknowledged) {
        return switch (this) {
            case TIMEOUT, LEASE -> FinishedNumbers.NONE;
            case NEXT -> FinishedNumbers.of(number - 1);
            case SACK -> acknowledged;
            case WATERMARK -> FinishedNumbers.of(acknowledged.floor());
        };
    }
}
