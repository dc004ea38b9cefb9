package org.amo.replication.rpc;

import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How a member serves clients.
 *
 * @param host to listen on. Default 127.0.0.1
 * @param port 1 to 65535, or 0, the default, for any free one
 * @param group the group's name; a client of another group is told so
 * @param member this member's id
 * @param key proves clients and seals frames; empty, the default, only when the user said that it may be insecure
 * @param fingerprint of a body; must be the same at every member
 * @param tls empty, the default, for connections without TLS
 * @param udp whether clients may call by datagrams as well, at the UDP port of the same number. Default no
 * @param limits of the resources that clients may take. Default: those for this process's heap
 */
public record FrameServerOptions(
        String host,
        int port,
        String group,
        String member,
        Optional<RpcKey> key,
        ToLongFunction<byte[]> fingerprint,
        Optional<RpcTls> tls,
        boolean udp,
        RpcLimits limits) {

    public FrameServerOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port out of range 0 to 65535: " + port);
        }
        if (udp && tls.isPresent()) {
            throw new IllegalArgumentException("group " + group
                    + " has TLS for its clients, which datagrams do not pass; leave udp() or tls(...) out");
        }
    }

    /** @param fingerprint of a body; must be the same at every member */
    public static Builder builder(String group, String member, ToLongFunction<byte[]> fingerprint) {
        return new Builder(group, member, fingerprint);
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private final String group;
        private final String member;
        private final ToLongFunction<byte[]> fingerprint;
        private String host = "127.0.0.1";
        private int port;
        private Optional<RpcKey> key = Optional.empty();
        private Optional<RpcTls> tls = Optional.empty();
        private boolean udp;
        private RpcLimits limits = RpcLimits.of(Runtime.getRuntime().maxMemory());

        private Builder(String group, String member, ToLongFunction<byte[]> fingerprint) {
            this.group = group;
            this.member = member;
            this.fingerprint = fingerprint;
        }

        public Builder listen(String onHost, int onPort) {
            host = onHost;
            port = onPort;
            return this;
        }

        public Builder key(Optional<RpcKey> value) {
            key = value;
            return this;
        }

        public Builder tls(Optional<RpcTls> value) {
            tls = value;
            return this;
        }

        public Builder udp(boolean value) {
            udp = value;
            return this;
        }

        Builder limits(RpcLimits value) {
            limits = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public FrameServerOptions build() {
            return new FrameServerOptions(host, port, group, member, key, fingerprint, tls, udp, limits);
        }
    }
}
