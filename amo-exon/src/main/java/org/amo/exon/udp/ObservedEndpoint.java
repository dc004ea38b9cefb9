package org.amo.exon.udp;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;
import org.amo.exon.NodeId;
import org.amo.net.LatestFigures;

/** The figures of an endpoint for monitoring. Any thread, but the event loop learns nothing new of itself. */
final class ObservedEndpoint implements Observed {
    static final ExonFigures NONE = new ExonFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final NodeId id;
    private final LatestFigures<ExonFigures> figures;
    private final LongSupplier pendingBytes;
    private final BooleanSupplier closed;

    ObservedEndpoint(NodeId id, LatestFigures<ExonFigures> figures, LongSupplier pendingBytes, BooleanSupplier closed) {
        this.id = id;
        this.figures = figures;
        this.pendingBytes = pendingBytes;
        this.closed = closed;
    }

    @Override
    public String kind() {
        return "exon";
    }

    @Override
    public String group() {
        return "";
    }

    @Override
    public String id() {
        return id.toString();
    }

    @Override
    public List<Reading> readings() {
        ExonFigures now = figures.get();
        return List.of(
                Reading.counter("amo_exon_delivered_total", now.delivered(), "Messages handed to the application"),
                Reading.counter("amo_exon_repeated_total", now.repeated(), "Tokens that came again"),
                dropped("UNAUTHENTIC", now.unauthentic()),
                dropped("MALFORMED", now.malformed()),
                dropped("REPLAYED", now.replayed()),
                Reading.counter(
                        "amo_exon_unsent_datagrams_total", now.unsendable(), "Datagrams that the socket did not take"),
                Reading.counter("amo_exon_handshakes_total", now.handshakes(), "Handshakes that ended in keys"),
                Reading.gauge("amo_exon_peers", now.peers(), "Nodes of which anything is remembered"),
                Reading.gauge("amo_exon_send_records", now.sendRecords(), "Records of nodes that messages go to"),
                Reading.gauge(
                        "amo_exon_receive_records", now.receiveRecords(), "Records of nodes that messages come from"),
                Reading.gauge("amo_exon_open_slots", now.openSlots(), "Slots that were granted and are not used"),
                Reading.gauge(
                        "amo_exon_held_datagrams",
                        now.heldUnits(),
                        "Datagrams of messages that are not whole, or not taken by the application"),
                Reading.gauge(
                        "amo_exon_pending_bytes",
                        pendingBytes.getAsLong(),
                        "Bytes of own messages that have no outcome yet"));
    }

    private static Reading dropped(String cause, long count) {
        return Reading.counter("amo_exon_dropped_total", count, "Datagrams that were dropped, by cause")
                .with("cause", cause);
    }

    @Override
    public Readiness readiness() {
        return closed.getAsBoolean() ? Readiness.not("the endpoint is closed") : Readiness.READY;
    }
}
