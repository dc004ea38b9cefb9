package org.amo.replication.service;

import java.util.Arrays;

/**
 * Runs reads, and compares the state before and behind each one: for tests.
 *
 * @param state of the same service
 */
record ReadCheck(AmoHandler reads, AmoState state) implements AmoHandler {

    @Override
    public byte[] handle(byte[] request, ReplicaContext context) throws Exception {
        byte[] before = state.take();
        byte[] result = reads.handle(request, context);
        if (state.isComparable() && !Arrays.equals(before, state.take())) {
            throw new IllegalStateException(
                    "a read changed the state of the service, at this member alone; take @ReadOnly from"
                            + " the method, or let it change nothing");
        }
        return result;
    }
}
