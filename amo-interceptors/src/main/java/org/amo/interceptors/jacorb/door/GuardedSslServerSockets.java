package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import javax.net.ssl.SSLServerSocket;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jacorb.orb.ORB;
import org.jacorb.orb.factory.ServerSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the limits of {@link GiopLimits} around the listening sockets of the application's own SSL factory. JacORB makes it by its
 * name. Any thread.
 */
public final class GuardedSslServerSockets implements ServerSocketFactory {
    /** The ORB's attribute that names the application's factory. */
    public static final String INNER = "amo.iiop.sslServerSocketFactory";

    private static final Logger LOG = LoggerFactory.getLogger(GuardedSslServerSockets.class);

    private final GiopLimits limits;
    private final Configuration configuration;

    /** Made with the first port, as JacORB would make it: by the context class loader of the application. Guarded by this. */
    private @Nullable ServerSocketFactory inner;

    /** @throws IllegalArgumentException in one line when the ORB's properties name limits that cannot be */
    public GuardedSslServerSockets(ORB orb) {
        limits = GuardedServerSockets.limits(orb);
        configuration = orb.getConfiguration();
    }

    /** @throws IOException when the application's factory cannot be made */
    private synchronized ServerSocketFactory inner() throws IOException {
        if (inner == null) {
            try {
                inner = (ServerSocketFactory) configuration.getAttributeAsObject(INNER);
            } catch (ConfigurationException e) {
                throw new IOException("the server socket factory for SSL cannot be made: " + e.getMessage(), e);
            }
        }
        return inner;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return guarded(inner().createServerSocket(port));
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return guarded(inner().createServerSocket(port, backlog));
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
        return guarded(inner().createServerSocket(port, backlog, address));
    }

    private ServerSocket guarded(ServerSocket socket) throws IOException {
        if (socket instanceof SSLServerSocket ssl) {
            return new GuardedSslServerSocket(new GiopDoor(limits), ssl);
        }
        LOG.warn(
                "the SSLIOP port {} has no limits of connections and memory: its sockets are of {}; name a factory in"
                        + " jacorb.ssl.server_socket_factory whose sockets are of javax.net.ssl",
                socket.getLocalPort(),
                socket.getClass().getName());
        return socket;
    }
}
