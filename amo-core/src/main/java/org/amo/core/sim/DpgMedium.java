package org.amo.core.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.amo.core.dpg.Message;
import org.amo.core.dpg.Report;
import org.amo.core.dpg.Tag;

/**
 * A single-access medium, the 1C service of paper 003, section 3.1: one PDU at a time, received by all in one order. A
 * receiver may lose a PDU; its reception buffer overwrites the oldest when the site fetches too slowly.
 */
final class DpgMedium {
    /** A 10 Mbit/s Ethernet: preamble, header, checksum, gap. */
    private static final int FRAME_BYTES = 38 + 28;

    private final SimWorld world;
    private final double microsPerByte;
    private final double loss;
    private final List<DpgSimSite> sites = new ArrayList<>();
    private final List<ArrayDeque<Pdu>> queues = new ArrayList<>();
    private final Map<Tag, Long> places = new HashMap<>();
    private final List<Tag> order = new ArrayList<>();
    private boolean busy;
    private boolean healed;
    private long messageBytes;
    private long reportBytes;

    /** What is on the medium: a message or a report. */
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

    DpgMedium(SimWorld world, double megabitsPerSecond, double loss) {
        this.world = world;
        this.microsPerByte = 8 / megabitsPerSecond;
        this.loss = loss;
    }

    void attach(DpgSimSite site) {
        sites.add(site);
        queues.add(new ArrayDeque<>());
    }

    List<DpgSimSite> sites() {
        return sites;
    }

    void heal() {
        healed = true;
    }

    long messageBytes() {
        return messageBytes;
    }

    long reportBytes() {
        return reportBytes;
    }

    /** Shortest time that a message with so many bytes takes. */
    long transmissionMicros(int bytes) {
        return (long) ((bytes + FRAME_BYTES) * microsPerByte);
    }

    void send(DpgSimSite from, Object content, int bytes) {
        if (content instanceof Report) {
            // What waits for the medium is out of date: a site never has two reports in its multicast queue.
            queues.get(from.index()).removeIf(pdu -> !pdu.isMessage());
        }
        queues.get(from.index()).add(new Pdu(from, from.life(), content, bytes, world.nowMicros()));
        next();
    }

    /** What a crashed site had not yet sent is gone. */
    void drop(DpgSimSite from) {
        queues.get(from.index()).clear();
    }

    /** Whether nothing was sent between the two; x null for nothing received yet. */
    boolean contiguous(Tag x, Tag y) {
        Long first = places.get(x);
        Long second = places.get(y);
        return first != null && second != null && first + 1 == second;
    }

    /** Place of a message in the order of the medium, -1 if it never was on it. */
    long place(Tag tag) {
        return places.getOrDefault(tag, -1L);
    }

    private void next() {
        if (busy) {
            return;
        }
        int waiting = 0;
        for (ArrayDeque<Pdu> queue : queues) {
            waiting += queue.isEmpty() ? 0 : 1;
        }
        if (waiting == 0) {
            return;
        }
        int chosen = world.index(waiting);
        for (ArrayDeque<Pdu> queue : queues) {
            if (!queue.isEmpty() && chosen-- == 0) {
                carry(queue.remove());
                return;
            }
        }
    }

    private void carry(Pdu pdu) {
        busy = true;
        long began = world.nowMicros();
        world.after(transmissionMicros(pdu.bytes), () -> {
            busy = false;
            if (pdu.isMessage()) {
                messageBytes += pdu.bytes;
                Tag tag = pdu.message().tag();
                if (places.putIfAbsent(tag, (long) order.size()) == null) {
                    order.add(tag);
                }
            } else {
                reportBytes += pdu.bytes;
            }
            for (DpgSimSite site : sites) {
                boolean apart = site != pdu.from && (site.isCut() || pdu.from.isCut());
                if (apart) {
                    site.miss(true);
                } else if (site != pdu.from && !healed && world.chance(loss)) {
                    world.fault("PDU lost");
                    site.miss(false);
                } else {
                    site.arrive(pdu, began);
                }
            }
            next();
        });
    }
}
