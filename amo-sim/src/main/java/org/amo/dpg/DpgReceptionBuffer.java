package org.amo.dpg;

import java.util.ArrayDeque;
import org.amo.sim.SimWorld;

/** The reception buffer between the single-access medium and a process, which fetches from it (Konorski, section 3.1). */
final class DpgReceptionBuffer {
    private final SimWorld world;
    private final DpgSettings settings;
    private final DpgSimSite site;
    private final ArrayDeque<Received> received = new ArrayDeque<>();
    private boolean overwrote;
    private boolean fetching;
    private long slowUntilMicros;

    /** @param overwrote whether the buffer lost a PDU since the one before */
    record Received(DpgCarrier.Pdu pdu, boolean own, boolean overwrote, long beganMicros, long endedMicros) {}

    DpgReceptionBuffer(SimWorld world, DpgSettings settings, DpgSimSite site) {
        this.world = world;
        this.settings = settings;
        this.site = site;
    }

    /** The process starts: earlier PDUs are gone. */
    void start() {
        received.clear();
        overwrote = true;
    }

    /** The process ends. */
    void drop() {
        received.clear();
    }

    void slow(long micros) {
        slowUntilMicros = world.nowMicros() + micros;
    }

    void heal() {
        slowUntilMicros = 0;
    }

    /** A PDU did not come. A cut is something an interface notices; a loss is not. */
    void miss(boolean noticed) {
        overwrote |= noticed;
    }

    void arrive(DpgCarrier.Pdu pdu, long beganMicros) {
        if (!site.isUp()) {
            return;
        }
        boolean own = pdu.from() == site;
        if (own && settings.ownMessages() == OwnMessages.MISSED) {
            // The interface does not receive while it transmits.
            overwrote |= pdu.isMessage();
            return;
        }
        if (received.size() >= settings.receptionBuffers()) {
            world.fault("PDU overwritten");
            overwrote = true;
            received.removeLast();
        }
        received.add(new Received(pdu, own, overwrote, beganMicros, world.nowMicros()));
        overwrote = false;
        fetchLater();
    }

    private void fetchLater() {
        if (fetching || received.isEmpty() || !site.isUp()) {
            return;
        }
        fetching = true;
        long ofLife = site.life();
        boolean slow = world.nowMicros() < slowUntilMicros;
        long at = world.nowMicros() + (slow ? 20 : 1) * settings.fetchMicros();
        world.at(Math.max(at, site.frozenUntilMicros()), () -> fetch(ofLife));
    }

    private void fetch(long ofLife) {
        fetching = false;
        if (site.isUp() && ofLife == site.life() && !received.isEmpty() && !site.isFrozen()) {
            site.take(received.remove());
        }
        fetchLater();
    }
}
