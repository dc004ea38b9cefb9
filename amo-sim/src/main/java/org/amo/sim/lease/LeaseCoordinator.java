package org.amo.sim.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterClock;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseAuthority;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.RenewalCollector;
import org.amo.linearizable.lease.RenewalCollectorEffects;
import org.amo.linearizable.lease.Renewed;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;

/**
 * The coordinator of {@code lease}: the authority and the map of ranges, replicated, so that ordered inputs survive
 * their leader. A leader stamps inputs with its own clock; if it crashes, inputs not ordered yet are lost.
 */
final class LeaseCoordinator {
    private static final int NOBODY = -1;

    private final SimWorld world;
    private final LeaseNetwork network;
    private final LeaseLedger ledger;
    private final RuleSet<LeaseRule> rules;
    private final long termMillis;
    private final int maxLeases;

    private SimProcess leader;
    private ClusterClock clock;
    private LeaseAuthority authority;
    private int leaders;

    /** Of this leader; renewals not ordered yet are lost with it. */
    private RenewalCollector<Consumer<LeaseAnswer>> collector;

    /** By range: its server, and the server from the disk of which it is still to be recovered. */
    private final int[] owner = new int[LeaseOperation.RANGES];

    private final int[] source = new int[LeaseOperation.RANGES];

    LeaseCoordinator(
            SimWorld world, LeaseNetwork network, LeaseLedger ledger, RuleSet<LeaseRule> rules, long termMillis) {
        this.world = world;
        this.network = network;
        this.ledger = ledger;
        this.rules = rules;
        this.termMillis = termMillis;
        this.maxLeases = 1_000;
        this.authority = LeaseMutants.authority(rules, termMillis, maxLeases);
        this.leader = newLeader();
        this.clock = new ClusterClock(authority.now(), leader.monotonicMillis());
        this.collector = newCollector(leader);
        Arrays.fill(source, NOBODY);
    }

    private SimProcess newLeader() {
        SimProcess process =
                new SimProcess(world, "coordinator " + leaders++, 1 + world.between(-50, 50) / 1_000_000.0);
        process.setWallOffset(world.between(-3_600_000, 3_600_000));
        return process;
    }

    void place(int range, int server) {
        owner[range] = server;
    }

    int ownerOf(int range) {
        return owner[range];
    }

    int sourceOf(int range) {
        return source[range];
    }

    LeaseAuthority authority() {
        return authority;
    }

    /** The leader is gone; another one goes on from the ordered inputs. */
    void failOver() {
        if (!leader.isUp()) {
            return;
        }
        leader.crash();
        if (collector.waiting() > 0) {
            world.fault("collected renewals lost");
        }
        world.after(world.between(20_000, 400_000), () -> {
            WireWriter writer = new WireWriter(64);
            authority.write(writer);
            authority = rules.holds(LeaseRule.LEASES_SURVIVE)
                    ? LeaseMutants.authority(rules, new WireReader("authority", writer.toBytes()))
                    : LeaseMutants.authority(rules, termMillis, maxLeases);
            leader = newLeader();
            collector = newCollector(leader);
            clock = new ClusterClock(
                    rules.holds(LeaseRule.TIME_NEVER_FALLS) ? authority.now() : ClusterTime.ZERO,
                    leader.monotonicMillis());
            world.trace(() -> leader.name() + " leads at " + authority.now().millis());
        });
    }

    LeaseAnswer open(ClusterTime stamp) {
        // Ids begin with 1, so that the ledger sees an authority that lost its leases repeat them.
        return told(authority.open(stamp, 0));
    }

    LeaseAnswer check(LeaseId client, ClusterTime stamp) {
        return told(authority.check(client, stamp));
    }

    private LeaseAnswer told(LeaseAnswer answer) {
        ledger.onAuthority(answer);
        return answer;
    }

    ClusterTime time(ClusterTime stamp) {
        return authority.time(stamp);
    }

    /** Ranges that a server that has just started finds on its own disk. */
    List<Integer> settledRangesOf(int server) {
        List<Integer> ranges = rangesOf(server);
        ranges.removeIf(range -> source[range] != NOBODY);
        return ranges;
    }

    private List<Integer> rangesOf(int server) {
        List<Integer> ranges = new ArrayList<>();
        for (int range = 0; range < owner.length; range++) {
            if (owner[range] == server) {
                ranges.add(range);
            }
        }
        return ranges;
    }

