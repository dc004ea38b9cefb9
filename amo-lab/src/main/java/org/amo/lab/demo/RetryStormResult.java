package org.amo.lab.demo;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * The result of a retry storm; {@code executedTwice} and {@code lost} are those of the clients with keys.
 *
 * @param calls of each kind of client
 * @param ok answered, of the clients with keys
 * @param duplicatesSuppressed attempts that were answered from a record
 * @param lost answered calls without an effect
 */
@JsonPropertyOrder(alphabetic = false)
record RetryStormResult(
        long calls,
        long ok,
        long failed,
        long unknown,
        long duplicatesSuppressed,
        long executedTwice,
        long lost,
        long lostAnswers,
        Side plain,
        Side amo,
        long seed,
        String commit) {

    /**
     * One kind of clients.
     *
     * @param effects in the service's ledger
     * @param executedTwice calls with more than one
     */
    record Side(long calls, long ok, long effects, long executedTwice, long lost) {}

    /** A storm that leaves plain clients unharmed shows nothing. */
    @JsonIgnore
    boolean passed() {
        return ok == calls && executedTwice == 0 && lost == 0 && plain.executedTwice() > 0;
    }
}
