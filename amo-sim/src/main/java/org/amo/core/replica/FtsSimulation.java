package org.amo.core.replica;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.Faults;
import org.amo.sim.Plant;
import org.amo.sim.Planted;
import org.amo.sim.SeedRun;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimWorld;
import org.amo.sim.Simulation;
import org.amo.sim.Violation;
import org.amo.sim.rules.RuleSet;

/**
 * {@code fts}: the replicated service with its clients (Friedman and Hadad, under the rules of docs/explanation/safety.md), in virtual
 * time. A run is active under faults, then calm, when every call must succeed again, then quiet, when everything must be
 * forgotten.
 */
public final class FtsSimulation implements Simulation {
    private static final String PROTOCOL = "fts";
    private static final long ACTIVE_MILLIS = 16_000;

    /** A periodic timer fires at the end, too. */
    private static final int MOST_ODD_STEPS = 100;

    private static final long ODD_STEP_MILLIS = 20;

    @Override
    public String protocol() {
        return PROTOCOL;
    }

    @Override
    public List<Plant> plants() {
        return Stream.<Planted>concat(Planted.all(SafetyRule.values()).stream(), mutants())
                .map(Planted::bug)
                .toList();
    }

    /** All bugs but the rules taken out. */
    private static Stream<Planted> mutants() {
        return Stream.<Planted[]>of(
                        FtsMutant.values(),
                        NestedBug.values(),
                        FtsPassive.Mutant.values(),
                        FtsParallel.Mutant.values(),
                        SimDisks.Mutant.values(),
                        DetectorBug.values(),
                        FtsPoison.Mutant.values(),
                        FtsGreed.Mutant.values(),
                        FtsTimers.Mutant.values(),
                        FtsDatagrams.Mutant.values(),
                        FtsIdentities.Mutant.values(),
                        FtsLevels.Mutant.values(),
                        FtsReads.Mutant.values())
                .flatMap(kind -> Planted.all(kind).stream());
    }

    @Override
    public SimResult run(SimOptions options, long seed) {
        return run(options, seed, FtsPoison.Mutant.NONE);
    }

    /** @param sound how the requests that end members are, without a plant of their kind */
    static SimResult run(SimOptions options, long seed, FtsPoison.Mutant sound) {
        return SeedRun.of(options, seed, (with, of, tracing) -> run(with, of, tracing, sound, Optional.empty()));
    }

    /** The same with timers of operations, which the mutants of their kind have anyway. */
    static SimResult runWithTimers(SimOptions options, long seed) {
        return SeedRun.of(
                options,
                seed,
                (with, of, tracing) ->
                        run(with, of, tracing, FtsPoison.Mutant.NONE, Optional.of(FtsTimers.Mutant.NONE)));
    }

    /**
     * The divergence of a seed, as far as the other faults of the seed leave room for one.
     *
     * @param otherBug whether the run has a planted bug of another part: the detector would repair its effects before they show
     */
    static FtsDivergence divergence(
            long seed, Faults faults, FtsGreed greed, FtsPoison poison, DetectorBug bug, boolean otherBug) {
        return new FtsDivergence(seed, faults, greed.isOn() || poison.isOn(), bug, otherBug);
    }

    /** @param otherBug whether the run has a planted bug, perhaps this one */
    static FtsNested nested(SimOptions options, long seed, FtsGreed greed, boolean otherBug) {
        return new FtsNested(
                seed,
                options.faults(),
                Planted.find(NestedBug.values(), options.plant()).orElse(NestedBug.NONE),
                greed.isOn(),
                otherBug);
    }

    /** The rules that a plant takes out. STALE before EXPIRED shows only when the group's time can jump. */
    static RuleSet<SafetyRule> rules(Optional<String> plant) {
        if (plant.isPresent() && mutants().anyMatch(each -> each.plant().equals(plant.get()))) {
            return RuleSet.all();
        }
        return SeedRun.planted(PROTOCOL, SafetyRule.values(), plant)
                .map(rule -> RuleSet.without(
                        rule == SafetyRule.STALE_BEFORE_EXPIRED
                                ? EnumSet.of(rule, SafetyRule.GROUP_CLOCK)
                                : Set.of(rule)))
                .orElse(RuleSet.all());
    }

    private static FtsMutant mutant(Optional<String> plant) {
        return Planted.find(FtsMutant.values(), plant).orElse(FtsMutant.NONE);
    }

