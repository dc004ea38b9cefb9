package org.amo.replication.rpc;

import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How a member serves clients. A value, checked when it is made.
 *
 * @param host to listen on
 * @param port 1 to 65535, or 0 for any free one
 * @param group the group's name; a client of another group is told so
 * @param member this member's id
 * @param key proves clients and seals frames; empty only when the user said that it may be insecure
 * @param fingerprint of a body; must be the same at every member
 * @param tls empty for connections without TLS
 * @param limits of the resources that clients may take
 */
public record FrameServerOptions(
        String host,
        int port,
        String group,
        String member,
        Optional<RpcKey> key,
        ToLongFunction<byte[]> fingerprint,
        Optional<RpcTls> tls,
        RpcLimits limits) {

    /** With the limits for this process's heap. */
    public FrameServerOptions(
            String host,
            int port,
            String group,
            String member,
            Optional<RpcKey> key,
            ToLongFunction<byte[]> fingerprint,
            Optional<RpcTls> tls) {
        this(
                host,
                port,
                group,
                member,
                key,
                fingerprint,
                tls,
                RpcLimits.of(Runtime.getRuntime().maxMemory()));
    }

    /** The same without TLS. */
    public FrameServerOptions(
            String host,
            int port,
            String group,
            String member,
            Optional<RpcKey> key,
            ToLongFunction<byte[]> fingerprint) {
        this(host, port, group, member, key, fingerprint, Optional.empty());
    }

    public FrameServerOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port out of range 0 to 65535: " + port);
        }
    }
}
