package org.amo.lab;

import org.amo.core.replica.ReplicaSettings.Style;
import picocli.CommandLine.Option;

/** {@code --style} and {@code --transport}, the same wherever replicas are started and loaded. */
public final class GroupOptions {
    private enum Transport {
        TCP,
        UDP
    }

    @Option(
            names = "--style",
            paramLabel = "active|leader|passive",
            defaultValue = "active",
            description = "The style of replication, as of amo wrap server. Default: ${DEFAULT-VALUE}.")
    private Style style = Style.ACTIVE;

    @Option(
            names = "--transport",
            paramLabel = "tcp|udp",
            defaultValue = "tcp",
            description =
                    "The way of the calls: tcp keeps connections; udp has clients of the Java counters that live for"
                            + " one to three calls each, and each first call goes as one datagram. Default: ${DEFAULT-VALUE}.")
    private Transport transport = Transport.TCP;

    public Style style() {
        return style;
    }

    /** Whether the first call of each client goes as a datagram. */
    public boolean isUdp() {
        return transport == Transport.UDP;
    }
}
