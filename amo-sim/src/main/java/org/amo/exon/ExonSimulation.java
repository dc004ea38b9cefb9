package org.amo.exon;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.amo.exon.udp.SimEncryption;
import org.amo.sim.RuledSimulation;
import org.amo.sim.SeedRun;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimWorld;
import org.amo.sim.Violation;
import org.amo.sim.rules.RuleSet;

/**
 * {@code exon}: nodes that send each other messages over a bad network (Kassam, Almeida and Shoker), in virtual time. A run is active
 * under faults, then calm, when every message must arrive, then quiet, when everything must be forgotten.
 */
public final class ExonSimulation extends RuledSimulation<ExonRule> {
    private static final long ACTIVE_MILLIS = 3_000;
    private static final long CALM_MILLIS = 1_000;
    private static final double ENCRYPTED = 0.25;
    private static final long REPLAY_MILLIS = 30;

    /** Draws apart from all else, so that runs without encryption are what they are without this. */
    private static final long APART = 0x9E3779B97F4A7C15L;

    private static final long NEVER = Long.MAX_VALUE / 4;

    public ExonSimulation() {
        super("exon", ExonRule.values());
    }

    @Override
    protected SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing, RuleSet<ExonRule> rules) {
        SimWorld world = new SimWorld(seed, tracing);
        ExonLedger ledger = new ExonLedger(world);
        ExonProfile profile = ExonProfile.of(options.faults());
        int sites = options.sites().orElse(0);
        SplittableRandom apart = new SplittableRandom(seed ^ APART);
        boolean encrypts = apart.nextDouble() < ENCRYPTED && ExonRule.mayEncrypt(rules);
        Run run = new Run(world, ledger, profile, rules, sites, encrypts ? Optional.of(apart) : Optional.empty());
        Optional<Violation> violation = SeedRun.play(world, ExonLedger.BROKE, run::play);
        return new SimResult(seed, ledger.count(), world.faults(), violation, world.completeTrace());
    }

    /** One seed. */
    private static final class Run {
        private final SimWorld world;
        private final ExonLedger ledger;
        private final ExonNetwork network;
        private final Optional<SimEncryption> encryption;
        private final Optional<ExonRecordings> recordings;
        private final long idleMicros;
        private final long abandonMicros;
        private final boolean deadlines;
        private boolean calm;

        /** @param keys draws them, if the nodes encrypt */
        Run(
                SimWorld world,
                ExonLedger ledger,
                ExonProfile profile,
                RuleSet<ExonRule> rules,
                int sites,
                Optional<SplittableRandom> keys) {
            this.world = world;
            this.ledger = ledger;
            this.idleMicros = world.between(5_000, 300_000);
            boolean abandons = world.chance(0.3);
            this.abandonMicros = abandons ? 2 * idleMicros + world.between(0, 600_000) : 3_600_000_000L;
            this.deadlines = world.chance(0.5);
            int standby = (int) world.between(1, 3);
            int perRecord = (int) world.between(24, 40);
            int perNode = perRecord + (int) world.between(0, 60);
            this.encryption = keys.map(random -> new SimEncryption(world, rules, random.split(), ExonSimNode.SECRET));
            this.recordings =
                    keys.filter(random -> profile.loss() > 0).map(random -> new ExonRecordings(world, random.split()));
            long holdMicros = idleMicros * world.between(2, 6);
            this.network = new ExonNetwork(world, profile, holdMicros, perRecord, perNode, encryption, recordings);
            boolean crashes = profile.crashMillis() > 0 && world.chance(0.6);
            ExonOptions options = ExonOptions.builder()
                    .datagramBytes(256)
                    .maxMessageBytes(2_000)
                    .standbySlots(standby, standby + (int) world.between(0, 3))
                    .maxSlots(perRecord, perNode)
                    .maxRecords((int) world.between(1, 5))
                    .maxQueuedBytes(1 << 24)
                    .idleMicros(idleMicros)
                    .abandonMicros(abandonMicros)
                    .maxRetryMicros(world.between(50_000, 500_000))
                    .clockRange(world.between(40, 400))
                    .build();
            int count = sites > 0 ? sites : (int) world.between(2, 3);
            for (int i = 0; i < count; i++) {
                network.nodes().add(new ExonSimNode(world, network, ledger, options, rules, i));
            }
            network.nodes().forEach(ExonSimNode::start);
            network.nodes().forEach(this::work);
            if (crashes) {
                world.every(profile.crashMillis(), () -> calm, this::crash);
            }
            world.every(profile.freezeMillis(), () -> calm, this::freeze);
            world.every(profile.cutMillis(), () -> calm, this::cut);
            world.every(profile.moveMillis(), () -> calm, this::move);
            recordings.ifPresent(attacker -> world.every(REPLAY_MILLIS, () -> calm, () -> attacker.replay(any())));
        }

        void play() {
            world.runUntilMillis(ACTIVE_MILLIS);
            network.heal();
            calm = true;
            network.nodes().forEach(node -> {
                if (!node.up()) {
                    node.start();
                }
                node.heal();
            });
            // Held datagrams are still on their way; peers hear of lives and records that are gone.
            ExonSimNode first = network.nodes().get(0);
            List<ExonLedger.Message> early = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                world.after(i * 39_000L, () -> {
                    ExonLedger.Message message = ledger.issue(first, other(first), NEVER, 10, false);
                    if (early.size() < 25) {
                        early.add(message);
                    }
                    first.send(message);
                });
            }
            world.runUntilMillis(ACTIVE_MILLIS + 1_500);
            boolean flows = early.stream().allMatch(message -> message.outcome != null);
            world.runUntilMillis(ACTIVE_MILLIS + 4_000);
            if (flows) {
                first.checkWindows();
            }
            long settledMillis = ACTIVE_MILLIS + 4_000;
            network.nodes().forEach(node -> network.nodes().forEach(other -> {
                if (node != other) {
                    node.send(ledger.issue(node, other, NEVER, 50, true));
                }
            }));
            world.runUntilMillis(settledMillis + CALM_MILLIS + 12_000);
            ledger.checkEnd();
            long rememberedMicros = 60 * idleMicros
                    + encryption.map(SimEncryption::memoryMicros).orElse(0L);
            world.runUntilMillis(settledMillis + CALM_MILLIS + 12_000 + rememberedMicros / 1_000 + 5_000);
            network.nodes().forEach(ExonSimNode::checkEmpty);
        }

        /** Bursts with idle gaps, so that records come and go. */
        private void work(ExonSimNode node) {
            long gap = world.chance(0.3) ? world.between(idleMicros / 2, 4 * idleMicros) : world.about(40_000);
            world.after(gap, () -> {
                if (!calm) {
                    int burst = world.chance(0.5) ? 1 : (int) world.between(2, 8);
                    for (int i = 0; i < burst; i++) {
                        sendOne(node);
                    }
                    work(node);
                }
            });
        }

        private void sendOne(ExonSimNode node) {
            if (!node.runs()) {
                return;
            }
            ExonSimNode to = other(node);
            boolean limited = deadlines && world.chance(0.3);
            long deadline = limited ? world.nowMicros() + world.between(1_000, 2_000_000) : NEVER;
            int length = (int) (world.chance(0.15) ? world.between(100, 1_500) : world.between(0, 60));
            node.send(ledger.issue(node, to, deadline, length, false));
        }

        private ExonSimNode other(ExonSimNode node) {
            int index = world.index(network.nodes().size() - 1);
            return network.nodes().get(index < node.index() ? index : index + 1);
        }

        private ExonSimNode any() {
            return network.nodes().get(world.index(network.nodes().size()));
        }

        private void crash() {
            ExonSimNode node = any();
            if (node.up()) {
                if (world.chance(0.3)) {
                    world.fault("stop");
                    node.stop();
                } else {
                    world.fault("crash");
                    node.crash();
                }
                world.after(world.between(1_000, 500_000), () -> {
                    if (!node.up()) {
                        node.start();
                        recordings.ifPresent(attacker -> attacker.onRestarted(node));
                    }
                });
            }
        }

        private void freeze() {
            if (world.happens("process stopped", 0.5)) {
                any().freeze(world.between(10_000, 1_500_000));
            } else {
                world.fault("application stopped");
                any().stopTaking(world.between(10_000, 1_500_000));
            }
        }

        private void cut() {
            ExonSimNode from = any();
            world.fault("link cut");
            network.cut(from.index(), other(from).index(), world.between(10_000, 1_500_000));
        }

        private void move() {
            world.fault("address changed");
            any().move();
        }
    }
}
