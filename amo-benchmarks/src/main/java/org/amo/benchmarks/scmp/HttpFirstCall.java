package org.amo.benchmarks.scmp;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;

/** A call of one server by HTTP 1.1 over a new connection, as the JDK has it. */
final class HttpFirstCall implements NullCall {
    private final URI uri;

    HttpFirstCall(InetSocketAddress server) {
        uri = URI.create("http://" + server.getHostString() + ":" + server.getPort() + "/");
    }

    /** Sends back each request. */
    static HttpServer server(InetSocketAddress address) throws IOException {
        // Else the kernel holds the second packet of an answer back until the first is acknowledged.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(address, 1_000);
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    @Override
    public void call() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        connection.setConnectTimeout((int) TIMEOUT_SECONDS * 1_000);
        connection.setReadTimeout((int) TIMEOUT_SECONDS * 1_000);
        connection.setDoOutput(true);
        connection.getOutputStream().write(new byte[BYTES]);
        if (connection.getInputStream().readAllBytes().length != BYTES) {
            throw new IOException("a reply of another size");
        }
    }

    @Override
    public void close() {
        // Each call has ended its connection.
    }
}
