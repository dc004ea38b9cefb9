package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;

/** Injects faults of processes, clocks and partitions while a run is active. */
final class FtsDisruption {
    private static final long RETRY_MICROS = 200_000;

    /** Members count a report of another's clock for 5 s: so long a clock that was set right is still wrong to them. */
    private static final long REPORTS_LIVE_MILLIS = 6_000;

    private final FtsGroup group;
    private final SimWorld world;
    /** Of each member's clock, as the others know it. */
    private final long[] wrongUntilMillis;

    private boolean over;

    FtsDisruption(FtsGroup group) {
        this.group = group;
        this.world = group.world();
        this.wrongUntilMillis = new long[group.size()];
    }

    void start(long activeMillis) {
        if (group.profile().disruptionEveryMillis() == 0) {
            return;
        }
        for (int i = 0; i < group.size(); i++) {
            if (world.chance(group.profile().badClocks())) {
                stepReplicaClock(i);
            }
        }
        next();
        if (group.spare() >= 0) {
            world.after(world.between(1_000, activeMillis * 2 / 3) * 1_000, this::join);
        }
        double again = group.profile().volatileRestarts();
        for (int i = 0; i < 2 && world.chance(again); i++) {
            world.after(world.between(activeMillis / 6, activeMillis) * 1_000, this::loseEverything);
        }
    }

    /** Everything is healed, now or within the second. */
    void heal() {
        over = true;
        group.levels().heal(group);
        for (int i = 0; i < group.size(); i++) {
            group.raft().isolate(i, false);
            restart(i);
            group.node(i).process().setWallOffset(world.between(-25, 25));
        }
        for (FtsClient client : group.clients()) {
            if (!client.process().isUp()) {
                client.restart();
            }
        }
        for (FtsForeignClient client : group.foreign()) {
            client.process().setWallOffset(world.between(-25, 25));
        }
    }

    private void next() {
        world.after(1_000 * world.about(group.profile().disruptionEveryMillis()), () -> {
            if (!over) {
                disrupt();
                next();
            }
        });
    }

    private void disrupt() {
        int replica =
                world.chance(0.4) && group.raft().leader() >= 0 ? group.raft().leader() : world.index(group.size());
        int kind = world.index(100);
        if (kind < 20) {
            crash(replica);
        } else if (kind < 38) {
            pause(replica);
        } else if (kind < 50) {
            isolate(replica);
        } else if (kind < 60) {
            if (group.raft().changeLeader()) {
                note("leaderChange", "another leader");
            }
        } else if (kind < 74) {
            stepReplicaClock(replica);
        } else if (kind < 77) {
            FtsClient client = anyClient();
            note("clientClockStep", client.process().name());
            client.process().setWallOffset(world.chance(0.5) ? group.wrongOffset() : world.between(-25, 25));
        } else if (kind < 84) {
            crash(anyClient());
        } else if (kind < 93) {
            slowDownFollower();
        } else if (kind < 96) {
            note("lossyNetwork", "for a while");
            group.becomeLossy(world.between(500, 4_000));
        } else {
            jump();
        }
    }

    private void slowDownFollower() {
        if (group.size() < 2) {
            return;
        }
        int follower = (group.raft().leader() + 1 + world.index(group.size() - 1)) % group.size();
        note("slowLink", group.node(follower).process().name());
        group.raft().slowDown(follower, world.between(3_000, 8_000));
    }

    /** As soon as all members are there. */
    private void join() {
        int spare = group.spare();
        if (over) {
            return;
        }
        if (!group.join(spare)) {
            world.after(RETRY_MICROS, this::join);
            return;
        }
        note("join", group.node(spare).process().name());
        if (world.chance(0.6)) {
            world.after(world.between(500, 6_000) * 1_000, this::leave);
        }
    }

    private void leave() {
        List<FtsNode> members = group.members();
        FtsNode leaver = members.get(world.index(members.size()));
        if (over) {
            return;
        }
        if (!staysWithinBounds(leaver.index(), members) || !group.leave(leaver.index())) {
            world.after(RETRY_MICROS, this::leave);
            return;
        }
        note("leave", leaver.process().name());
    }

