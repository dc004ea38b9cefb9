package org.amo.lab;

import picocli.CommandLine.Option;

/** {@code --transport} of commands that load replicas. */
public final class TransportOption {
    private enum Transport {
        TCP,
        UDP
    }

    @Option(
            names = "--transport",
            paramLabel = "tcp|udp",
            defaultValue = "tcp",
            description =
                    "The way of the calls: tcp keeps connections; udp has clients of the Java counters that live for"
                            + " one to three calls each, and each first call goes as one datagram. Default: ${DEFAULT-VALUE}.")
    private Transport transport = Transport.TCP;

    /** Whether the first call of each client goes as a datagram. */
    public boolean isUdp() {
        return transport == Transport.UDP;
    }
}
