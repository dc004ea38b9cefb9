package org.amo.benchmarks.cache;

import org.amo.core.sack.FinishedNumbers;

/**
 * When a reply may leave the cache. All five obey one rule: the id that goes with it is forgotten only when a bound has been
 * raised that refuses it from then on, for every sender. The policies differ in the event that frees a reply.
 */
enum PruningPolicy {
    /** Time only: a reply stays until its deadline and the skew have passed (Friedman and Hadad, "without SACK"). */
    TIMEOUT("timeout"),
    /** The next request of a client stands for the end of all before it (Eternal). Right for one call at a time only. */
    NEXT("next"),
    /** The client names its finished numbers, in any order (Friedman and Hadad). */
    SACK("sack"),
    /** The client names the number below which it has finished all (RIFL, ackId). */
    WATERMARK("watermark"),
    /** A client's replies stay until its lease has ended; requests name the end of the lease as their deadline (RIFL). */
    LEASE("lease");

    private final String word;

    PruningPolicy(String word) {
        this.word = word;
    }

    /** As reports name it. */
    String word() {
        return word;
    }

    /**
     * The numbers that the arrival of a request acknowledges.
     *
     * @param number of the request
     * @param acknowledged the numbers that the client has finished
     */
    FinishedNumbers finishedBy(long number, FinishedNumbers acknowledged) {
        return switch (this) {
            case TIMEOUT, LEASE -> FinishedNumbers.NONE;
            case NEXT -> FinishedNumbers.of(number - 1);
            case SACK -> acknowledged;
            case WATERMARK -> FinishedNumbers.of(acknowledged.floor());
        };
    }
}