    /** A server is gone, and cannot come back without asking: others take its ranges, several if there are. */
    void declareDead(int server, List<LeaseServer> servers) {
        List<LeaseServer> others = new ArrayList<>();
        for (LeaseServer each : servers) {
            if (each.index() != server && each.isUp()) {
                others.add(each);
            }
        }
        if (others.isEmpty()) {
            return;
        }
        int next = world.index(others.size());
        for (int range : rangesOf(server)) {
            // A recovery that was not finished begins again, from the disk that has everything.
            if (source[range] == NOBODY) {
                source[range] = server;
            }
            owner[range] = others.get(next++ % others.size()).index();
            world.trace(() -> "range " + range + " goes from the disk of s" + source[range] + " to s" + owner[range]);
        }
    }

    /** The new owner has everything on its own disk. Only now may it serve: from now on that disk counts. */
    ClusterTime recovered(int range, int server, ClusterTime stamp) {
        if (owner[range] == server) {
            source[range] = NOBODY;
        }
        return authority.time(stamp);
    }

    /** A question that is ordered, stamped by the leader; no answer if it is lost, or the leader is. */
    <T> void ask(SimProcess from, Function<ClusterTime, T> input, Consumer<T> answer) {
        long life = from.life();
        network.carry(() -> {
            SimProcess asked = leader;
            if (!asked.isRunning()) {
                return;
            }
            ClusterTime stamp = clock.read(asked.monotonicMillis());
            asked.after(world.between(300, 5_000), () -> {
                T result = input.apply(stamp);
                clock.onOrdered(authority.now(), asked.monotonicMillis());
                if (!network.loses()) {
                    from.afterInLife(life, network.delay(), () -> answer.accept(result));
                }
            });
        });
    }

    /** A renewal that the leader collects with others; no answer if it is lost, or the leader is. */
    void renew(SimProcess from, LeaseId client, Consumer<LeaseAnswer> answer) {
        long life = from.life();
        Consumer<LeaseAnswer> asker = told -> {
            if (!network.loses()) {
                from.afterInLife(life, network.delay(), () -> answer.accept(told));
            }
        };
        network.carry(() -> {
            SimProcess asked = leader;
            if (asked.isRunning() && collector.onRenewal(asker, client, asked.monotonicMillis())) {
                look(asked);
            }
        });
    }

    private void look(SimProcess asked) {
        long due = collector.nextDeadline();
        if (due < Long.MAX_VALUE) {
            asked.after(Math.max(0, 1_000 * (due - asked.monotonicMillis())), () -> {
                collector.onTick(asked.monotonicMillis());
                if (collector.nextDeadline() < Long.MAX_VALUE) {
                    // Its clock is slower than the world's.
                    asked.after(1_000, () -> look(asked));
                }
            });
        }
    }

    private RenewalCollector<Consumer<LeaseAnswer>> newCollector(SimProcess owner) {
        long gatherMillis = world.between(0, 60);
        int most = (int) world.between(1, 4);
        return LeaseMutants.collector(rules, gatherMillis, most, 1_000, new Collected(owner));
    }

    /** An entry handed to the order may be ordered although the leader dies and cannot answer the clients. */
    private final class Collected implements RenewalCollectorEffects<Consumer<LeaseAnswer>> {
        private final SimProcess owner;

        Collected(SimProcess owner) {
            this.owner = owner;
        }

        @Override
        public void order(long batch, long[] clients) {
            world.trace(() -> owner.name() + " orders renewals " + Arrays.toString(clients));
            ClusterTime stamp = clock.read(owner.monotonicMillis());
            if (network.loses()) {
                // It is not known whether it was ordered.
                owner.after(world.between(5_000, 100_000), () -> collector.onFailed(batch));
                if (world.chance(0.5)) {
                    return;
                }
            }
            world.after(world.between(300, 5_000), () -> {
                // A leader that died before it was ordered takes it along, or has passed it on already.
                if (!owner.isUp() && world.chance(0.5)) {
                    return;
                }
                Renewed renewed = authority.renew(clients, stamp);
                for (long client : clients) {
                    told(renewed.of(new LeaseId(client)));
                }
                owner.after(world.between(0, 2_000), () -> {
                    clock.onOrdered(authority.now(), owner.monotonicMillis());
                    collector.onOrdered(batch, renewed);
                });
            });
        }

        @Override
        public void answer(Consumer<LeaseAnswer> asker, LeaseAnswer answer) {
            asker.accept(answer);
        }

        @Override
        public void unanswered(Consumer<LeaseAnswer> asker) {
            world.fault("renewal without an answer");
        }
    }

    void freeze(long millis) {
        leader.pause(millis);
    }
}
