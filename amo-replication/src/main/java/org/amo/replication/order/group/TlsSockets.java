package org.amo.replication.order.group;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' sockets under TLS, both sides showing the certificates of now. A handshake ends within {@value #HANDSHAKE_MILLIS} ms or the
 * connection is closed.
 */
final class TlsSockets extends DefaultSocketFactory {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSockets.class);
    private static final int HANDSHAKE_MILLIS = 5_000;

    private final Supplier<SSLContext> contexts;
    private final ThreadFactory threads;
    private final Consumer<VirtualMachineError> fatal;

    /** @param contexts asked for each connection */
    TlsSockets(Supplier<SSLContext> contexts, ThreadFactory threads, Consumer<VirtualMachineError> fatal) {
        super(contexts.get());
        this.contexts = contexts;
        this.threads = threads;
        this.fatal = fatal;
    }

    /** The variant that JGroups uses: it connects afterwards. */
    @Override
    public Socket createSocket(String service) throws IOException {
        Socket socket = contexts.get().getSocketFactory().createSocket();
        boundHandshake(socket);
        return socket;
    }

    /** JGroups connects and shakes hands without a bound, and reads without one afterwards. */
    private static void boundHandshake(Socket socket) {
        try {
            socket.setSoTimeout(HANDSHAKE_MILLIS);
        } catch (SocketException e) {
            throw new IllegalStateException("a new socket takes no time-out", e);
        }
        ((SSLSocket) socket).addHandshakeCompletedListener(done -> {
            try {
                done.getSocket().setSoTimeout(0);
            } catch (SocketException e) {
                LOG.debug("a connection ended as it began", e);
            }
        });
    }

    /** The variant that JGroups uses: it binds afterwards. */
    @Override
    public ServerSocket createServerSocket(String service) throws IOException {
        return new AdmittingServerSocket(threads, fatal, this::handshake);
    }

    private Socket handshake(GreetedSocket connection) throws IOException {
        connection.limited(HANDSHAKE_MILLIS);
        SSLSocket secured = (SSLSocket) contexts.get().getSocketFactory().createSocket(connection, null, true);
        secured.setUseClientMode(false);
        secured.setNeedClientAuth(true);
        secured.startHandshake();
        connection.unlimited();
        return secured;
    }
}
