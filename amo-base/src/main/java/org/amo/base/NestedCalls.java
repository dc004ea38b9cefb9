package org.amo.base;

import java.util.Optional;

/** The nested calls of the operations of one group: each is sent once for the group, and its result is ordered. */
@FunctionalInterface
public interface NestedCalls {

    /**
     * Makes the next nested call of the operation that the calling thread runs; blocks until its result has been ordered, at most
     * until the operation's deadline.
     *
     * @return the result; empty if it is unknown, at every member, and for ever
     * @throws NestedCallException if the calling thread does not run the operation itself
     */
    Optional<byte[]> call(NestedCall call);

    /** The groups that wait for the operation which the calling thread runs; its own group is not among them. */
    default CallPath path() {
        return CallPath.NONE;
    }
}
