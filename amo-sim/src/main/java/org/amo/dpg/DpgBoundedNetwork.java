package org.amo.dpg;

import org.amo.sim.SimWorld;

/**
 * Carries datagrams stamped with their send time by synchronous clocks. Their delay is bounded (Konorski, section 3.2), but
 * for a few: the bound is "at the cost of some messages using up their lifetime". None is lost.
 */
final class DpgBoundedNetwork extends DpgCarrier {
    private static final long LEAST_MICROS = 100;
    private static final long PROBE_MICROS = 100_000;

    private final long spreadMicros;
    private final double excess;
    private long lastMicros;
    private boolean exceeded;

    /** @param excess most of the datagrams that take longer */
    DpgBoundedNetwork(SimWorld world, double excess) {
        super(world, 0);
        this.spreadMicros = world.between(500, 3_000);
        // In a third of the runs every delay keeps within the bound.
        this.excess = world.chance(1 / 3.0) ? 0 : excess * world.between(1, 100) / 100;
    }

    /** From the first delay above the bound on. */
    @Override
    boolean mayBeWrong() {
        return exceeded;
    }

    BoundedDelayReception<Pdu> newReception(SequencedReception.Receiver<Pdu> receiver) {
        long bound = LEAST_MICROS + spreadMicros;
        return new BoundedDelayReception<>(
                bound, 1_024, new BoundedDelayDetector(bound, PROBE_MICROS, world.nowMicros()), receiver);
    }

    @Override
    void send(DpgSimSite from, Object content, int bytes) {
        // No two at the same time: the true order is that of the times.
        lastMicros = Math.max(world.nowMicros(), lastMicros + 1);
        Pdu pdu = new Pdu(from, from.life(), content, bytes, lastMicros);
        carried(pdu);
        for (DpgSimSite site : sites()) {
            long delay = lastMicros - world.nowMicros() + (site == from ? 1 : delayMicros());
            world.after(delay, () -> site.arriveTimed(pdu));
        }
    }

    private long delayMicros() {
        long delay = LEAST_MICROS + world.between(0, spreadMicros);
        if (isHealed() || !world.chance(excess)) {
            return delay;
        }
        world.fault("delay above the bound");
        exceeded = true;
        return delay + world.between(1, 3 * spreadMicros);
    }

    @Override
    void drop(DpgSimSite from) {
        // Its datagrams are on their way.
    }
}
