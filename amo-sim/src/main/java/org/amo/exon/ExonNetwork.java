package org.amo.exon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.exon.udp.SimEncryption;
import org.amo.sim.SimWorld;

/** Datagrams of {@code exon}: lost, doubled, late in any order, held until records have gone, cut off, sent to old places. */
final class ExonNetwork {
    private final SimWorld world;
    private final List<ExonSimNode> nodes = new ArrayList<>();
    private final Map<Integer, Long> cutUntilMicros = new HashMap<>();
    private final boolean faults;
    private final double loss;
    private final double duplication;
    private final double held;
    private final long holdMicros;
    private final long spreadMicros;
    private final int slotsPerRecord;
    private final int slotsPerNode;
    private final Optional<SimEncryption> encryption;
    private final Optional<ExonRecordings> recordings;
    private boolean healed;

    /**
     * @param encryption of the nodes, if they encrypt
     * @param recordings of the attacker, if there is one
     */
    ExonNetwork(
            SimWorld world,
            ExonProfile profile,
            long holdMicros,
            int slotsPerRecord,
            int slotsPerNode,
            Optional<SimEncryption> encryption,
            Optional<ExonRecordings> recordings) {
        this.world = world;
        this.faults = profile.loss() > 0;
        this.loss = profile.loss() * world.between(0, 100) / 100;
        this.duplication = profile.duplication() * world.between(0, 100) / 100;
        this.held = profile.held() * world.between(0, 100) / 100;
        this.holdMicros = holdMicros;
        this.spreadMicros = world.between(100, 20_000);
        this.slotsPerRecord = slotsPerRecord;
        this.slotsPerNode = slotsPerNode;
        this.encryption = encryption;
        this.recordings = recordings;
    }

    List<ExonSimNode> nodes() {
        return nodes;
    }

    Optional<SimEncryption> encryption() {
        return encryption;
    }

    boolean hasFaults() {
        return faults;
    }

    int slotsPerRecord() {
        return slotsPerRecord;
    }

    int slotsPerNode() {
        return slotsPerNode;
    }

    void cut(int from, int to, long micros) {
        cutUntilMicros.put(from * 1_000 + to, world.nowMicros() + micros);
    }

    void heal() {
        healed = true;
        recordings.ifPresent(ExonRecordings::stop);
        cutUntilMicros.clear();
    }

    void carry(ExonSimNode from, ExonSimNode.SimAddress to, byte[] datagram) {
        if (recordings.isPresent() && !recordings.get().onSent(from.address(), to, datagram)) {
            return;
        }
        boolean cut = cutUntilMicros.getOrDefault(from.index() * 1_000 + to.node(), 0L) > world.nowMicros();
        if (cut) {
            return;
        }
        if (!healed && world.happens("datagram lost", loss)) {
            return;
        }
        arriveLater(from.address(), to, datagram);
        while (!healed && world.happens("datagram doubled", duplication)) {
            arriveLater(from.address(), to, datagram);
        }
    }

    private void arriveLater(ExonSimNode.SimAddress from, ExonSimNode.SimAddress to, byte[] datagram) {
        long delay = healed ? world.between(500, 1_500) : 500 + world.between(0, spreadMicros);
        if (!healed && world.happens("datagram held", held)) {
            delay = world.between(0, holdMicros);
        }
        world.after(delay, () -> {
            ExonSimNode target = nodes.get(to.node());
            if (target.isAt(to)) {
                target.receive(from, datagram);
            }
        });
    }
}
