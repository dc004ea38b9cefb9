package org.amo.once;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.amo.base.Experimental;
import org.amo.base.wire.Sha256;

/**
 * Runs calls exactly once into the store that a service has already. The record of a call, with its reply, is
 * committed together with the changes that the call makes. A retry under the same key gets the stored reply, from this process or
 * another one, also after a crash of the service, of the caller, or of the store.
 *
 * <p>Promises, while the store keeps what it has committed:
 *
 * <ul>
 *   <li>The effects of one work stand for a key, and all retries within the retention get its reply. For keys that carry their time
 *       ({@link IdempotencyKey#timed}), a later retry is refused. For others it runs again.
 *   <li>If a connection is lost during the commit, the call finds out on another one whether it ran. It is
 *       {@link OnceException.Reason#UNKNOWN} only if the store does not answer for a deadline.
 *   <li>The same key with another request is refused, and a concurrent duplicate waits for the first one.
 * </ul>
 *
 * <p>Expired records go with {@link #clean} or {@link #cleanEvery}. Any thread; a call uses one connection at a time, in the calling
 * thread. All times are those of the store's clock.
 *
 * @param <C> that work reads and writes through: a connection to a database, for instance
 * @param <E> the exceptions of the store
 */
@Experimental
public final class OnceExecutor<C, E extends Exception> {
    private final ResultStore<C, E> store;
    private final OnceOptions options;

    /**
     * The reads and writes of a call.
     *
     * @param <C> that it reads and writes through
     * @param <E> the exceptions of the store
     * @param <X> its own exceptions
     */
    @FunctionalInterface
    public interface Work<C, E extends Exception, X extends Exception> {
        /**
         * Reads and writes through the connection, in a transaction that the executor ends. May run several times, if the store rolls it
         * back or loses the connection; so it should have no effects elsewhere. An answer that retries must get, too,
         * such as a refusal by the application, is returned. An exception rolls the transaction back, no record stays, and a
         * retry runs anew.
         *
         * @param connection must not be committed, rolled back as a whole, closed, or kept
         * @return the reply, which retries get
         */
        byte[] run(C connection) throws E, X;
    }

    /**
     * The reply to a call.
     *
     * @param body as the work returned it; not copied
     * @param replayed whether an earlier call ran the work
     */
    public record Reply(byte[] body, boolean replayed) {
        /** The body as UTF-8. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** A thread that removes expired records. */
    public interface Cleaner extends AutoCloseable {
        /** Ends it after the batch that runs, at most 10 s later. */
        @Override
        void close();
    }

    private OnceExecutor(ResultStore<C, E> store, OnceOptions options) {
        this.store = store;
        this.options = options;
    }

    /** Asks the store for nothing yet. */
    public static <C, E extends Exception> OnceExecutor<C, E> over(ResultStore<C, E> store, OnceOptions options) {
        return new OnceExecutor<>(store, options);
    }

    /**
     * Runs the work, unless a call with the key has run before; then gives its reply.
     *
     * @param request the bytes that make retries equal: the same key with others is refused. Only their SHA-256 is stored
     * @throws OnceException if there is no reply; its reason tells whether the call has run
     * @throws E of the work, or of its commit, as the store threw it; the call did not run
     * @throws X of the work; the call did not run
     */
    public <X extends Exception> Reply execute(IdempotencyKey key, byte[] request, Work<C, E, X> work) throws E, X {
        return new OnceCall<>(store, new ResultStore.Request(key, Sha256.of(request), options), work).run();
    }

    /**
     * Removes expired records, so many in one transaction.
     *
     * @return how many were removed; fewer than {@code most} if no more have expired
     */
    public int clean(int most) throws E {
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one record: " + most);
        }
        return store.removeExpired(most);
    }

    /** Cleans in a thread {@code amo-once-cleaner}, until the result is closed. A failure is reported to the log and tried again. */
    public Cleaner cleanEvery(Duration pause) {
        return OnceCleaner.start(this, pause);
    }
}
