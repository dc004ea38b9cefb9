package org.amo.interceptors.jacorb.door;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.amo.base.ProcessLimits;
import org.amo.core.door.DoorLimits;
import org.amo.core.request.Request;

/**
 * Limits the resources that the clients of an IIOP port may take. A value, checked when it is made.
 *
 * @param door connections and bytes
 * @param mostMessageBytes of one message, its fragments together
 * @param firstMessage within which a new connection must have sent a whole message
 * @param grace that every message has before its rate counts
 * @param leastBytesPerSecond of a message that has begun, after the grace
 * @param mostUnreadBytes that wait for peers to read them, of all connections together
 */
record GiopLimits(
        DoorLimits door,
        long mostMessageBytes,
        Duration firstMessage,
        Duration grace,
        long leastBytesPerSecond,
        long mostUnreadBytes) {

    /** Each connection has one of JacORB's receiving threads, of which there are 1,000. */
    private static final int CONNECTIONS = ProcessLimits.connectionsWithThreads(900, 2);

    private static final int HEADERS = 128 << 10;

    /** A request is there four times at most while it is taken: buffer, arguments, body to order, entry of the log. */
    static final int COPIES = 4;

    public GiopLimits {
        if (mostMessageBytes < 1_024 || COPIES * mostMessageBytes > door.unprovedConnectionBytes()) {
            throw new IllegalArgumentException("a message takes " + COPIES + " times its length: at most "
                    + door.unprovedConnectionBytes() / COPIES + " bytes fit, not " + mostMessageBytes);
        }
        if (leastBytesPerSecond < 1) {
            throw new IllegalArgumentException("leastBytesPerSecond must be positive: " + leastBytesPerSecond);
        }
        if (mostUnreadBytes < mostMessageBytes) {
            throw new IllegalArgumentException("a reply of " + mostMessageBytes + " bytes must fit, at most "
                    + mostUnreadBytes + " are kept for peers to read");
        }
    }

    /**
     * The defaults for a heap of this size: a message of a 32nd of it, at least 1 MB and at most the longest request;
     * an eighth of it for connections of which no request was answered, a quarter for all, a 16th for unread bytes.
     */
    public static GiopLimits of(long heapBytes) {
        long message = Math.min(Request.MAX_BODY_BYTES + HEADERS, Math.max(1 << 20, heapBytes / 32));
        return of(message, CONNECTIONS, Math.max(heapBytes / 4, 2 * COPIES * message), heapBytes / 16);
    }

    private static GiopLimits of(long message, int connections, long bytes, long unread) {
        long unproved = Math.max(bytes / 2, COPIES * message);
        return new GiopLimits(
                new DoorLimits(
                        connections, DoorLimits.shareOfAddress(connections), COPIES * message, unproved, bytes, bytes),
                message,
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                4_096,
                Math.max(unread, message));
    }

    /**
     * The defaults for this process, overridden by these properties: {@code amo.iiop.connections},
     * {@code amo.iiop.messageBytes}, {@code amo.iiop.bytes}, {@code amo.iiop.unreadBytes}.
     *
     * @throws IllegalArgumentException in one line
     */
    public static GiopLimits from(Function<String, Optional<String>> properties) {
        GiopLimits defaults = of(Runtime.getRuntime().maxMemory());
        long message = number(properties, "amo.iiop.messageBytes", defaults.mostMessageBytes());
        int connections = (int) number(properties, "amo.iiop.connections", CONNECTIONS);
        long bytes =
                number(properties, "amo.iiop.bytes", Math.max(defaults.door().bytes(), 2 * COPIES * message));
        long unread = number(properties, "amo.iiop.unreadBytes", defaults.mostUnreadBytes());
        return of(message, connections, bytes, unread);
    }

    private static long number(Function<String, Optional<String>> properties, String name, long otherwise) {
        Optional<String> text = properties.apply(name);
        try {
            return text.isPresent() ? Long.parseLong(text.get()) : otherwise;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number: '" + text.get() + "'", e);
        }
    }
}
