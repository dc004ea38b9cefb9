package org.amo.lab.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;

/** Sends its member's status as JSON over each connection to a port, for the runs of this command. */
final class StatusPort {
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private StatusPort() {}

    /** A daemon thread answers from now on. */
    static void open(String host, int port, Supplier<?> status) {
        try {
            ServerSocket listening = new ServerSocket();
            listening.setReuseAddress(true);
            listening.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            DaemonThreads.start("amo-status", () -> answerAll(listening, status));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen for status on " + host + ":" + port, e);
        }
    }

    /** Empty when it does not answer in a second. */
    static Optional<Status> ask(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            byte[] json = socket.getInputStream().readAllBytes();
            return json.length == 0 ? Optional.empty() : Optional.of(new Status(MAPPER.readTree(json)));
        } catch (IOException e) {
            // Down, standing still or cut off.
            return Optional.empty();
        }
    }

    private static void answerAll(ServerSocket listening, Supplier<?> status) {
        while (!listening.isClosed()) {
            answerOne(listening, status);
        }
    }

    private static void answerOne(ServerSocket listening, Supplier<?> status) {
        try (Socket socket = listening.accept()) {
            socket.getOutputStream().write(MAPPER.writeValueAsBytes(status.get()));
        } catch (IOException e) {
            // The asking process is gone.
            return;
        }
    }
}
