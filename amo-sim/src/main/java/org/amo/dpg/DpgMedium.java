package org.amo.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimWorld;

/**
 * A single-access medium, the 1C service of Konorski, section 3.1: one PDU at a time, received by all in one order. A
 * receiver may lose a PDU; its reception buffer overwrites the oldest when the site fetches too slowly.
 */
final class DpgMedium extends DpgCarrier {
    /** A 10 Mbit/s Ethernet: preamble, header, checksum, gap. */
    private static final int FRAME_BYTES = 38 + 28;

    private final double microsPerByte;
    private final List<ArrayDeque<Pdu>> queues = new ArrayList<>();
    private boolean busy;

    DpgMedium(SimWorld world, double megabitsPerSecond, double loss) {
        super(world, loss);
        this.microsPerByte = 8 / megabitsPerSecond;
    }

    @Override
    void attach(DpgSimSite site) {
        super.attach(site);
        queues.add(new ArrayDeque<>());
    }

    /** Shortest time that a message with so many bytes takes. */
    long transmissionMicros(int bytes) {
        return (long) ((bytes + FRAME_BYTES) * microsPerByte);
    }

    @Override
    void send(DpgSimSite from, Object content, int bytes) {
        if (content instanceof Report) {
            // A report that still waits is out of date: a site never has two reports in its multicast queue.
            queues.get(from.index()).removeIf(pdu -> !pdu.isMessage());
        }
        queues.get(from.index()).add(new Pdu(from, from.life(), content, bytes, world.nowMicros()));
        next();
    }

    @Override
    void drop(DpgSimSite from) {
        queues.get(from.index()).clear();
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
        world.after(transmissionMicros(pdu.bytes()), () -> {
            busy = false;
            carried(pdu);
            for (DpgSimSite site : sites()) {
                if (areApart(pdu.from(), site)) {
                    site.miss(true);
                } else if (site != pdu.from() && isLost()) {
                    site.miss(false);
                } else {
                    site.arrive(pdu, began);
                }
            }
            next();
        });
    }
}
