package org.amo.sim.lease;

import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimWorld;

/** Messages of {@code lease}: lost, doubled, out of order, and attempts that are kept back until they hurt. */
final class LeaseNetwork {
    private static final int MOST_PARKED = 400;

    private final SimWorld world;
    private final double loss;
    private final double duplication;
    private final double parking;
    private final double failing;
    private final List<Parked> parked = new ArrayList<>();
    private boolean healed;

    /** An attempt of a call, kept back. */
    private record Parked(int range, Runnable arrive) {}

    LeaseNetwork(SimWorld world, LeaseProfile profile) {
        this.world = world;
        this.loss = profile.loss() * world.between(0, 100) / 100;
        this.duplication = profile.duplication() * world.between(0, 100) / 100;
        this.failing = profile.crashMillis() > 0 ? 0.03 : 0;
        this.parking = profile.parked() * world.between(20, 100) / 100;
    }

    void heal() {
        healed = true;
    }

    /** Whether a message is lost now. */
    boolean loses() {
        return !healed && world.happens("message lost", loss);
    }

    /** Whether an execution breaks off before it has changed anything. */
    boolean failsExecution() {
        return !healed && world.happens("execution failed", failing);
    }

    long delay() {
        return world.between(200, healed ? 1_500 : 6_000);
    }

    /** Arrives once, several times or never. */
    void carry(Runnable arrive) {
        if (!loses()) {
            world.after(delay(), arrive);
        }
        while (!healed && world.happens("message doubled", duplication)) {
            world.after(delay(), arrive);
        }
    }

    /** The same for a call to the server of a range: the one that serves it when an attempt arrives. */
    void carryCall(int range, Runnable arrive) {
        carry(arrive);
        if (!healed && world.happens("copy kept back", parking)) {
            if (parked.size() == MOST_PARKED) {
                parked.remove(world.index(MOST_PARKED));
            }
            parked.add(new Parked(range, arrive));
        }
    }

    /** A server begins to serve a range: old attempts arrive before all others. */
    void release(int range, double share) {
        for (Parked each : List.copyOf(parked)) {
            if (each.range == range && world.happens("old copy delivered", share)) {
                each.arrive.run();
                if (world.chance(0.3)) {
                    parked.remove(each);
                }
            }
        }
    }
}
