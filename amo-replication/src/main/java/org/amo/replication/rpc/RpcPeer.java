package org.amo.replication.rpc;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A member as a client knows it.
 *
 * @param host where it is
 * @param port on which it serves clients
 * @param group that it is said to belong to
 * @param key made from the group's secret; empty for a group without one
 * @param tls empty for a connection without TLS
 */
public record RpcPeer(String host, int port, String group, Optional<RpcKey> key, Optional<RpcTls> tls) {

    public RpcPeer {
        int bytes = group.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > RpcFrames.MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "the name of a group has at most " + RpcFrames.MAX_NAME_BYTES + " bytes in UTF-8, not " + bytes);
        }
    }

    /** Without TLS. */
    public RpcPeer(String host, int port, String group, Optional<RpcKey> key) {
        this(host, port, group, key, Optional.empty());
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
