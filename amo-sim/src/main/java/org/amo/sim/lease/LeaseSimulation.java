package org.amo.sim.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.sim.RuledSimulation;
import org.amo.sim.SeedRun;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimWorld;
import org.amo.sim.Violation;
import org.amo.sim.rules.RuleSet;

/**
 * {@code lease}: clients with leases, servers that keep rpc records beside their objects, and a replicated coordinator
 * (Park), in virtual time. A run is active under faults, then calm, when every call must be answered, then quiet,
 * when the state of dead clients must go.
 */
public final class LeaseSimulation extends RuledSimulation<LeaseRule> {
    private static final long ACTIVE_MILLIS = 12_000;

    public LeaseSimulation() {
        super("lease", LeaseRule.values());
    }

    @Override
    protected SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing, RuleSet<LeaseRule> rules) {
        SimWorld world = new SimWorld(seed, tracing);
        LeaseLedger ledger = new LeaseLedger();
        LeaseProfile profile = LeaseProfile.of(options.faults());
        int sites = options.sites().orElse(0);
        Optional<Violation> violation =
                SeedRun.play(world, LeaseLedger.BROKE, () -> new Run(world, ledger, profile, rules, sites).play());
        return new SimResult(seed, ledger.operations(), world.faults(), violation, world.completeTrace());
    }

    /** One seed. */
    private static final class Run {
        private final SimWorld world;
        private final LeaseLedger ledger;
        private final RuleSet<LeaseRule> rules;
        private final LeaseNetwork network;
        private final LeaseCoordinator coordinator;
        private final List<LeaseServer> servers = new ArrayList<>();
        private final List<SimLeaseClient> clients = new ArrayList<>();
        private final long termMillis;
        private final int window;
        private boolean calm;
        private int born;

        Run(SimWorld world, LeaseLedger ledger, LeaseProfile profile, RuleSet<LeaseRule> rules, int sites) {
            this.world = world;
            this.ledger = ledger;
            this.rules = rules;
            this.termMillis = world.between(600, 3_000);
            this.window = (int) world.between(1, 8);
            this.network = new LeaseNetwork(world, profile);
            this.coordinator = new LeaseCoordinator(world, network, ledger, rules, termMillis);
            int count = sites > 0 ? sites : (int) world.between(2, 4);
            for (int i = 0; i < count; i++) {
                servers.add(new LeaseServer(world, network, ledger, coordinator, servers, rules, termMillis, i));
            }
            for (int range = 0; range < LeaseOperation.RANGES; range++) {
                coordinator.place(range, range % count);
            }
            servers.forEach(LeaseServer::start);
            for (long i = world.between(1, 4); i > 0; i--) {
                bear();
            }
            world.every(profile.crashMillis(), () -> calm, this::crash);
            world.every(profile.failoverMillis(), () -> calm, () -> {
                world.fault("coordinator killed");
                coordinator.failOver();
            });
            world.every(profile.clientMillis(), () -> calm, this::clientDies);
            world.every(profile.freezeMillis(), () -> calm, this::freeze);
            world.every(profile.clockMillis(), () -> calm, () -> {
                world.fault("clock stepped");
                any().process().setWallOffset(world.between(-3_600_000, 3_600_000));
            });
            world.every(
                    profile.parked() > 0 ? 200 : 0,
                    () -> calm,
                    () -> network.release(world.index(LeaseOperation.RANGES), 0.05));
        }

        void play() {
            world.runUntilMillis(ACTIVE_MILLIS);
            network.heal();
            calm = true;
            servers.stream().filter(server -> !server.isUp()).forEach(LeaseServer::restart);
            clients.forEach(SimLeaseClient::stopIssuing);
            world.runUntilMillis(ACTIVE_MILLIS + 6_000 + termMillis);
            for (SimLeaseClient client : clients) {
                if (client.process().isUp() && client.open() > 0) {
                    ledger.fail(LeaseLedger.NO_ANSWER, client.process().name() + " waits for " + client.open());
                }
            }
            world.runUntilMillis(ACTIVE_MILLIS + 6_000 + 5 * termMillis);
            int live = coordinator.authority().size();
            servers.forEach(server -> server.checkEnd(live, window));
            checkObjects();
        }

        private void checkObjects() {
            for (int key = 0; key < LeaseOperation.KEYS; key++) {
                int range = LeaseOperation.rangeOf(key);
                LeaseServer owner = servers.get(coordinator.ownerOf(range));
                if (owner.serves(range)) {
                    ledger.checkObject(key, owner.store().objects().getOrDefault(key, LeaseObject.NONE));
                }
            }
        }

        private void bear() {
            clients.add(new SimLeaseClient(
                    world, network, ledger, coordinator, servers, rules, termMillis, window, "c" + born++));
        }

        private LeaseServer any() {
            return servers.get(world.index(servers.size()));
        }

        /** Some servers come back to their ranges, some find that other servers have them. */
        private void crash() {
            LeaseServer server = any();
            if (!server.isUp()) {
                return;
            }
            world.fault("server killed");
            server.crash();
            world.after(world.between(1_000, 400_000), () -> {
                if (!server.isUp() && world.chance(0.7)) {
                    coordinator.declareDead(server.index(), servers);
                }
            });
            world.after(world.between(1_000, 900_000), () -> {
                if (!server.isUp()) {
                    server.restart();
                }
            });
        }

        private void clientDies() {
            SimLeaseClient client = clients.get(world.index(clients.size()));
            if (client.process().isUp()) {
                world.fault("client killed");
                client.process().crash();
                world.after(world.between(1_000, 1_000_000), () -> {
                    if (!calm) {
                        bear();
                    }
                });
            }
        }

        private void freeze() {
            world.fault("process stopped");
            long millis = world.between(10, 2 * termMillis);
            switch (world.index(3)) {
                case 0 -> any().process().pause(millis);
                case 1 -> coordinator.freeze(Math.min(millis, 500));
                default -> clients.get(world.index(clients.size())).process().pause(millis);
            }
        }
    }
}
