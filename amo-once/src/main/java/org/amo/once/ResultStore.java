package org.amo.once;

import java.time.Duration;
import java.util.Optional;
import org.amo.base.Experimental;

/**
 * The port of a store that keeps completion records beside the state that calls change. {@link OnceExecutor} holds the rules of a call; a
 * store holds the records, and is the fence between attempts, also between those of several processes.
 *
 * <p>A store promises:
 *
 * <ul>
 *   <li>{@link Transaction#commit} makes the record and the changes of the work durable together, or neither.
 *   <li>{@link Transaction#claim} succeeds only if no other transaction has committed the key, and none that claimed it before can
 *       commit later.
 *   <li>A record stays for the retention. Its removal raises the low-water mark to the time of its key in the same atomic step, the
 *       mark never falls, and a transaction whose key has a time at or below the mark does not commit.
 *   <li>All times are those of the store's clock.
 * </ul>
 *
 * <p>{@code ResultStoreContract} in amo-testkit tests these promises. Any thread; a transaction belongs to one.
 *
 * @param <C> that work reads and writes through
 * @param <E> the exceptions of the store
 */
@Experimental
public interface ResultStore<C, E extends Exception> {
    /** @throws E if there is no connection to the store; then nothing is left to close */
    Transaction<C, E> begin() throws E;

    /**
     * Removes up to so many expired records, and raises the low-water mark to the times of their keys, in one transaction of its own.
     *
     * @return how many were removed
     */
    int removeExpired(int most) throws E;

    /** The exception as one of the store's own; empty if it is of another type. Its causes do not count. */
    Optional<E> own(Throwable thrown);

    /** The kind of an error. */
    Fault fault(E error);

    /** What is missing, and the remedy, in one line: for {@link Fault#UNPREPARED}. */
    default String remedy() {
        return "the store lacks its records: prepare it";
    }

    /** An exception in one line. */
    default String describe(Throwable thrown) {
        return String.valueOf(thrown.getMessage()).lines().findFirst().orElse("");
    }

    /** The kinds of errors that an executor tells apart. */
    enum Fault {
        /** The transaction has been rolled back by the store, and the next attempt may pass: a conflict with another one. */
        ROLLED_BACK,
        /** The connection is gone, or there is none. */
        LOST,
        /** A claim or a lock was not free in time. */
        BUSY,
        /** The tables of the store, or what it has in their place, are missing. */
        UNPREPARED,
        /** Any other error. */
        OTHER
    }

    /**
     * A call, as a record of it needs it.
     *
     * @param key of the call
     * @param fingerprint of its request: SHA-256
     * @param options of the executor that runs it
     */
    record Request(IdempotencyKey key, byte[] fingerprint, OnceOptions options) {}

    /**
     * A completion record that has been committed.
     *
     * @param fingerprint of the request that ran
     * @param reply empty if the work of that request ended the transaction by itself
     */
    record Completion(byte[] fingerprint, Optional<byte[]> reply) {}

    /** The transaction of one attempt. One thread owns it. */
    interface Transaction<C, E extends Exception> extends AutoCloseable {
        /**
         * Claims the key. If another transaction holds it, waits for that one's end, or fails as {@link Fault#BUSY} at once; then it is
         * called again in a new transaction.
         *
         * @param limit of the wait
         * @param judge whether to test the time of the key first, and then not to wait; for a lost commit, the claim is the only answer
         * @return false if there is a record, or the time of the key is refused
         */
        boolean claim(Request request, Duration limit, boolean judge) throws E;

        /**
         * Runs the work within the claim. Through what it gets, the work cannot end the transaction, and it serves until the work ends.
         *
         * @return the reply of the work
         */
        <X extends Exception> byte[] run(OnceExecutor.Work<C, E, X> work) throws E, X;

        /**
         * Puts the completion record into the transaction, at the end of the work. Judges the time of the key once more, here or in the
         * commit.
         *
         * @return whether the claim holds, and so much retention is left that a lost commit can be looked for
         */
        boolean complete(byte[] reply) throws E;

        /** Makes the record and the changes of the work durable together. */
        void commit() throws E;

        /** @return whether the store has confirmed it, and with it that nothing of this transaction will stand; if not, it is abandoned */
        boolean rollback();

        /** Leaves the transaction behind: its connection is not used again. Never throws. */
        void abandon();

        /**
         * Ends an abandoned transaction at the store, through another connection, if the store still has it; called once the transaction is
         * closed. May leave the wait for that end to the next claim.
         *
         * @throws E only if the store is out of reach; a store that cannot end it does nothing
         */
        void end() throws E;

        /** The record of a key, as committed by another transaction. */
        Optional<Completion> read(IdempotencyKey key) throws E;

        /** Why the time of a key is refused; empty if it is accepted. {@link OnceException#refusal} decides by the clock. */
        Optional<OnceException> refusal(Request request) throws E;

        /** Never throws: the outcome of the call is decided. What is not committed is rolled back. */
        @Override
        void close();
    }
}