    /** Those that are left have a majority of right clocks. */
    private boolean staysWithinBounds(int leaver, List<FtsNode> members) {
        long wrong = members.stream()
                .filter(node -> node.index() != leaver && countsAsWrong(node))
                .count();
        return 2 * wrong < members.size() - 1;
    }

    /** Each member that lags behind another member's snapshot takes it. */
    private void jump() {
        for (int i = 0; i < group.size(); i++) {
            for (int donor = 0; donor < group.size(); donor++) {
                if (donor != i
                        && group.raft().isLinked(i, donor)
                        && group.node(i).jumpTo(group.node(donor))) {
                    note("snapshotJump", group.node(i).process().name());
                }
            }
        }
    }

    private FtsClient anyClient() {
        return group.clients().get(world.index(group.clients().size()));
    }

    private void crash(int replica) {
        if (group.node(replica).process().isUp()) {
            note("replicaCrash", group.node(replica).process().name());
            group.node(replica).crash();
            world.after(world.between(50, 4_000) * 1_000, () -> restart(replica));
        }
    }

    private void restart(int replica) {
        if (group.raft().isMember(replica) && !group.node(replica).process().isUp()) {
            note("replicaRestart", group.node(replica).process().name());
            group.node(replica).restart();
        }
    }

    private void crash(FtsClient client) {
        if (client.process().isUp()) {
            note("clientCrash", client.process().name());
            client.crash();
            world.after(world.between(50, 2_000) * 1_000, () -> {
                if (!client.process().isUp()) {
                    client.restart();
                }
            });
        }
    }

    private void pause(int replica) {
        note("replicaPause", group.node(replica).process().name());
        long millis = world.chance(0.2) ? world.between(1_500, 2 * group.retentionMillis()) : world.between(50, 1_500);
        group.node(replica).process().pause(millis);
    }

    private void isolate(int replica) {
        note("partition", group.node(replica).process().name());
        group.raft().isolate(replica, true);
        world.after(world.between(100, 4_000) * 1_000, () -> {
            group.raft().isolate(replica, false);
            if (world.chance(0.5)) {
                jump();
            }
        });
    }

    private boolean countsAsWrong(FtsNode node) {
        return world.nowMillis() < wrongUntilMillis[node.index()];
    }

    /**
     * At most a minority of the members is out of bounds at any time, as the others know it (docs/decisions/0022): no
     * majority rule can help against more.
     */
    private void stepReplicaClock(int replica) {
        List<FtsNode> members = group.members();
        long wrong = members.stream().filter(this::countsAsWrong).count();
        SimProcess process = group.node(replica).process();
        boolean out = world.chance(0.6)
                && group.raft().isMember(replica)
                && (countsAsWrong(group.node(replica))
                        || wrong < members.size() - group.raft().majority());
        if (out) {
            wrongUntilMillis[replica] = Long.MAX_VALUE;
        } else if (wrongUntilMillis[replica] == Long.MAX_VALUE) {
            wrongUntilMillis[replica] = world.nowMillis() + REPORTS_LIVE_MILLIS;
        }
        process.setWallOffset(out ? group.wrongOffset() : world.between(-25, 25));
        note(out ? "replicaClockWrong" : "replicaClockStep", process.name() + " by " + process.wallOffsetMillis());
    }

    /** All replicas are gone at once, and so is their log; attempts of that life are still on their way. */
    private void loseEverything() {
        if (over) {
            return;
        }
        note("volatileRestart", "all replicas lose everything");
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < group.size(); i++) {
            if (group.node(i).process().isUp()) {
                group.node(i).crash();
            }
            group.node(i).forgetDisk();
            if (group.raft().isMember(i)) {
                all.add(i);
            }
        }
        group.raft().wipe();
        group.nextLife();
        for (int replica : all) {
            world.after(world.between(150, 1_500) * 1_000, () -> restart(replica));
        }
    }

    private void note(String kind, String detail) {
        world.fault(kind);
        world.trace(() -> "fault: " + kind + " " + detail);
    }
}
