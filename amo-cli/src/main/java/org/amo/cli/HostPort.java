package org.amo.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An address that a user writes as HOST:PORT. */
public record HostPort(String host, int port) {
    /** As a user writes it. */
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** @throws CliException as a fault of the environment if the host is unknown */
    public InetSocketAddress address() {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw CliException.environment("unknown host " + host + "; correct it, or the name service");
        }
    }

    /** Reads it. */
    public static final class Converter implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            int colon = text.lastIndexOf(':');
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                String host = colon < 1 ? "" : text.substring(0, colon);
                if (!host.isEmpty() && port >= 1 && port <= 65_535) {
                    return new HostPort(
                            host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host,
                            port);
                }
            } catch (NumberFormatException e) {
                // Said below, together with the other ways to get it wrong.
            }
            throw new TypeConversionException("'" + text + "' is not HOST:PORT; write for example 127.0.0.1:9801");
        }
    }
}
