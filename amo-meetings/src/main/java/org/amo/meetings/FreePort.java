package org.amo.meetings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers of tests that cannot choose one themselves. */
final class FreePort {
    /** Above the ports of amo's members in tests, below those that systems take for outgoing connections. */
    private static final int FIRST_PORT = 26_000;

    private static final int END_PORT = 32_000;
    private static final int TRIES = 200;

    private FreePort() {}

    static int find() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_PORT);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException e) {
                // Another program has it.
            }
        }
        throw new IOException(
                "found no free port from " + FIRST_PORT + " to " + END_PORT + "; end programs that hold them");
    }
}
