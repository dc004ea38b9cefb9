package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.sim.RuledSimulation;
import org.amo.sim.SeedRun;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.amo.sim.Violation;
import org.amo.sim.rules.RuleSet;

/**
 * {@code dpg}: sites that multicast in total order on a simulated single-access medium (Konorski), in virtual time. A run is
 * active under faults, then calm, when every site must deliver every body, then quiet.
 */
public final class DpgSimulation extends RuledSimulation<DpgRule> {
    private static final long ACTIVE_MILLIS = 1_500;
    private static final long SETTLE_MILLIS = 1_500;
    private static final long CALM_MILLIS = 400;
    private static final long DRAIN_MILLIS = 1_500;
    private static final int MOST_DRAINS = 6;

    /** Pairs of sites that were always there, whose sequences were compared. A run in which faults hit all sites has none. */
    static final String STEADY_PAIRS = "steadyPairsCompared";

    /** Messages of a segment that were compared with their neighbours in another one. */
    static final String NEIGHBOURS = "neighboursCompared";

    public DpgSimulation() {
        super("dpg", DpgRule.values());
    }

    @Override
    protected SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing, RuleSet<DpgRule> rules) {
        int sites = options.sites().orElse(0);
        return run(seed, tracing, DpgProfile.of(options.faults()), rules, sites);
    }

    /** @param sites 0 for the seed's own choice */
    static SimResult run(long seed, SimWorld.Tracing tracing, DpgProfile profile, RuleSet<DpgRule> rules, int sites) {
        SimWorld world = new SimWorld(seed, tracing);
        Run run = new Run(world, profile, rules, sites, seed);
        Optional<Violation> violation = SeedRun.play(world, DpgLedger.BROKE, run::play);
        return new SimResult(seed, run.ledger.issued(), world.faults(), violation, world.traced(), run.figures());
    }

    private static final class Run {
        private final SimWorld world;
        private final DpgLedger ledger;
        private final DpgScene scene;
        private final DpgCarrier medium;
        private final List<DpgSimSite> sites = new ArrayList<>();
        private boolean calm;

        Run(SimWorld world, DpgProfile profile, RuleSet<DpgRule> rules, int wanted, long seed) {
            this.world = world;
            this.ledger = new DpgLedger(world);
            this.scene = new DpgScene(world, profile, rules, wanted, seed);
            this.medium = scene.medium;
            for (int i = 0; i < scene.count; i++) {
                DpgSimClock clock = new DpgSimClock(world, scene.bounded ? world.between(-300, 300) : 0);
                DpgSimSite site = new DpgSimSite(world, medium, ledger, scene.settings, i, clock);
                sites.add(site);
                medium.attach(site);
            }
            sites.forEach(
                    site -> world.after(world.chance(0.8) || profile.alike() ? 0 : world.between(0, 400_000), () -> {
                        site.start();
                        work(site);
                    }));
            world.every(profile.slowMillis(), () -> calm, () -> {
                world.fault("slow fetching");
                any().slow(world.between(1_000, 60_000));
            });
            world.every(profile.freezeMillis(), () -> calm, () -> {
                world.fault("process stopped");
                any().freeze(world.between(1_000, 6 * scene.roundMicros));
            });
            world.every(profile.crashMillis(), () -> calm, this::crash);
            if (!scene.bounded) {
                world.every(profile.cutMillis(), () -> calm, () -> {
                    world.fault("site cut off");
                    any().cut(world.between(1_000, 6 * scene.roundMicros));
                });
            }
        }

        private DpgSimSite any() {
            return sites.get(world.index(sites.size()));
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
            world.after(world.about(scene.gapMicros), () -> {
                if (!calm) {
                    submit(site);
                    work(site);
                }
            });
        }

        private boolean submit(DpgSimSite site) {
            byte[] body = new byte[(int) world.between(8, scene.mostBytes)];
            boolean taken = site.submit(body);
            if (taken) {
                ledger.onIssued();
            }
            return taken;
        }

        void play() {
            world.runUntilMillis(scene.scale * ACTIVE_MILLIS);
            calm = true;
            medium.heal();
            sites.forEach(site -> {
                site.heal();
                if (!site.isUp()) {
                    site.start();
                }
            });
            // Sites that diverged unnoticed detect it with the next messages.
            for (int i = 0; i < 3; i++) {
                world.runUntilMillis(scene.scale * (ACTIVE_MILLIS + 200 + i * 150L));
                sites.forEach(this::submit);
            }
            world.runUntilMillis(scene.scale * (ACTIVE_MILLIS + SETTLE_MILLIS));
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
                world.runUntilMillis(scene.scale * (ACTIVE_MILLIS + SETTLE_MILLIS + (i + 1) * CALM_MILLIS / 3));
            }
            world.runUntilMillis(scene.scale * (ACTIVE_MILLIS + SETTLE_MILLIS + CALM_MILLIS + DRAIN_MILLIS));
            // Where buffers are few, each body that is gone for good costs a while.
            for (int i = 2; i <= MOST_DRAINS && !areLevel(); i++) {
                world.runUntilMillis(scene.scale * (ACTIVE_MILLIS + SETTLE_MILLIS + CALM_MILLIS + i * DRAIN_MILLIS));
            }
            if (asked == 0) {
                throw new SimViolationException(DpgLedger.STUCK, "no site takes a message in the healed world");
            }
            check(before, lengths, asked);
        }

        /** Whether all have delivered the same message last. */
        private boolean areLevel() {
            Set<Tag> last = new HashSet<>();
            for (DpgSimSite site : sites) {
                DpgLedger.Segment segment = site.segment();
                last.add(
                        segment == null || segment.tags.isEmpty()
                                ? Tag.ROOT
                                : segment.tags.get(segment.tags.size() - 1));
            }
            return last.size() == 1;
        }

        private void check(List<DpgLedger.Segment> before, List<Integer> lengths, int asked) {
            for (DpgSimSite site : sites) {
                site.checkVisible();
                DpgLedger.Segment segment = site.segment();
                int i = site.index();
                if (segment == null || segment != before.get(i)) {
                    if (medium.isExact()) {
                        throw new SimViolationException(DpgLedger.STUCK, site + " went away in the healed world");
                    }
                    // The site had diverged by a false inference, and detected it with the last messages.
                    ledger.figures().add("beganAnewWhenCalm", 1);
                    continue;
                }
                int got = segment.tags.size() - lengths.get(i);
                if (got < asked) {
                    throw new SimViolationException(
                            DpgLedger.STUCK, site + " delivered " + got + " of the last " + asked + " messages");
                }
            }
            checkOrder();
        }

        private void checkOrder() {
            List<DpgLedger.Segment> steady = new ArrayList<>();
            for (DpgSimSite site : sites) {
                DpgLedger.Segment segment = site.segment();
                if (!site.wasDisturbed() && segment != null && segment.after.equals(Tag.ROOT)) {
                    steady.add(segment);
                }
            }
            if (medium.isExact()) {
                ledger.checkSteady(steady, scene.scarce);
                ledger.figures().add(STEADY_PAIRS, DpgLedger.checkAgreed(steady));
            }
            checkSegments();
        }

        /** Any two segments, of any sites and lives, are of one sequence where they overlap. */
        private void checkSegments() {
            Set<Tag> unheard = new HashSet<>();
            Set<Tag> displaced = new HashSet<>();
            long compared = 0;
            List<DpgLedger.Segment> segments = ledger.segments();
            List<Set<Tag>> before =
                    segments.stream().map(ledger::deliveredBefore).toList();
            for (DpgLedger.Segment reference : segments) {
                Map<Tag, Integer> places = DpgLedger.places(reference);
                for (int i = 0; i < segments.size(); i++) {
                    DpgLedger.Segment segment = segments.get(i);
                    DpgLedger.Breaks breaks = ledger.breaks(reference, places, segment, before.get(i));
                    unheard.addAll(breaks.unheard());
                    displaced.addAll(breaks.displaced());
                    compared += reference == segment || !medium.isExact() ? 0 : breaks.compared();
                    if (!breaks.displaced().isEmpty() && medium.isExact()) {
                        throw new SimViolationException(
                                DpgLedger.CONTIGUOUS,
                                segment + " of " + segment.tags.size() + " messages, against " + reference + ": "
                                        + breaks.told());
                    }
                }
            }
            ledger.figures().add(NEIGHBOURS, compared);
            ledger.figures().add("outOfPlace", displaced.size());
            ledger.figures().add("unheard", unheard.size());
        }

        /** The counters, under the name of the medium and the detector. */
        Map<String, Map<String, Long>> figures() {
            DpgRunMetrics figures = ledger.figures();
            sites.forEach(DpgSimSite::countCore);
            long delivered = 0;
            for (DpgLedger.Segment segment : ledger.segments()) {
                delivered += segment.tags.size();
            }
            figures.add("deliveries", delivered);
            figures.add("messageBytes", medium.messageBytes());
            figures.add("reportBytes", medium.reportBytes());
            figures.add("simulatedMicros", world.nowMicros());
            return Map.of(scene.settings.row(), figures.counts());
        }
    }
}
