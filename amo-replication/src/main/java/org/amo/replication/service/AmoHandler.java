package org.amo.replication.service;

import org.amo.base.Stable;

/**
 * A replicated service as a function over bytes. Every member runs it, for the same requests in the same order, so it must
 * be deterministic: its effects and replies may depend on its state, the request and the context alone; never on a clock,
 * on random numbers, on threads, or on the order of a hash table.
 *
 * <p>One thread calls the handler, one request at a time; it needs no locks. A request that takes long holds up those behind
 * it, and one that never ends stops the group. It may keep its state in fields. For that state after the end of the process,
 * see {@link AmoReplica.Builder#state}; without one, a member that starts runs all requests of the log again.
 */
@Stable
@FunctionalInterface
public interface AmoHandler {

    /**
     * Runs one request.
     *
     * @param request not to be kept or changed
     * @return the reply, at most 64 MiB; ignored for a oneway
     * @throws Exception as a reply, also an {@code Error} of its own: the client gets an {@link AmoServiceException} with class
     *     and message, which must be the same at every member. Changes that the handler made before it threw remain. A {@link
     *     VirtualMachineError} is no reply: it ends the member, and a request that ends all members is skipped by the group
     */
    byte[] handle(byte[] request, ReplicaContext context) throws Exception;
}
