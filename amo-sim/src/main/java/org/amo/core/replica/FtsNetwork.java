package org.amo.core.replica;

import java.util.function.BiConsumer;
import org.amo.core.request.Answer;
import org.amo.sim.SimWorld;

/**
 * The ways between clients and replicas. Any attempt may be lost, or come when no sender waits for it any more; where a way
 * may repeat, it may come again, at the same member or another one.
 */
final class FtsNetwork {
    private final FtsGroup group;
    private final SimWorld world;

    FtsNetwork(FtsGroup group) {
        this.group = group;
        this.world = group.world();
    }

    /**
     * Carries an attempt to a replica and lets {@code deliver} hand it over there.
     *
     * @param mayRepeat whether the attempt may arrive again
     */
    void send(FtsCopy copy, int replica, boolean mayRepeat, BiConsumer<FtsNode, FtsCopy> deliver) {
        FtsNode node = group.node(replica);
        FtsProfile.Network faults = group.networkFaults();
        long latency = world.between(50, 2_000);
        if (!node.process().isUp()) {
            // No connection: nothing was sent, so nothing can be repeated.
            copy.toClient(latency, copy::refuse);
            return;
        }
        if (mayRepeat && world.chance(faults.repeated())) {
            repeat(copy, world.chance(0.6) ? replica : world.index(group.size()), deliver);
        }
        if (world.happens("requestLost", faults.requestLost())) {
            copy.toClient(world.between(100, 50_000), copy::lose);
            return;
        }
        if (world.chance(faults.held())) {
            latency = world.between(group.retentionMillis() * 50, group.retentionMillis() * 2_500);
            world.fault(latency > group.retentionMillis() * 1_000 ? "lateCopyBeyondRetention" : "lateCopy");
        } else if (world.happens("slowCopy", faults.slow())) {
            latency = world.between(2_000, 600_000);
        }
        if (world.chance(faults.broken())) {
            // The bytes are on their way, and the client sees its connection break.
            world.fault("connectionBroken");
            copy.toClient(world.between(100, 50_000), copy::lose);
        }
        node.process()
                .afterInAnyLife(latency, () -> deliver.accept(node, copy), () -> copy.toClient(1_000, copy::lose));
    }

    /** Once more: soon, while the call goes on, or when ρ may be over. */
    private void repeat(FtsCopy copy, int replica, BiConsumer<FtsNode, FtsCopy> deliver) {
        world.fault("repeatedCopy");
        FtsNode node = group.node(replica);
        FtsCopy again = copy.repeated(world.chance(0.5));
        int kind = world.index(10);
        long latency = kind < 4
                ? world.between(50, 20_000)
                : kind < 7
                        ? world.between(50, 600_000)
                        : world.between(group.retentionMillis() * 50, group.retentionMillis() * 2_500);
        node.process().afterInAnyLife(latency, () -> deliver.accept(node, again), () -> {});
    }

    void reply(FtsCopy copy, Answer answer) {
        FtsProfile.Network faults = group.networkFaults();
        long latency = world.between(50, 2_000);
        if (world.happens("replyLost", faults.replyLost())) {
            copy.toClient(latency, copy::lose);
            return;
        }
        if (world.happens("slowReply", faults.slow())) {
            latency = world.between(2_000, 600_000);
        }
        copy.toClient(latency, () -> copy.answer(answer));
    }
}
