package org.amo.replication.order.group;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jgroups.util.DefaultSocketFactory;

/**
 * JGroups' sockets without TLS: a connection is accepted when its greeting has come and, with a secret, a first frame that
 * proves it.
 */
final class GreetedSockets extends DefaultSocketFactory {
    private static final int GREETING_MILLIS = 2_000;
    private static final int PROOF_MILLIS = 10_000;

    private final ThreadFactory threads;
    private final Consumer<VirtualMachineError> fatal;
    private final Optional<OrderDoor> door;

    /** @param door that the first frame opens; empty where no frame proves anything */
    GreetedSockets(ThreadFactory threads, Consumer<VirtualMachineError> fatal, Optional<OrderDoor> door) {
        this.threads = threads;
        this.fatal = fatal;
        this.door = door;
    }

    /** The variant that JGroups uses: it binds afterwards. */
    @Override
    public ServerSocket createServerSocket(String service) throws IOException {
        return new AdmittingServerSocket(threads, fatal, connection -> {
            connection.limited(GREETING_MILLIS);
            connection.awaitGreeting();
            if (door.isPresent()) {
                connection.limited(PROOF_MILLIS);
                connection.awaitProof(door.get());
            }
            connection.unlimited();
            return connection;
        });
    }
}
