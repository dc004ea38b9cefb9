package org.amo.scmp.udp;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Datagrams that a server dropped, by their causes. Any thread. */
final class DropCounts {
    private final Map<Cause, LongAdder> counts = new EnumMap<>(Cause.class);

    /** Why a datagram was dropped. */
    enum Cause {
        /** Other bytes than those of the protocol, or an answer in place of a request. */
        MALFORMED,
        /** Without a right seal. */
        FORGED,
        /** A call for whose arguments, or for whose thread, there was no room; its client sends it again. */
        NO_ROOM,
        /** An answer that the socket did not take; its client asks again. */
        UNSENT
    }

    DropCounts() {
        for (Cause each : Cause.values()) {
            counts.put(each, new LongAdder());
        }
    }

    void count(Cause cause) {
        counter(cause).increment();
    }

    long of(Cause cause) {
        return counter(cause).sum();
    }

    long sum() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private LongAdder counter(Cause cause) {
        return Objects.requireNonNull(counts.get(cause));
    }
}
