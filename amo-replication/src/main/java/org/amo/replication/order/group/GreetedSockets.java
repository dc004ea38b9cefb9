package org.amo.replication.order.group;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jgroups.util.DefaultSocketFactory;

/** JGroups' sockets without TLS: a connection is accepted when its greeting has come. */
final class GreetedSockets extends DefaultSocketFactory {
    private static final int GREETING_MILLIS = 2_000;

    private final ThreadFactory threads;
    private final Optional<OrderDoor> door;

    /** Where no frame proves anything. */
    GreetedSockets(ThreadFactory threads) {
        this(threads, Optional.empty());
    }

    /** Where the first frame must prove the connection. */
    GreetedSockets(ThreadFactory threads, OrderDoor door) {
        this(threads, Optional.of(door));
    }

    private GreetedSockets(ThreadFactory threads, Optional<OrderDoor> door) {
        this.threads = threads;
        this.door = door;
    }

    /** The variant that JGroups uses: it binds afterwards. */
    @Override
    public ServerSocket createServerSocket(String service) throws IOException {
        return new AdmittingServerSocket(threads, connection -> {
            connection.awaitGreeting(GREETING_MILLIS);
            if (door.isPresent()) {
                connection.enter(door.get());
            }
            return connection;
        });
    }
}
