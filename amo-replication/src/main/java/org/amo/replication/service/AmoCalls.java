package org.amo.replication.service;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.amo.base.Experimental;
import org.amo.base.NestedCallException;

/**
 * The ways to call a replicated service: by an {@link AmoClient}, or with options by {@link AmoClient#with}. Every call runs at
 * most once. Any thread.
 *
 * <p>A program that looks at calls, for example to measure them, implements this interface around another one. Its proxies
 * call by its own methods.
 */
@Experimental
public interface AmoCalls {

    /**
     * Calls and waits, for at most the deadline.
     *
     * @param request at most 64 MiB; not to be changed until the call has ended
     * @throws AmoException when there is no reply; its class says whether the call ran, did not run, or may have run
     * @throws NestedCallException when an operation of a replicated service makes the call, and its members do not allow it;
     *     nothing was sent. All ways to call have that
     */
    byte[] call(byte[] request);

    /**
     * Calls without waiting. The stage ends in the client's executor, with the reply or an {@link AmoException}. When the
     * client has no room it ends at once, not executed, with the reason OVERLOADED ({@link AmoClient#whenRoom} tells when there is).
     * If there is no memory for the reply, the stage ends with an {@link OutOfMemoryError}: the call ran once.
     */
    CompletionStage<byte[]> callAsync(byte[] request);

    /**
     * Runs a request at most once, without waiting. The client retries at other members until one of them confirms that
     * the request was ordered, or the deadline has passed. The application does not learn the outcome.
     *
     * @throws AmoNotExecutedException when the client has no room
     */
    void oneway(byte[] request);

    /**
     * Reads and waits: the service's read-only method or its handler of reads ({@link AmoReplica.Builder#reads}) runs at one
     * member. The result is linearizable, unless options say otherwise: it holds every call that was answered, to any client, before
     * this one began. No entry of the log is written, and the read leaves no record.
     *
     * <p>A read has no effect, so the client asks further members until its deadline; it is never unknown. Where the group finds no
     * read indexes (another order than RAFT, style passive, a service without reads, a member of an older version), the read is
     * ordered like a call, and costs as much; and so it is inside of an operation.
     *
     * @param request at most 64 MiB; not to be changed until the read has ended
     * @throws AmoReadException when there is no result within the deadline
     * @throws AmoServiceException when the service threw
     */
    byte[] query(byte[] request);

    /**
     * Reads without waiting. The stage ends in the client's executor, with the result, an {@link AmoReadException} or an
     * {@link AmoServiceException}. When the client has no room it ends at once.
     */
    CompletionStage<byte[]> queryAsync(byte[] request);

    /**
     * An object that calls the service through an interface. Results, parameters and records may be of the types that
     * {@link AmoReplica.Builder#service} names. A method throws the exceptions of {@link #call}, and a declared exception if the
     * service threw that one. Methods with {@link Oneway} do not wait, and those with {@link ReadOnly} are reads ({@link #query}).
     *
     * <p>A method may return a {@link CompletionStage} or {@link CompletableFuture} of the result where the service's method of
     * that name returns the result itself; it does not wait ({@link #callAsync}, {@link #queryAsync}). A stage of
     * {@code Long} stands for {@code long} too, one of {@code Void} for {@code void}. The interface may then be another one
     * than the service's. Cancelling the stage does not end the call.
     *
     * @throws IllegalArgumentException in one line when the interface uses other types, or declares an exception that cannot be
     *     made again
     */
    default <T> T proxy(Class<T> type) {
        return ClientProxy.of(this, type);
    }
}
