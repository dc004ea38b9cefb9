package org.amo.core.sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.dpg.DpgOptions;
import org.amo.core.dpg.DpgRule;
import org.amo.core.dpg.DpgSite;
import org.amo.core.dpg.OverwriteDetector;
import org.amo.core.dpg.OwnMessages;
import org.amo.core.dpg.Tag;
import org.amo.core.dpg.TimingDetector;

/**
 * {@code dpg}: sites that multicast in total order on a simulated single-access medium (paper 003), in virtual time. A run is
 * active under faults, then calm, when every site must deliver every body, then quiet.
 */
public final class DpgSimulation implements Simulation {
    static final String PROTOCOL = "dpg";

    /** Times are those of groups in which each site reports within so long; larger groups take longer by as much. */
    private static final long ROUND_MICROS = 80_000;

    private static final long ACTIVE_MILLIS = 1_500;
    private static final long SETTLE_MILLIS = 1_500;
    private static final long CALM_MILLIS = 400;
    private static final long DRAIN_MILLIS = 1_500;

    @Override
    public SimResult run(SimOptions options, long seed) {
        return SeedRun.of(options, seed, DpgSimulation::run);
    }

    private static Set<DpgRule> without(Optional<String> plant) {
        return SeedRun.planted(PROTOCOL, EnumSet.allOf(DpgRule.class), DpgRule::plant, plant)
                .map(Set::of)
                .orElse(Set.of());
    }

