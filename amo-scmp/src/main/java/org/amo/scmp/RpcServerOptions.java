package org.amo.scmp;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The settings of a server.
 *
 * @param scmp the filter's part. Default: its own defaults
 * @param services the numbers that are served, for the whole life of the server. Default none; a server over UDP gives those of
 *     its services
 * @param replyKeptMicros κ: a reply is kept so long at least, for a client that is still interested. Default 5 minutes, as in
 *     the paper
 * @param maxComputing calls under way at once; more are refused. Default 10,000
 * @param maxReplyBytes of all stored replies and those that calls under way reserve; with more, calls are refused until
 *     calls end and clients acknowledge. Default 256 MB
 * @param reservedReplyBytes what a call under way counts in {@code maxReplyBytes}: the longest reply of the services, or the
 *     stored replies can exceed the limit. Default 0; a server over UDP begins with the longest that a datagram carries
 */
public record RpcServerOptions(
        ScmpOptions scmp,
        Set<Integer> services,
        long replyKeptMicros,
        int maxComputing,
        long maxReplyBytes,
        int reservedReplyBytes) {

    public RpcServerOptions {
        services = Set.copyOf(services);
        if (replyKeptMicros < 0 || maxComputing < 1 || maxReplyBytes < 1) {
            throw new IllegalArgumentException("replyKept must not be negative, the others positive: replyKept="
                    + replyKeptMicros + " us maxComputing=" + maxComputing + " maxReplyBytes=" + maxReplyBytes);
        }
        if (reservedReplyBytes < 0 || reservedReplyBytes > RpcDatagrams.MAX_BODY) {
            throw new IllegalArgumentException(
                    "reservedReplyBytes must be 0 to " + RpcDatagrams.MAX_BODY + ": " + reservedReplyBytes);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that begins with these options. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.scmp = scmp;
        builder.services = services;
        builder.replyKeptMicros = replyKeptMicros;
        builder.maxComputing = maxComputing;
        builder.maxReplyBytes = maxReplyBytes;
        builder.reservedReplyBytes = reservedReplyBytes;
        return builder;
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private ScmpOptions scmp = ScmpOptions.defaults();
        private Set<Integer> services = Set.of();
        private long replyKeptMicros = TimeUnit.MINUTES.toMicros(5);
        private int maxComputing = 10_000;
        private long maxReplyBytes = 256L << 20;
        private int reservedReplyBytes;

        private Builder() {}

        /** ρ, β, ε, size of the table. */
        public Builder scmp(ScmpOptions value) {
            scmp = value;
            return this;
        }

        public Builder services(Set<Integer> value) {
            services = value;
            return this;
        }

        public Builder replyKept(Duration value) {
            replyKeptMicros = TimeUnit.MICROSECONDS.convert(value);
            return this;
        }

        public Builder maxComputing(int value) {
            maxComputing = value;
            return this;
        }

        public Builder maxReplyBytes(long value) {
            maxReplyBytes = value;
            return this;
        }

        public Builder reservedReplyBytes(int value) {
            reservedReplyBytes = value;
            return this;
        }

        /** @throws IllegalArgumentException when the values do not fit together, naming them */
        public RpcServerOptions build() {
            return new RpcServerOptions(
                    scmp, services, replyKeptMicros, maxComputing, maxReplyBytes, reservedReplyBytes);
        }
    }
}
