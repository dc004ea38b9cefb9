package org.amo.replication.service;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.amo.base.Experimental;

/**
 * Options of calls and reads ({@link AmoClient#with}). An option that is left out has the value of the client.
 *
 * @param deadline of a call or read, 1 ms to 10 minutes; empty for that of the client
 * @param maxAge how old the state may be that a read finds; empty for a linearizable read. Calls have no use for it
 * @param metadata of calls and reads by proxies, which the service finds in its {@link ReplicaContext#metadata}: at most 64 entries,
 *     and 16 KiB of UTF-8. Any client may claim any value
 * @param afterOwnCalls whether a read that may be old still holds the calls of its own client
 */
@Experimental
public record CallOptions(
        Optional<Duration> deadline, Optional<Duration> maxAge, Map<String, String> metadata, boolean afterOwnCalls) {
    private static final Duration MOST = Duration.ofMinutes(10);

    public CallOptions {
        deadline.ifPresent(time -> check("a deadline", time));
        maxAge.ifPresent(age -> check("the age of a read", age));
        metadata = Map.copyOf(metadata);
        int bytes = 0;
        for (Map.Entry<String, String> each : metadata.entrySet()) {
            bytes += bytes(each.getKey()) + bytes(each.getValue());
        }
        if (metadata.size() > Envelope.MAX_ENTRIES || bytes > Envelope.MAX_BYTES) {
            throw new IllegalArgumentException("metadata has at most " + Envelope.MAX_ENTRIES + " entries and "
                    + Envelope.MAX_BYTES + " bytes: entries=" + metadata.size() + " bytes=" + bytes);
        }
    }

    private static int bytes(String text) {
        if (!TypeCodecs.isText(text)) {
            throw new IllegalArgumentException("metadata has half of a surrogate pair, which UTF-8 cannot carry");
        }
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void check(String what, Duration value) {
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(what + " is 1 ms to 10 minutes: " + value);
        }
    }

    /** Those of the client; reads are linearizable: they hold every call that was answered, to any client, before they began. */
    public static CallOptions defaults() {
        return new CallOptions(Optional.empty(), Optional.empty(), Map.of(), false);
    }

    /** A deadline: of each call and read by itself, from its beginning. */
    public static CallOptions deadline(Duration value) {
        return defaults().within(value);
    }

    /**
     * A read holds every call that was answered, to any client, until so long before the read reached its member. The member
     * counts from its own latest question for a read index, by its monotonic clock: no other clock matters. It asks the leader
     * only if that question is older. Reads of one client never go back in the order.
     *
     * @param maxAge 1 ms to 10 minutes
     */
    public static CallOptions stale(Duration maxAge) {
        return new CallOptions(Optional.empty(), Optional.of(maxAge), Map.of(), false);
    }

    /** The same with that deadline. */
    public CallOptions within(Duration value) {
        return new CallOptions(Optional.of(value), maxAge, metadata, afterOwnCalls);
    }

    /** The same with that entry of metadata, in the place of one with the same key. */
    public CallOptions metadata(String key, String value) {
        Map<String, String> more = new HashMap<>(metadata);
        more.put(key, value);
        return new CallOptions(deadline, maxAge, more, afterOwnCalls);
    }

    /**
     * The same, and a read that may be old also holds every call of its client that was answered before the read began. Soon behind such a
     * call the member has to ask the leader, as for a linearizable read.
     */
    public CallOptions readingOwnCalls() {
        return new CallOptions(deadline, maxAge, metadata, true);
    }
}