    private static SimResult run(
            SimOptions options,
            long seed,
            SimWorld.Tracing tracing,
            FtsPoison.Mutant sound,
            Optional<FtsTimers.Mutant> soundTimers) {
        RuleSet<SafetyRule> rules = rules(options.plant());
        SimWorld world = new SimWorld(seed, tracing);
        int replicas = world.chance(0.15) ? 5 : 3;
        FtsProfile profile = FtsProfile.of(options.faults());
        // A separate random number, so that all other runs are the same as before groups could grow.
        boolean grows = new SplittableRandom(~seed).nextDouble() < profile.joins();
        FtsGreed greed = new FtsGreed(
                seed,
                options.faults(),
                Planted.find(FtsGreed.Mutant.values(), options.plant()).orElse(FtsGreed.Mutant.NONE));
        FtsPoison poison = new FtsPoison(
                seed,
                options.faults(),
                Planted.find(FtsPoison.Mutant.values(), options.plant()).orElse(sound));
        DetectorBug bug = Planted.find(DetectorBug.values(), options.plant()).orElse(DetectorBug.NONE);
        Optional<FtsTimers.Mutant> timers =
                Planted.find(FtsTimers.Mutant.values(), options.plant()).or(() -> soundTimers);
        boolean otherBug = (options.plant().isPresent() && bug == DetectorBug.NONE)
                || sound != FtsPoison.Mutant.NONE
                || timers.isPresent();
        FtsPassive passive = new FtsPassive(
                seed,
                options.passive(),
                Planted.find(FtsPassive.Mutant.values(), options.plant()).orElse(FtsPassive.Mutant.NONE));
        FtsParallel parallel = new FtsParallel(
                options.parallel(),
                Planted.find(FtsParallel.Mutant.values(), options.plant()).orElse(FtsParallel.Mutant.NONE));
        boolean otherExecution = passive.isOn() || parallel.isOn();
        FtsNested nested = nested(options, seed, greed, otherBug || bug != DetectorBug.NONE || otherExecution);
        // Drawn apart, so that all other mutants and the runs with timers are found with the seeds of before.
        boolean otherPart = otherBug || bug != DetectorBug.NONE;
        FtsReads.Mutant ofReads =
                Planted.find(FtsReads.Mutant.values(), options.plant()).orElse(FtsReads.Mutant.NONE);
        FtsDatagrams.Mutant ofDatagrams =
                Planted.find(FtsDatagrams.Mutant.values(), options.plant()).orElse(FtsDatagrams.Mutant.NONE);
        FtsDivergence divergence = otherExecution
                // Equal replies are no news in style passive, and an other state is applied by no backup.
                ? new FtsDivergence(seed, options.faults(), true, bug, otherBug)
                : divergence(seed, options.faults(), greed, poison, bug, otherBug);
        boolean rare = greed.isOn() || poison.isOn() || nested.isOn() || divergence.isOn();
        FtsLevels levels = FtsLevels.of(
                seed,
                Planted.find(FtsLevels.Mutant.values(), options.plant()).orElse(FtsLevels.Mutant.NONE),
                otherPart || otherExecution || rare || options.faults() == Faults.NONE);
        FtsGroup group = new FtsGroup(
                world,
                rules,
                mutant(options.plant()),
                profile,
                greed,
                poison,
                divergence,
                nested,
                passive,
                parallel,
                new FtsTimers(seed, timers),
                // Those orders and lanes have no reads: the first one orders them, the second one is a matter of
                // threads.
                new FtsReads(seed, ofReads != FtsReads.Mutant.NONE || !(otherPart || otherExecution), ofReads),
                levels,
                options.sites().orElse(replicas),
                grows);
        group.useDraws(FtsDraws.of(seed, !rules.holds(SafetyRule.DRAWS_IN_ORDER), otherBug || bug != DetectorBug.NONE));
        group.useDatagrams(FtsDatagrams.of(seed, ofDatagrams, otherPart || options.faults() == Faults.NONE));
        group.useIdentities(FtsIdentities.of(
                seed,
                Planted.find(FtsIdentities.Mutant.values(), options.plant()).orElse(FtsIdentities.Mutant.NONE),
                otherPart || otherExecution || greed.isOn() || poison.isOn() || options.faults() == Faults.NONE));
        group.useDisks(new SimDisks(
                seed,
                options.faults(),
                Planted.find(SimDisks.Mutant.values(), options.plant()).orElse(SimDisks.Mutant.NONE),
                options.plant().isPresent()));
        Optional<Violation> violation = SeedRun.play(world, FtsLedger.BROKE, () -> play(world, group));
        return new SimResult(seed, group.calls(), world.faults(), violation, world.completeTrace(), group.outcomes());
    }

    private static void play(SimWorld world, FtsGroup group) {
        FtsDisruption disruption = new FtsDisruption(group);
        group.start();
        group.reads().start(group);
        group.identities().start(group);
        group.levels().start(group);
        disruption.start(ACTIVE_MILLIS);
        world.runUntilMillis(ACTIVE_MILLIS);
        disruption.heal();
        long forgotten = group.retentionMillis() + group.lifeMillis() + 2 * group.skewMillis();
        // Paused replicas go on at the latest after 2 rho; then entries of the active part run out.
        long settled = ACTIVE_MILLIS + group.timers().settleMillis();
        long strictFrom = settled + 2 * group.retentionMillis() + forgotten + 2_000;
        group.becomeCalm(strictFrom);
        trace(world, "calm");
        long quietFrom = strictFrom + 3_000;
        world.runUntilMillis(quietFrom);
        group.becomeQuiet();
        trace(world, "quiet");
        long end = quietFrom + 1_500 + forgotten + 2_500;
        world.runUntilMillis(end);
        for (int i = 1; group.timers().isOn() && !group.isEven() && i <= MOST_ODD_STEPS; i++) {
            world.runUntilMillis(end + i * ODD_STEP_MILLIS);
        }
        group.checkEnd();
    }

    private static void trace(SimWorld world, String line) {
        world.trace(() -> line);
    }
}
