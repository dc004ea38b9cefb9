package org.amo.scmp.udp;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;
import org.amo.scmp.RpcCounters;

/** The counters of a server for monitoring. Any thread; nothing here waits for the event loop. */
final class ObservedServer implements Observed {
    private static final RpcCounters NOTHING = new RpcCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final InetSocketAddress address;
    private final Supplier<Optional<RpcCounters>> counters;
    private final DropCounts dropped;
    private final LongSupplier forces;
    private final BooleanSupplier open;

    /** @param counters a moment ago; empty before the server serves */
    ObservedServer(
            InetSocketAddress address,
            Supplier<Optional<RpcCounters>> counters,
            DropCounts dropped,
            LongSupplier forces,
            BooleanSupplier open) {
        this.address = address;
        this.counters = counters;
        this.dropped = dropped;
        this.forces = forces;
        this.open = open;
    }

    @Override
    public String kind() {
        return "scmp";
    }

    @Override
    public String group() {
        return "";
    }

    /** Host and port. */
    @Override
    public String id() {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    @Override
    public List<Reading> readings() {
        RpcCounters now = counters.get().orElse(NOTHING);
        List<Reading> readings = new ArrayList<>(List.of(
                Reading.counter("amo_scmp_calls_total", now.accepted(), "Calls that were accepted, each run once"),
                Reading.counter(
                        "amo_scmp_replies_again_total", now.repliesSentAgain(), "Attempts answered from a kept reply"),
                Reading.counter(
                        "amo_scmp_acknowledged_total", now.acknowledged(), "Attempts of calls that ran at that time"),
                Reading.counter(
                        "amo_scmp_held_total", now.held(), "Replies longer than the datagram that asked, in the clear"),
                refusals("STALE", now.stale()),
                refusals("TOO_EARLY", now.tooEarly()),
                refusals("OVERLOADED", now.overloaded()),
                refusals("NO_SUCH_SERVICE", now.noSuchService()),
                refusals("UNKNOWN_CALL", now.unknownCalls()),
                Reading.gauge("amo_scmp_connections", now.connections(), "Connections with a last timestamp"),
                Reading.gauge("amo_scmp_computing", now.computing(), "Calls that run"),
                Reading.gauge("amo_scmp_kept_replies", now.storedReplies(), "Replies that no client acknowledged"),
                Reading.gauge("amo_scmp_kept_reply_bytes", now.storedReplyBytes(), "Bytes of these replies"),
                Reading.counter(
                        "amo_scmp_forced_writes_total", forces.getAsLong(), "Forced writes of the state file")));
        Arrays.stream(DropCounts.Cause.values())
                .map(cause -> Reading.counter(
                                "amo_scmp_dropped_total", dropped.of(cause), "Datagrams that were dropped, by cause")
                        .with("cause", cause.name()))
                .forEach(readings::add);
        return readings;
    }

    private static Reading refusals(String reason, long count) {
        return Reading.counter("amo_scmp_refusals_total", count, "Attempts that were refused, by reason")
                .with("reason", reason);
    }

    @Override
    public Readiness readiness() {
        return open.getAsBoolean() ? Readiness.READY : Readiness.not("the server is closed");
    }
}
