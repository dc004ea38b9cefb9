package org.amo.replication.order.raft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.amo.base.wire.Secrets;
import org.amo.base.wire.Sha256;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;

/**
 * Carries pieces of snapshots between members by Exon, at the UDP port with the number of the order port: over a long way that
 * loses datagrams, TCP takes each loss for congestion (docs/decisions/0131-snapshots-by-exon.md). The group's secret seals them.
 * A piece may be lost or come twice, which the transfer expects.
 *
 * <p>Any thread may send.
 */
final class SnapshotDatagrams implements AutoCloseable {
    private static final String PROPERTY = "amo.transfer";
    private static final String OPTION = "--transfer exon (" + PROPERTY + ") ";

    private static final String PURPOSE = "amo snapshots by exon";

    /** A piece that takes longer is asked for again. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    /** A group without protection has no secret. */
    private static final String INSECURE = "a group that was told to be insecure";

    private final ReplicaSettings settings;
    private final Supplier<List<Member>> members;
    private final String secret;
    private Optional<ExonEndpoint> endpoint = Optional.empty();

    private SnapshotDatagrams(ReplicaSettings settings, Supplier<List<Member>> members) {
        this.settings = settings;
        this.members = members;
        this.secret = settings.secret()
                .map(text -> HexFormat.of().formatHex(Secrets.key(text, PURPOSE)))
                .orElse(INSECURE);
    }

    /**
     * As the property says: empty for tcp, the default.
     *
     * @param members of the group now
     * @throws IllegalArgumentException in one line for another word, or a group that cannot have them
     */
    static Optional<SnapshotDatagrams> of(ReplicaSettings settings, Supplier<List<Member>> members) {
        String way = System.getProperty(PROPERTY, "tcp");
        if (way.equals("tcp")) {
            return Optional.empty();
        }
        if (!way.equals("exon")) {
            throw new IllegalArgumentException("property " + PROPERTY + " is tcp or exon, not '" + way + "'");
        }
        if (settings.tls().isPresent() && settings.secret().isEmpty()) {
            throw new IllegalArgumentException(OPTION
                    + "seals datagrams with the group's secret, and this group has certificates alone; give the members a secret"
                    + " file beside them, or write --transfer tcp");
        }
        settings.secrets()
                .ifPresent(ring -> ring.fix("snapshots are sealed with it (" + OPTION.strip()
                        + "); exchange it while all members are stopped, or write --transfer tcp"));
        return Optional.of(new SnapshotDatagrams(settings, members));
    }

    /**
     * Opens the socket.
     *
     * @param received called with a member and a piece, in the endpoint's thread
     * @throws OrderedLogException in one line when it cannot
     */
    synchronized void open(BiConsumer<String, byte[]> received) {
        InetSocketAddress port = address(settings.self());
        try {
            endpoint = Optional.of(ExonEndpoint.open(
                    ExonEndpointOptions.builder(node(settings.id()), secret)
                            .listen(port)
                            .core(ExonEndpointOptions.coreForHeap().build())
                            .encrypted()
                            .deliveredAtReceipt()
                            .build(),
                    (from, piece) -> member(from).ifPresent(member -> received.accept(member.id(), piece))));
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    OPTION + "needs the UDP port " + port.getPort() + " of this member (" + e.getMessage()
                            + "); end the process that has it, or write --transfer tcp",
                    e);
        }
    }

    /** @return false if it cannot be sent by datagrams */
    synchronized boolean send(String to, byte[] piece) {
        Optional<Member> target =
                members.get().stream().filter(member -> member.id().equals(to)).findFirst();
        if (endpoint.isEmpty() || target.isEmpty()) {
            return false;
        }
        InetSocketAddress address = address(target.get());
        if (address.isUnresolved()) {
            return false;
        }
        NodeId node = node(to);
        endpoint.get().hint(node, address);
        var unused = endpoint.get().send(node, piece, LONGEST);
        return true;
    }

    private Optional<Member> member(NodeId node) {
        return members.get().stream()
                .filter(member -> node(member.id()).equals(node))
                .findFirst();
    }

    private static InetSocketAddress address(Member member) {
        return new InetSocketAddress(member.host(), member.orderPort());
    }

    /** The first 128 bits of a hash of group and member. */
    private NodeId node(String id) {
        ByteBuffer hash = ByteBuffer.wrap(Sha256.of((settings.group() + "/" + id).getBytes(StandardCharsets.UTF_8)));
        return new NodeId(hash.getLong(), hash.getLong());
    }

    @Override
    public synchronized void close() {
        endpoint.ifPresent(ExonEndpoint::close);
        endpoint = Optional.empty();
    }
}