    private static SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing) {
        Set<DpgRule> off = without(options.plant());
        SimWorld world = new SimWorld(seed, tracing);
        Run run = new Run(
                world, DpgProfile.of(options.faults()), off, options.sites().orElse(0));
        Optional<Violation> violation = Optional.empty();
        try {
            run.play();
        } catch (SimViolationException e) {
            violation = Optional.of(new Violation(e.rule(), e.detail(), world.traced()));
        } catch (IllegalStateException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | NullPointerException
                | java.util.NoSuchElementException e) {
            violation = Optional.of(new Violation(
                    DpgLedger.BROKE, e + " at " + List.of(e.getStackTrace()).subList(0, 4), world.traced()));
        }
        return new SimResult(seed, run.ledger.issued(), world.faults(), violation, world.traced());
    }

    private static final class Run {
        private final SimWorld world;
        private final DpgLedger ledger = new DpgLedger();
        private final DpgCarrier medium;
        private final List<DpgSimSite> sites = new ArrayList<>();
        private final long gapMicros;
        private final int mostBytes;
        private final boolean tiny;
        private final long scale;
        private boolean calm;

        Run(SimWorld world, DpgProfile profile, Set<DpgRule> off, int wanted) {
            this.world = world;
            int count = wanted > 0 ? wanted : (int) world.between(2, 8);
            boolean lossy = profile.loss() > 0 && world.chance(0.6);
            double loss = lossy ? profile.loss() * world.between(10, 100) / 100 : 0;
            boolean sequenced = world.chance(0.3);
            DpgMedium wire = new DpgMedium(world, 10, loss);
            if (sequenced) {
                DpgSequencedNetwork network = new DpgSequencedNetwork(world, loss);
                this.medium = network;
                every(profile.cutMillis(), network::takeOver);
            } else {
                this.medium = wire;
            }
            this.mostBytes = (int) world.between(20, 600);
            OwnMessages own = sequenced ? OwnMessages.LOOPED_BACK : ownMessages(world);
            this.tiny = world.chance(0.25);
            long report = world.between(5_000, 10_000);
            long round = Math.max(ROUND_MICROS / 2, count * report);
            this.scale = Math.max(1, (round + ROUND_MICROS - 1) / ROUND_MICROS);
            DpgOptions options = DpgOptions.builder()
                    .maxBodyBytes(2_000)
                    .buffers(tiny ? (int) world.between(1, 4) : 512, tiny ? (int) world.between(1, 4) : 64)
                    .graph(1_024, 4_096, 256)
                    .reportMicros(report)
                    .deliveryMicros(3 * round, 15 * round)
                    .retrievalMicros(round)
                    .absence(5 * round, 4)
                    .flowControl(500, 50_000, 200, 5_000)
                    .ownMessages(own)
                    .without(off)
                    .build();
            long shortest = wire.transmissionMicros(12 + 8);
            DpgSettings settings = new DpgSettings(
                    options,
                    own,
                    () -> lossy ? new TimingDetector(shortest) : new OverwriteDetector(),
                    (int) world.between(2, 20),
                    world.between(10, 200));
            this.gapMicros = count * world.between(1_200, 6_000);
            for (int i = 0; i < count; i++) {
                DpgSimSite site = new DpgSimSite(world, medium, ledger, settings, i);
                sites.add(site);
                medium.attach(site);
            }
            sites.forEach(site -> world.after(world.chance(0.8) ? 0 : world.between(0, 400_000), () -> {
                site.start();
                work(site);
            }));
            every(profile.slowMillis(), () -> {
                world.fault("slow fetching");
                any().slow(world.between(1_000, 60_000));
            });
            every(profile.freezeMillis(), () -> {
                world.fault("process stopped");
                any().freeze(world.between(1_000, 6 * round));
            });
            every(profile.crashMillis(), this::crash);
            every(profile.cutMillis(), () -> {
                world.fault("site cut off");
                any().cut(world.between(1_000, 6 * round));
            });
        }

        private static OwnMessages ownMessages(SimWorld world) {
            return switch (world.index(3)) {
                case 0 -> OwnMessages.LOOPED_BACK;
                case 1 -> OwnMessages.MISSED;
                default -> OwnMessages.SUSPENDED;
            };
        }

        private DpgSimSite any() {
            return sites.get(world.index(sites.size()));
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

        private void crash() {
            DpgSimSite site = any();
            if (site.isUp()) {
                world.fault("crash");
                site.crash();
                world.after(world.between(1_000, 600_000), () -> {
                    if (!site.isUp()) {
                        site.start();
                    }
                });
            }
        }

        private void work(DpgSimSite site) {
            world.after(world.about(gapMicros), () -> {
                if (!calm) {
                    submit(site);
                    work(site);
                }
            });
        }

        private boolean submit(DpgSimSite site) {
            byte[] body = new byte[(int) world.between(8, mostBytes)];
            boolean taken = site.submit(body);
            if (taken) {
                ledger.onIssued();
            }
            return taken;
        }

        void play() {
            world.runUntilMillis(scale * ACTIVE_MILLIS);
            calm = true;
            medium.heal();
            sites.forEach(site -> {
                site.heal();
                if (!site.isUp()) {
                    site.start();
                }
            });
            // Sites that went apart without knowing find it out with what comes next.
            for (int i = 0; i < 3; i++) {
                world.runUntilMillis(scale * (ACTIVE_MILLIS + 200 + i * 150L));
                sites.forEach(this::submit);
            }
            world.runUntilMillis(scale * (ACTIVE_MILLIS + SETTLE_MILLIS));
            List<DpgLedger.Segment> before = new ArrayList<>();
            List<Integer> lengths = new ArrayList<>();
            for (DpgSimSite site : sites) {
                DpgSite core = site.core();
                DpgLedger.Segment segment = site.segment();
                if (core == null || !core.isAnchored() || segment == null) {
                    throw new SimViolationException(DpgLedger.STUCK, site + " has not come back");
                }
                before.add(segment);
                lengths.add(segment.tags.size());
            }
            int asked = 0;
            for (int i = 0; i < 3; i++) {
                for (DpgSimSite site : sites) {
                    asked += submit(site) ? 1 : 0;
                }
                world.runUntilMillis(scale * (ACTIVE_MILLIS + SETTLE_MILLIS + (i + 1) * CALM_MILLIS / 3));
            }
            world.runUntilMillis(scale * (ACTIVE_MILLIS + SETTLE_MILLIS + CALM_MILLIS + DRAIN_MILLIS));
            check(before, lengths, asked);
        }

        private void check(List<DpgLedger.Segment> before, List<Integer> lengths, int asked) {
            for (DpgSimSite site : sites) {
                site.checkVisible();
                DpgLedger.Segment segment = site.segment();
                int i = site.index();
                if (segment == null || segment != before.get(i)) {
                    throw new SimViolationException(DpgLedger.STUCK, site + " went away in the healed world");
                }
                int got = segment.tags.size() - lengths.get(i);
                if (got < asked) {
                    throw new SimViolationException(
                            DpgLedger.STUCK, site + " delivered " + got + " of the last " + asked + " messages");
                }
            }
            List<DpgLedger.Segment> steady = new ArrayList<>();
            for (DpgSimSite site : sites) {
                DpgLedger.Segment segment = site.segment();
                if (!site.wasDisturbed() && segment != null && segment.after.equals(Tag.ROOT)) {
                    steady.add(segment);
                }
            }
            ledger.checkSteady(steady, tiny);
            if (steady.isEmpty()) {
                return;
            }
            DpgLedger.Segment reference = steady.get(0);
            long inversions = 0;
            long delivered = 0;
            for (DpgLedger.Segment segment : steady) {
                inversions += DpgLedger.inversions(reference, segment);
                delivered += segment.tags.size();
            }
            if (inversions > 0) {
                throw new SimViolationException(
                        DpgLedger.ORDER, inversions + " of " + delivered + " messages at sites that were always there");
            }
            for (DpgLedger.Segment segment : ledger.segments()) {
                List<String> breaks = segment.apart ? List.of() : ledger.breaks(reference, segment);
                if (!breaks.isEmpty()) {
                    throw new SimViolationException(
                            DpgLedger.CONTIGUOUS,
                            segment + " of " + segment.tags.size() + " messages, against " + reference + ": " + breaks);
                }
            }
        }
    }
}
