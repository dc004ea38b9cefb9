package org.amo.core.sim;

import java.util.function.Consumer;
import org.amo.core.request.Answer;

/** Connections between clients and replicas: no copy is duplicated, any may be lost, or come when nobody waits. */
final class FtsNetwork {
    private final FtsGroup group;
    private final SimWorld world;

    FtsNetwork(FtsGroup group) {
        this.group = group;
        this.world = group.world();
    }

    /** Carries a copy to a replica and lets {@code deliver} hand it over there. */
    void send(FtsCopy copy, int replica, Consumer<FtsNode> deliver) {
        FtsNode node = group.node(replica);
        FtsProfile.Network faults = group.networkFaults();
        long latency = world.between(50, 2_000);
        if (!node.process().isUp()) {
            copy.toClient(latency, copy::refuse);
            return;
        }
        if (world.chance(faults.requestLost())) {
            world.fault("requestLost");
            copy.toClient(world.between(100, 50_000), copy::lose);
            return;
        }
        if (world.chance(faults.held())) {
            latency = world.between(group.retentionMillis() * 50, group.retentionMillis() * 2_500);
            world.fault(latency > group.retentionMillis() * 1_000 ? "lateCopyBeyondRetention" : "lateCopy");
        } else if (world.chance(faults.slow())) {
            world.fault("slowCopy");
            latency = world.between(2_000, 600_000);
        }
        if (world.chance(faults.broken())) {
            // The bytes are on their way, and the client sees its connection break.
            world.fault("connectionBroken");
            copy.toClient(world.between(100, 50_000), copy::lose);
        }
        node.process().afterInAnyLife(latency, () -> deliver.accept(node), () -> copy.toClient(1_000, copy::lose));
    }

    void reply(FtsCopy copy, Answer answer) {
        FtsProfile.Network faults = group.networkFaults();
        long latency = world.between(50, 2_000);
        if (world.chance(faults.replyLost())) {
            world.fault("replyLost");
            copy.toClient(latency, copy::lose);
            return;
        }
        if (world.chance(faults.slow())) {
            world.fault("slowReply");
            latency = world.between(2_000, 600_000);
        }
        copy.toClient(latency, () -> copy.answer(answer));
    }
}
