package org.amo.exon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.amo.exon.ExonSimNode.SimAddress;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/**
 * An attacker beside encrypted nodes: records their datagrams, and sends them again, also to later lives of a node, and from an
 * address of its own, at which it never shows that it reads.
 */
final class ExonRecordings {
    static final String AMPLIFIED = "too much to an address without a proof";

    private static final int MOST = 2_000;
    private static final int AT_RESTART = 20;
    private static final long RESTART_MICROS = 200_000;
    private static final int AMPLIFICATION = 3;
    private static final SimAddress OWN = new SimAddress(-1, 0);

    private final SimWorld world;
    private final SplittableRandom random;
    private final Map<Integer, List<Recording>> ofNodes = new HashMap<>();
    // While a node has a datagram from the attacker's address in its hand.
    private long allowedBytes;
    private boolean stopped;

    private record Recording(SimAddress from, byte[] datagram) {}

    ExonRecordings(SimWorld world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    /** A datagram leaves. Returns whether the network carries it: no other node is where the attacker is. */
    boolean onSent(SimAddress from, SimAddress to, byte[] datagram) {
        if (to.equals(OWN)) {
            allowedBytes -= datagram.length;
            if (allowedBytes < 0) {
                throw new SimViolationException(
                        AMPLIFIED,
                        from + " sends " + datagram.length + " bytes, " + -allowedBytes + " more than allowed");
            }
            return false;
        }
        List<Recording> all = ofNodes.computeIfAbsent(to.node(), node -> new ArrayList<>());
        Recording recording = new Recording(from, datagram);
        if (all.size() < MOST) {
            all.add(recording);
        } else {
            all.set(random.nextInt(MOST), recording);
        }
        return true;
    }

    /** Sends a recording to a node. */
    void replay(ExonSimNode node) {
        List<Recording> all = ofNodes.getOrDefault(node.index(), List.of());
        if (stopped || all.isEmpty()) {
            return;
        }
        world.fault("recording sent again");
        Recording recording = all.get(random.nextInt(all.size()));
        boolean own = random.nextBoolean() && node.runs();
        allowedBytes = own ? AMPLIFICATION * (long) recording.datagram.length : 0;
        node.receive(own ? OWN : recording.from, recording.datagram);
        allowedBytes = 0;
    }

    /** A node starts anew: it gets much of what its life before got. */
    void onRestarted(ExonSimNode node) {
        for (int i = 0; i < AT_RESTART; i++) {
            world.after(random.nextLong(RESTART_MICROS), () -> replay(node));
        }
    }

    void stop() {
        stopped = true;
    }
}
