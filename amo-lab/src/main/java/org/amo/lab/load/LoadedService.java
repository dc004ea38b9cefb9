package org.amo.lab.load;

import java.util.Map;

/** The service as one thread of the load calls it, over any carrier. Used by one thread at a time. */
interface LoadedService extends AutoCloseable {

    /**
     * How the history names them.
     *
     * @param key of the service
     * @param deposit operation of {@link #deposit}
     * @param transfer operation of {@link #transfer}
     * @param balances operation of {@link #balances}
     */
    record Names(String key, String deposit, String transfer, String balances) {}

    Names names();

    /** Adds to an account and returns its balance then. */
    long deposit(String account, long amount) throws CallFailedException;

    /** Moves an amount, if the account has as much; returns whether it had. */
    boolean transfer(String from, String to, long amount) throws CallFailedException;

    /** All accounts, in the service's own order. */
    Map<String, Long> balances() throws CallFailedException;

    /** From now on the calls of this thread are reported to the listener. */
    void listen(CopyListener listener);

    /** {@code host:port} of the member that answered last; empty before the first answer. */
    String servedBy();

    /** Lets go of its connections, if they are its own. */
    @Override
    default void close() {}
}
