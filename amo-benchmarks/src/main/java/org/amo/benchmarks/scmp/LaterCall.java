package org.amo.benchmarks.scmp;

import org.amo.replication.service.AmoClient;

/** A call of a client of a group that has its connection. */
final class LaterCall implements NullCall {
    private final AmoClient client;

    LaterCall(FirstCallGroup group) {
        client = group.client(AmoClient.Transport.TCP);
    }

    @Override
    public void call() {
        if (client.call(new byte[BYTES]).length != BYTES) {
            throw new IllegalStateException("a reply of another size");
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
