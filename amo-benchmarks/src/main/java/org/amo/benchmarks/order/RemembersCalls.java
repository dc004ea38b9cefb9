package org.amo.benchmarks.order;

/** A member that answers a repeated call from its cached replies; tested for that before any load. */
interface RemembersCalls extends Sender {

    /**
     * A client calls, repeats the call, makes a second one that acknowledges the first, and then a duplicate of the first
     * comes late. Only for the member that leads, while no other client calls.
     *
     * @return how often the first call was executed
     */
    long executionsOfALateDuplicate() throws Exception;

    /** Calls one after the other, each acknowledging those before as the client does by itself. */
    void callInARow(int count) throws Exception;

    /** How many calls are remembered here with their replies. */
    long kept() throws Exception;
}
