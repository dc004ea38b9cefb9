package org.amo.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Asks a member's port for monitoring for its status. */
final class HttpStatus {
    private static final int LARGEST = 1 << 20;

    private HttpStatus() {}

    /**
     * The status as JSON; empty if the port does not speak HTTP.
     *
     * @param token empty for a port without one
     * @param timeoutMillis for the connection, and again for each read
     * @throws CliException if it speaks HTTP, and gives no status
     */
    static Optional<String> ask(String host, int port, Optional<String> token, int timeoutMillis) {
        try {
            HttpURLConnection connection = (HttpURLConnection) new URI("http", null, host, port, "/status", null, null)
                    .toURL()
                    .openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(timeoutMillis);
            connection.setReadTimeout(timeoutMillis);
            connection.setInstanceFollowRedirects(false);
            token.ifPresent(value -> connection.setRequestProperty("Authorization", "Bearer " + value));
            return switch (connection.getResponseCode()) {
                case HttpURLConnection.HTTP_OK -> Optional.of(body(connection));
                case HttpURLConnection.HTTP_UNAUTHORIZED ->
                    throw CliException.user(host + ":" + port
                            + (token.isPresent() ? " has another token; correct" : " asks for a token; add")
                            + " --http-token-file FILE");
                // Of a peer that does not speak HTTP.
                case -1 -> Optional.empty();
                default ->
                    throw CliException.user(
                            host + ":" + port + " is no port of a member of amo (it speaks HTTP, and has"
                                    + " no /status); give the port of --http or observe(...)");
            };
        } catch (URISyntaxException e) {
            throw CliException.user("'" + host + "' is no host");
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String body(HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getInputStream()) {
            return new String(in.readNBytes(LARGEST), StandardCharsets.UTF_8);
        }
    }
}
