package org.amo.sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.amo.base.wire.MalformedFrameException;

/**
 * {@code lease}: clients with leases, servers that keep rpc records beside their objects, and a replicated coordinator
 * (paper 002), in virtual time. A run is active under faults, then calm, when every call must be answered, then quiet,
 * when the state of dead clients must go.
 */
public final class LeaseSimulation implements Simulation {
    private static final long ACTIVE_MILLIS = 12_000;

    @Override
    public SimResult run(SimOptions options, long seed) {
        return SeedRun.of(options, seed, LeaseSimulation::run);
    }

    private static Set<LeaseRule> without(Optional<String> plant) {
        return SeedRun.planted("lease", EnumSet.allOf(LeaseRule.class), LeaseRule::plant, plant)
                .map(Set::of)
                .orElse(Set.of());
    }

    private static SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing) {
        LeaseRules rules = LeaseRules.without(without(options.plant()));
        SimWorld world = new SimWorld(seed, tracing);
        LeaseLedger ledger = new LeaseLedger();
        Optional<Violation> violation = Optional.empty();
        try {
            new Run(
                            world,
                            ledger,
                            LeaseProfile.of(options.faults()),
                            rules,
                            options.sites().orElse(0))
                    .play();
        } catch (SimViolationException e) {
            violation = Optional.of(SeedRun.violation(e.rule(), e.detail(), world));
        } catch (IllegalStateException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | NullPointerException
                | MalformedFrameException
                | NoSuchElementException e) {
            violation = Optional.of(SeedRun.violation(
                    LeaseLedger.BROKE, e + " at " + List.of(e.getStackTrace()).subList(0, 4), world));
        }
        List<String> trace = tracing == SimWorld.Tracing.ALL ? world.traced() : List.of();
        return new SimResult(seed, ledger.operations(), Map.copyOf(world.faults()), violation, trace);
    }

    /** One seed. */
    private static final class Run {
        private final SimWorld world;
        private final LeaseLedger ledger;
        private final LeaseRules rules;
        private final LeaseNetwork network;
        private final LeaseCoordinator coordinator;
        private final List<LeaseServer> servers = new ArrayList<>();
        private final List<SimLeaseClient> clients = new ArrayList<>();
        private final long termMillis;
        private final int window;
        private boolean calm;
        private int born;

        Run(SimWorld world, LeaseLedger ledger, LeaseProfile profile, LeaseRules rules, int sites) {
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
            every(profile.crashMillis(), this::crash);
            every(profile.failoverMillis(), () -> {
                world.fault("coordinator killed");
                coordinator.failOver();
            });
            every(profile.clientMillis(), this::clientDies);
            every(profile.freezeMillis(), this::freeze);
            every(profile.clockMillis(), () -> {
                world.fault("clock stepped");
                any().process().setWallOffset(world.between(-3_600_000, 3_600_000));
            });
            every(profile.parked() > 0 ? 200 : 0, () -> network.release(world.index(LeaseOperation.RANGES), 0.05));
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
        }

        private void bear() {
            clients.add(new SimLeaseClient(
                    world, network, ledger, coordinator, servers, rules, termMillis, window, "c" + born++));
        }

        private void every(long meanMillis, Runnable action) {
            if (meanMillis > 0) {
                world.after(world.about(meanMillis * 1_000), () -> {
                    if (!calm) {
                        action.run();
                        every(meanMillis, action);
                    }
                });
            }
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
