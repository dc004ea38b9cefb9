package org.amo.base;

import java.util.Optional;

/**
 * A call that an operation makes to an object outside of its group. Each replica makes one of these for the same call; the
 * group orders which of them sends it, and its result ({@link NestedCalls}).
 */
public interface NestedCall {

    /** The called object in words that are the same at every member. */
    String target();

    /**
     * An identity under which any member may send the call again, because its callee runs it once: allotted by this process,
     * sent to no one yet, at most 64 KiB. Asked at most once, at the member that is to send the call. Empty if the callee cannot tell a
     * repetition from a new call; then only this process may send it.
     */
    Optional<byte[]> identity();

    /**
     * The same, told how long the call may take. This is the method that is asked.
     *
     * @param deadlineMillis from now
     */
    default Optional<byte[]> identity(long deadlineMillis) {
        return identity();
    }

    /**
     * Sends the call and waits for its result. Runs in a thread of its own, which is not inside the operation, at the member
     * that sends the call, after its identity has been ordered; it ends at the deadline of the operation at the latest.
     *
     * @param identity that was ordered, perhaps by another member; empty if {@link #identity} was
     * @param deadlineMillis from now
     * @return the result, an exception of the callee too, in bytes that mean the same at every member; empty if the
     *     outcome is unknown
     */
    Optional<byte[]> send(Optional<byte[]> identity, long deadlineMillis);

    /** The result has been ordered: no member sends the call again. Told to the process that allotted the identity. */
    void finished();
}
