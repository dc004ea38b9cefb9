package org.amo.replication.rpc;

import java.time.Duration;
import org.amo.base.ProcessLimits;
import org.amo.core.door.DoorLimits;

/**
 * Limits the resources that the clients of one member may take. A value, checked when it is made.
 *
 * @param connections open at a time; beyond it the oldest that has not greeted gives way
 * @param frameBytes of one frame of a client that has greeted
 * @param bytes of all that has arrived and is not answered yet, over all connections
 * @param grace that every frame has before its rate counts
 * @param leastBytesPerSecond of a frame that has begun, after the grace
 * @param unreadBytes that clients may leave unread, over all connections
 * @param readTime within which a client takes something of the frames that wait for it
 */
record RpcLimits(
        int connections,
        int frameBytes,
        long bytes,
        Duration grace,
        long leastBytesPerSecond,
        long unreadBytes,
        Duration readTime) {
    private static final int CONNECTIONS = 10_000;

    public RpcLimits {
        if (connections < 1 || frameBytes < RpcFrames.MAX_GREETING_BYTES || bytes < frameBytes) {
            throw new IllegalArgumentException("a frame must fit the bytes of all connections: connections="
                    + connections + " frameBytes=" + frameBytes + " bytes=" + bytes);
        }
        if (leastBytesPerSecond < 1) {
            throw new IllegalArgumentException("leastBytesPerSecond must be positive: " + leastBytesPerSecond);
        }
        if (unreadBytes < 1 || readTime.isNegative() || readTime.isZero()) {
            throw new IllegalArgumentException(
                    "unreadBytes and readTime must be positive: unreadBytes=" + unreadBytes + " readTime=" + readTime);
        }
    }

    /**
     * The defaults for a heap of this size: frames of a 16th of it, at least 1 MB; an eighth of it for all; a 16th for
     * answers that clients do not read. Connections take half of the process's descriptors at most.
     */
    public static RpcLimits of(long heapBytes) {
        int frame = (int) Math.min(RpcFrames.MAX_BYTES + FrameCipher.TAG_BYTES, Math.max(1 << 20, heapBytes / 16));
        return new RpcLimits(
                ProcessLimits.connections(CONNECTIONS, 2),
                frame,
                Math.max(heapBytes / 8, 2L * frame),
                Duration.ofSeconds(10),
                4_096,
                Math.max(heapBytes / 16, frame),
                Duration.ofSeconds(10));
    }

    /** For the connections, half of them from one address at most; their bytes are counted by the server. */
    DoorLimits door() {
        return new DoorLimits(connections, DoorLimits.shareOfAddress(connections), 1, 1, 1, 1);
    }

    /** How long a frame of that length may take. */
    long nanosFor(long length) {
        return grace.toNanos() + length / leastBytesPerSecond * 1_000_000_000L;
    }
}
