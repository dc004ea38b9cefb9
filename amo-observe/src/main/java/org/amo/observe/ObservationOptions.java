package org.amo.observe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.amo.base.wire.Secrets;

/**
 * The port at which a process offers metrics, health, status and a page of the group over HTTP.
 *
 * @param host to listen on. Default 127.0.0.1: this machine alone
 * @param port 1 to 65535, or 0 for any free one
 * @param token that a request for metrics, status or the values of the page must bear; empty, the default, for none. Health is told
 *     without it
 */
public record ObservationOptions(String host, int port, Optional<String> token) {
    private static final String THIS_MACHINE = "127.0.0.1";

    /** RFC 6750, section 2.1: other letters cannot stand in the header. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    public ObservationOptions {
        if (!host.matches("[^\\s/]+")) {
            throw new IllegalArgumentException("the observation port needs a host, a name or address: '" + host + "'");
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port out of range 0 to 65535: " + port);
        }
        token.ifPresent(ObservationOptions::check);
    }

    private static void check(String token) {
        Secrets.check(token, "the observation token");
        if (!TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException("the observation token has letters that a header cannot hold; make one"
                    + " of letters and digits, for example: openssl rand -hex 32");
        }
    }

    /** @param port 1 to 65535, or 0 for any free one */
    public static Builder builder(int port) {
        return new Builder(port);
    }

    /**
     * Reads an address as users write it.
     *
     * @param address {@code PORT} of this machine alone, or {@code HOST:PORT}; an IPv6 address stands in brackets
     * @throws IllegalArgumentException in one line that shows the right form
     */
    public static Builder builder(String address) {
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? THIS_MACHINE : address.substring(0, colon);
        boolean inBrackets = host.startsWith("[") && host.endsWith("]");
        try {
            int port = Integer.parseInt(address.substring(colon + 1));
            if (port >= 1 && port <= 65_535 && !host.isBlank() && (inBrackets || host.indexOf(':') < 0)) {
                return builder(port).host(inBrackets ? host.substring(1, host.length() - 1) : host);
            }
        } catch (NumberFormatException e) {
            // Said below, together with the other ways to get it wrong.
        }
        throw new IllegalArgumentException(
                "'" + address + "' is not [HOST:]PORT; write for example 9464, or 0.0.0.0:9464 for all interfaces");
    }

    /** Without the token, which no log may show. */
    @Override
    public String toString() {
        return host + ":" + port + (token.isPresent() ? " with a token" : "");
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private final int port;
        private String host = THIS_MACHINE;
        private Optional<String> token = Optional.empty();

        private Builder(int port) {
            this.port = port;
        }

        public Builder host(String value) {
            host = value;
            return this;
        }

        /** At least {@value Secrets#LEAST_BYTES} letters and digits, as {@code openssl rand -hex 32} makes them. */
        public Builder token(String value) {
            token = Optional.of(value);
            return this;
        }

        /**
         * The same from a file: all of its text, but for white space around it.
         *
         * @throws UncheckedIOException if the file cannot be read
         */
        public Builder tokenFile(Path file) {
            try {
                return token(Files.readString(file).strip());
            } catch (IOException e) {
                throw new UncheckedIOException("the token file " + file + " cannot be read", e);
            }
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public ObservationOptions build() {
            return new ObservationOptions(host, port, token);
        }
    }
}
