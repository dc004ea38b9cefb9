package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.amo.sim.SimWorld;

/** A network between the sites of {@code dpg}, and the true order of the messages that it carries. */
abstract class DpgCarrier {
    final SimWorld world;
    final double loss;
    private final List<DpgSimSite> sites = new ArrayList<>();
    private final Map<Tag, Long> places = new HashMap<>();
    private boolean healed;
    private boolean wrong;
    private long messageBytes;
    private long reportBytes;

    /** A PDU on the network: a message or a report. */
    record Pdu(DpgSimSite from, long life, Object content, int bytes, long sentMicros) {
        boolean isMessage() {
            return content instanceof Message;
        }

        Message message() {
            return (Message) content;
        }

        Report report() {
            return (Report) content;
        }
    }

    DpgCarrier(SimWorld world, double loss) {
        this.world = world;
        this.loss = loss;
    }

    void attach(DpgSimSite site) {
        sites.add(site);
    }

    List<DpgSimSite> sites() {
        return sites;
    }

    void heal() {
        healed = true;
    }

    boolean isHealed() {
        return healed;
    }

    /** Whether a promise of the paper's section 3 about the service does not hold now, so that a detector may be wrong. */
    boolean mayBeWrong() {
        return false;
    }

    /** A detector told that nothing was sent between two messages, which is not so. */
    void onWrong() {
        wrong = true;
    }

    /** Whether the service has kept the promises of the paper's section 3; if not, the consequences are only counted. */
    boolean isExact() {
        return !wrong;
    }

    abstract void send(DpgSimSite from, Object content, int bytes);

    /** Drops the PDUs that a crashed site had not yet sent. */
    abstract void drop(DpgSimSite from);

    long messageBytes() {
        return messageBytes;
    }

    long reportBytes() {
        return reportBytes;
    }

    void carried(Pdu pdu) {
        if (pdu.isMessage()) {
            messageBytes += pdu.bytes;
            places.putIfAbsent(pdu.message().tag(), (long) places.size());
        } else {
            reportBytes += pdu.bytes;
        }
    }

    boolean isLost() {
        return !healed && world.happens("PDU lost", loss);
    }

    static boolean areApart(DpgSimSite from, DpgSimSite to) {
        return from != to && (from.isCut() || to.isCut());
    }

    /** Whether nothing was sent between the two. */
    boolean contiguous(Tag x, Tag y) {
        return place(x) >= 0 && place(x) + 1 == place(y);
    }

    /** Place of a message in the true order, -1 if it has none. */
    long place(Tag tag) {
        return places.getOrDefault(tag, -1L);
    }
}
