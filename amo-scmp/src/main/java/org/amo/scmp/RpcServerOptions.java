package org.amo.scmp;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The settings of a server.
 *
 * @param scmp the filter's part
 * @param services the numbers that are served, for the whole life of the server
 * @param replyKeptMicros κ: a reply is kept so long at least, for a client that is still interested. Default 5 minutes, as in
 *     the paper
 * @param maxComputing calls under way at once; more are refused. Default 10,000
 * @param maxReplyBytes of all stored replies; with more, calls are refused until clients acknowledge. Default 256 MB
 */
public record RpcServerOptions(
        ScmpOptions scmp, Set<Integer> services, long replyKeptMicros, int maxComputing, long maxReplyBytes) {

    public RpcServerOptions {
        services = Set.copyOf(services);
        if (replyKeptMicros < 0 || maxComputing < 1 || maxReplyBytes < 1) {
            throw new IllegalArgumentException("replyKept must not be negative, the others positive: replyKept="
                    + replyKeptMicros + " us maxComputing=" + maxComputing + " maxReplyBytes=" + maxReplyBytes);
        }
    }

    public static RpcServerOptions of(ScmpOptions scmp, Set<Integer> services) {
        return new RpcServerOptions(
                scmp, services, TimeUnit.MICROSECONDS.convert(Duration.ofMinutes(5)), 10_000, 256L << 20);
    }

    public RpcServerOptions withReplyKept(Duration value) {
        return new RpcServerOptions(scmp, services, TimeUnit.MICROSECONDS.convert(value), maxComputing, maxReplyBytes);
    }

    public RpcServerOptions withMaxComputing(int value) {
        return new RpcServerOptions(scmp, services, replyKeptMicros, value, maxReplyBytes);
    }

    public RpcServerOptions withMaxReplyBytes(long value) {
        return new RpcServerOptions(scmp, services, replyKeptMicros, maxComputing, value);
    }
}
