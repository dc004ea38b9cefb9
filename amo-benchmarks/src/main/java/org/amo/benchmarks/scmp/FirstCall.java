package org.amo.benchmarks.scmp;

import java.util.Optional;
import org.amo.replication.service.AmoClient;

/** The first call of a new client of a group; the client ends after the measured time. */
final class FirstCall implements NullCall {
    private final FirstCallGroup group;
    private final AmoClient.Transport transport;
    private Optional<AmoClient> client = Optional.empty();

    FirstCall(FirstCallGroup group, AmoClient.Transport transport) {
        this.group = group;
        this.transport = transport;
    }

    @Override
    public void call() {
        AmoClient made = group.client(transport);
        client = Optional.of(made);
        if (made.call(new byte[BYTES]).length != BYTES) {
            throw new IllegalStateException("a reply of another size");
        }
    }

    @Override
    public void afterwards() {
        client.ifPresent(AmoClient::close);
        client = Optional.empty();
    }

    @Override
    public void close() {
        afterwards();
    }
}
