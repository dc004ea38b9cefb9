package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import org.jacorb.orb.ORB;
import org.jacorb.orb.factory.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Gives JacORB listening sockets that limit the resources of clients ({@link GiopLimits}). JacORB makes it by its name.
 * Any thread.
 */
public final class GuardedServerSockets implements ServerSocketFactory {
    private final GiopLimits limits;

    /** @throws IllegalArgumentException in one line when the ORB's properties name limits that cannot be */
    public GuardedServerSockets(ORB orb) {
        limits = limits(orb);
    }

    /** @throws IllegalArgumentException in one line when the ORB's properties name limits that cannot be */
    public static void check(ORB orb) {
        GiopLimits unused = limits(orb);
    }

    /** Whether a write to this socket never waits for its peer. */
    public static boolean guards(@Nullable Socket socket) {
        return GiopDoor.guards(socket);
    }

    /** Whether a whole message is one that JacORB can read at the cost of its length. */
    public static boolean isReadable(byte[] message) {
        return GiopDoor.isReadable(message);
    }

    /** Of each port of this ORB. */
    static GiopLimits limits(ORB orb) {
        return GiopLimits.from(
                name -> Optional.ofNullable(orb.getConfiguration().getAttribute(name, null)));
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return listen(port, 50, Optional.empty());
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return listen(port, backlog, Optional.empty());
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
        return listen(port, backlog, Optional.ofNullable(address));
    }

    private ServerSocket listen(int port, int backlog, Optional<InetAddress> address) throws IOException {
        GuardedServerSocket socket = new GuardedServerSocket(new GiopDoor(limits));
        try {
            socket.bind(
                    address.isPresent() ? new InetSocketAddress(address.get(), port) : new InetSocketAddress(port),
                    backlog);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
