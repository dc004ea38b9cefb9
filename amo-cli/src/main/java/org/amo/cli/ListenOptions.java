package org.amo.cli;

import java.net.InetSocketAddress;
import picocli.CommandLine.Option;

/** The address that a command listens on: {@code --port}, {@code --host}. */
public final class ListenOptions {
    @Option(
            names = "--port",
            required = true,
            paramLabel = "PORT",
            description = "UDP port to listen on; 0 is any free port.")
    private int port;

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            paramLabel = "HOST",
            description =
                    "Address to listen on, for example ::1; 0.0.0.0 is all of this machine. Default: ${DEFAULT-VALUE}.")
    private String host = "";

    /** @throws CliException if there is no such port, or the host is unknown */
    public InetSocketAddress address() {
        if (port < 0 || port > 65_535) {
            throw CliException.user("--port is 0 to 65535, not " + port);
        }
        return new HostPort(host, port).address();
    }

    /** The host as the user wrote it, with the port that the system chose. */
    public HostPort at(InetSocketAddress bound) {
        return new HostPort(host, bound.getPort());
    }
}
