package org.amo.lab.load;

/**
 * A client thread's own record of one of its accounts.
 *
 * @param account its name; no other thread uses it
 * @param issued operations that were to change it
 * @param ok those that were answered
 * @param changed those of the answered that changed it (a transfer may be declined)
 * @param failed those that certainly did not run
 * @param unknown those with an unknown outcome
 * @param repeated answers that can only be explained by an operation that ran more often than it was issued
 * @param missing answers that can only be explained by an operation that was answered and did not stay
 * @param balance that the bank must show, if nothing is unknown
 * @param least balance that the bank may show; operations with an unknown outcome explain no smaller one
 * @param most balance that the bank may show; operations with an unknown outcome explain no larger one
 * @param chain hash chain that the bank must show, if nothing is unknown
 */
record AccountRecord(
        String account,
        long issued,
        long ok,
        long changed,
        long failed,
        long unknown,
        long repeated,
        long missing,
        long balance,
        long least,
        long most,
        long chain) {}
