package org.amo.benchmarks.scmp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.amo.scmp.udp.ScmpClient;
import org.amo.scmp.udp.ScmpServer;
import org.amo.scmp.udp.ScmpServerOptions;
import org.amo.scmp.udp.ScmpTransport;

/** The null call over SCMP: by one client, by a client never seen before each time, or with a socket of its own each time too. */
final class ScmpNull implements NullCall {
    private static final int SERVICE = 1;
    private static final byte[] ARGUMENTS = new byte[BYTES];

    private final ScmpTransport transport;
    private final InetSocketAddress server;
    private final Optional<byte[]> key;
    private final Who who;
    private final ScmpClient client;

    /** The caller. */
    enum Who {
        ONE_CLIENT,
        NEW_CLIENT,
        NEW_CLIENT_AND_SOCKET
    }

    ScmpNull(ScmpTransport transport, InetSocketAddress server, Optional<byte[]> key, Who who) throws IOException {
        this.transport = transport;
        this.server = server;
        this.key = key;
        this.who = who;
        this.client = open();
    }

    /** The null service, run on the event loop as the bare server does, and its state file left out. */
    static ScmpServer server(ScmpTransport transport, InetSocketAddress address, Optional<byte[]> key)
            throws IOException {
        ScmpServerOptions.Builder options = ScmpServerOptions.builder(address)
                .neverExisted()
                .transport(transport)
                .inlineService(SERVICE, (caller, arguments) -> arguments);
        return (key.isPresent() ? options.key(key.get()) : options.insecure()).start();
    }

    private ScmpClient open() throws IOException {
        ScmpClient.Builder builder = ScmpClient.builder(server).transport(transport);
        return (key.isPresent() ? builder.key(key.get()) : builder.insecure()).open();
    }

    @Override
    public void call() throws Exception {
        switch (who) {
            case ONE_CLIENT -> require(client.call(SERVICE, ARGUMENTS));
            case NEW_CLIENT -> {
                client.renew();
                require(client.call(SERVICE, ARGUMENTS));
            }
            case NEW_CLIENT_AND_SOCKET -> {
                try (ScmpClient fresh = open()) {
                    require(fresh.call(SERVICE, ARGUMENTS));
                }
            }
        }
    }

    private static void require(byte[] reply) {
        if (reply.length != BYTES) {
            throw new IllegalStateException("a reply of another size");
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
