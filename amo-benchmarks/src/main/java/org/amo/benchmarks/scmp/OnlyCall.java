package org.amo.benchmarks.scmp;

import org.amo.replication.service.AmoClient;

/** The only call of a client of a group, by datagram and in the thread of its caller; the client ends within the measured time. */
final class OnlyCall implements NullCall {
    private final FirstCallGroup group;

    OnlyCall(FirstCallGroup group) {
        this.group = group;
    }

    @Override
    public void call() {
        if (group.builder(AmoClient.Transport.AUTO).callOnce(new byte[BYTES]).length != BYTES) {
            throw new IllegalStateException("a reply of another size");
        }
    }

    @Override
    public void close() {
        // Each call has ended its client.
    }
}
