package org.amo.examples.kv;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.base.wire.Secrets;
import org.amo.core.order.Member;
import org.amo.replication.rpc.FrameServer;
import org.amo.replication.rpc.FrameServerOptions;
import org.amo.replication.rpc.PlainService;
import org.amo.replication.rpc.RpcKey;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcQuestions;
import org.amo.replication.service.AmoTls;

/**
 * How the processes of a cluster and its clients reach each other, and how they prove themselves: by a secret, by certificates, or both.
 * Without either, all of them must be on this machine.
 *
 * @param coordinators {@code a=host:orderPort/clientPort,b=…}, the same text everywhere
 * @param secret of coordinators, servers, backups and clients
 * @param tls shows this process's certificate on each connection, and asks the other side for its own; see {@link #certificates}
 */
public record KvAccess(String coordinators, Optional<String> secret, Optional<AmoTls> tls) {
    /** Name of the coordinators' group, and of the service of the servers. */
    static final String GROUP = "kv";

    /** @throws IllegalArgumentException in one line if the secret can be guessed, or nothing protects a cluster of several machines */
    public KvAccess {
        secret.ifPresent(value -> Secrets.check(value, "the secret of the cluster"));
        if (secret.isEmpty() && tls.isEmpty()) {
            Member.parseList(coordinators).forEach(each -> requireLoopback("coordinator " + each.id(), each.host()));
        }
    }

    /** Without TLS. */
    public KvAccess(String coordinators, Optional<String> secret) {
        this(coordinators, secret, Optional.empty());
    }

    /**
     * The certificates of one process. Each process of a cluster, and each client, has one that names {@code ID.kv} as a DNS name, for
     * example {@code s1.kv}. That of a coordinator, server or backup also names the host at which the others reach it. Others are
     * refused, although the same issuer signed them.
     *
     * @param keyStore with the process's key and certificate
     * @param trustStore with the certificates of the issuers
     * @param password of both
     * @throws IllegalArgumentException in one line when a file cannot be used
     */
    public static AmoTls certificates(Path keyStore, Path trustStore, String password) {
        return AmoTls.builder()
                .keyStore(keyStore, password)
                .trustStore(trustStore, password)
                .group(GROUP)
                .build();
    }

    private static void requireLoopback(String process, String host) {
        boolean isLoopback = host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
        if (!isLoopback) {
            throw new IllegalArgumentException(
                    "without a secret or TLS the processes of a cluster listen on 127.0.0.1 only, and " + process
                            + " is at " + host + "; give all of them the same secret, or each its certificate");
        }
    }

    /** Whether a process has to prove itself. */
    boolean isProtected() {
        return secret.isPresent() || tls.isPresent();
    }

    /** A server or backup, or a coordinator, as those that connect to it know it. */
    RpcPeer peer(String host, int port) {
        return new RpcPeer(host, port, GROUP, key(), tls.map(each -> each.rpc(true)));
    }

    /** @throws IllegalArgumentException in one line if nothing protects a port that other machines reach */
    void checkHost(String process, String host) {
        if (!isProtected()) {
            requireLoopback(process, host);
        }
    }

    /** @throws org.amo.core.order.OrderedLogException when it cannot listen */
    FrameServer serve(String id, String host, int port, PlainService service, Optional<RpcQuestions> questions) {
        return FrameServer.open(
                FrameServerOptions.builder(GROUP, id, body -> 0)
                        .listen(host, port)
                        .key(key())
                        .tls(tls.map(each -> each.rpc(true)))
                        .build(),
                service,
                questions);
    }

    private Optional<RpcKey> key() {
        return secret.map(value -> RpcKey.of(GROUP, value));
    }
}
