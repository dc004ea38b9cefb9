package org.amo.cli.exon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.HostPort;
import org.amo.cli.SecretFile;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;
import org.amo.exon.udp.ExonReceiver;
import picocli.CommandLine.Option;

/** The secret of both ends, the same in every {@code amo exon} command. */
final class ExonAccess {
    /** Open to everyone who knows amo. */
    private static final String NO_SECRET = "amo exon --insecure";

    private static final int SLOTS_OF_A_SENDER = 4_096;
    private static final int SLOTS = 8_192;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "A file with the secret of both ends. Either this or --insecure.")
    Optional<Path> secretFile = Optional.empty();

    @Option(
            names = "--insecure",
            description =
                    "No secret: each process that reaches the port can send, and read what is sent. Default: off.")
    boolean insecure;

    /** Options of a node, with memory that fits a heap of 64 MB: most of it is room for datagrams. */
    ExonEndpointOptions.Builder options(NodeId id) {
        if (secretFile.isPresent() == insecure) {
            throw CliException.user("say either --secret-file FILE or --insecure, the same at both ends");
        }
        return options(id, secretFile.map(SecretFile::read).orElse(NO_SECRET));
    }

    private static ExonEndpointOptions.Builder options(NodeId id, String secret) {
        return ExonEndpointOptions.builder(id, secret)
                .encrypted()
                .core(ExonEndpointOptions.coreForHeap()
                        .maxSlots(SLOTS_OF_A_SENDER, SLOTS)
                        .build());
    }

    /** A sender: a new node each time, so that nothing has to be remembered of former ones. */
    ExonEndpoint connect(HostPort receiver) {
        SecureRandom random = new SecureRandom();
        InetSocketAddress address = receiver.address();
        InetAddress own =
                address.getAddress().isLoopbackAddress() ? address.getAddress() : new InetSocketAddress(0).getAddress();
        ExonEndpointOptions options = options(new NodeId(random.nextLong(), random.nextLong()))
                .listen(new InetSocketAddress(own, 0))
                .build();
        ExonEndpoint endpoint = open(options, (from, message) -> {});
        endpoint.hint(ReceiverLink.RECEIVER, address);
        return endpoint;
    }

    static ExonEndpoint open(ExonEndpointOptions options, ExonReceiver receiver) {
        try {
            return ExonEndpoint.open(options, receiver);
        } catch (IOException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }
}
