package org.amo.base;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A UDP socket that is bound to one peer, for a thread that waits for answers. The system lets it receive from that peer alone, and tells
 * it of a closed port. One thread uses it.
 */
public final class PeerSocket implements Closeable {
    private final DatagramSocket socket = new DatagramSocket();
    private final byte[] buffer;

    /**
     * Opens the socket; sends nothing.
     *
     * @param mostBytes of a datagram that is received; a longer one is cut
     * @throws IOException if there is no socket, no such host or no route to it
     */
    public PeerSocket(String host, int port, int mostBytes) throws IOException {
        buffer = new byte[mostBytes];
        try {
            socket.connect(new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    public void send(byte[] datagram) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length));
    }

    /**
     * Waits for an answer, and passes over datagrams that are none.
     *
     * @param leftMillis of the time to wait, at each call
     * @param answer reads a datagram; empty if it is no answer
     * @return empty if the time is over
     * @throws IOException if the peer's port is closed, or the socket cannot be used
     */
    public <T> Optional<T> await(LongSupplier leftMillis, Function<byte[], Optional<T>> answer) throws IOException {
        Optional<T> found = Optional.empty();
        for (long left = leftMillis.getAsLong(); found.isEmpty() && left > 0; left = leftMillis.getAsLong()) {
            found = receive(left).flatMap(answer);
        }
        return found;
    }

    /** The next datagram; empty if none comes in that time, of at least a millisecond. */
    private Optional<byte[]> receive(long millis) throws IOException {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.setSoTimeout((int) millis);
        try {
            socket.receive(packet);
        } catch (SocketTimeoutException silence) {
            return Optional.empty();
        }
        return Optional.of(Arrays.copyOf(buffer, packet.getLength()));
    }

    @Override
    public void close() {
        socket.close();
    }
}
