package org.amo.dpg.udp;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.base.observe.Reading;
import org.amo.net.LatestFigures;

/** The figures of a site for monitoring. Any thread, but the site's own learns nothing new of itself. */
final class ObservedSite implements Observed {
    static final DpgMetrics NONE = new DpgMetrics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final InetSocketAddress address;
    private final LatestFigures<DpgMetrics> figures;
    private final LatestFigures<Boolean> anchored;
    private final BooleanSupplier closed;

    ObservedSite(
            InetSocketAddress address,
            LatestFigures<DpgMetrics> figures,
            LatestFigures<Boolean> anchored,
            BooleanSupplier closed) {
        this.address = address;
        this.figures = figures;
        this.anchored = anchored;
        this.closed = closed;
    }

    @Override
    public String kind() {
        return "dpg";
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
        DpgMetrics now = figures.get();
        return List.of(
                delivered("body", now.delivered()),
                delivered("dummy", now.dummies()),
                Reading.counter(
                        "amo_dpg_digests_compared_total",
                        now.digestsCompared(),
                        "How often the order of deliveries was compared with that of another site"),
                Reading.counter(
                        "amo_dpg_order_violations_total", now.violations(), "Of these: how often the order differed"),
                Reading.counter(
                        "amo_dpg_contradictions_total",
                        now.contradictions(),
                        "Statements about the order that contradict what this site knows"),
                Reading.counter(
                        "amo_dpg_forced_total",
                        now.forced(),
                        "Messages that took their place since a cycle had passed"),
                Reading.counter("amo_dpg_chosen_total", now.chosen(), "Of these: chosen among several by their tags"),
                Reading.counter("amo_dpg_returns_total", now.returns(), "Absences after which this site began anew"),
                Reading.counter(
                        "amo_dpg_astray_total",
                        now.astray(),
                        "Of these: messages that this site delivered may stand elsewhere at others"),
                sent("message", now.messagesSent(), "amo_dpg_sent_pdus_total", "PDUs that were sent, by kind"),
                sent("report", now.reportsSent(), "amo_dpg_sent_pdus_total", "PDUs that were sent, by kind"),
                sent("message", now.messageBytes(), "amo_dpg_sent_bytes_total", "Bytes of these PDUs, by kind"),
                sent("report", now.reportBytes(), "amo_dpg_sent_bytes_total", "Bytes of these PDUs, by kind"),
                Reading.counter(
                        "amo_dpg_bodies_again_total", now.remulticast(), "Bodies that were sent again for others"),
                dropped("NO_ROOM", now.overflows()),
                dropped("UNAUTHENTIC", now.unauthentic()),
                dropped("MALFORMED", now.malformed()),
                Reading.counter(
                        "amo_dpg_oversize_reports_total", now.oversize(), "Reports that did not fit into a datagram"),
                Reading.gauge(
                        "amo_dpg_unplaced_messages_peak",
                        now.mostVertices(),
                        "Most messages at a time that had no place in the order"),
                Reading.gauge("amo_dpg_sequencer_epoch", now.epoch(), "Epoch of the sequencer that this site follows"));
    }

    private static Reading delivered(String kind, long count) {
        return Reading.counter("amo_dpg_delivered_total", count, "Messages that were delivered, with a body or without")
                .with("kind", kind);
    }

    private static Reading sent(String kind, long count, String name, String help) {
        return Reading.counter(name, count, help).with("kind", kind);
    }

    private static Reading dropped(String cause, long count) {
        return Reading.counter("amo_dpg_dropped_total", count, "Datagrams and messages that were dropped, by cause")
                .with("cause", cause);
    }

    @Override
    public Readiness readiness() {
        if (closed.getAsBoolean()) {
            return Readiness.not("the endpoint is closed");
        }
        return anchored.get() ? Readiness.READY : Readiness.not("the site has no place in the common sequence yet");
    }
}
