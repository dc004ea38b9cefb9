package org.amo.dpg;

import java.util.function.Supplier;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;

/** The world of a {@code dpg} seed: its medium, its detector, the options of its sites. */
final class DpgScene {
    /** Times are those of groups in which each site reports within so long; larger groups take longer by as much. */
    private static final long ROUND_MICROS = 80_000;

    final int count;
    final DpgCarrier medium;
    final DpgSettings settings;
    /** Mean time between two messages of one site. */
    final long gapMicros;

    final int mostBytes;
    final boolean scarce;
    final long roundMicros;
    /** By how much larger groups take longer. */
    final long scale;
    /** Of each eighth seed the delays are bounded, more or less, and clocks drift. */
    final boolean bounded;

    DpgScene(SimWorld world, DpgProfile profile, RuleSet<DpgRule> rules, int wanted, long seed) {
        this.count = wanted > 0 ? wanted : (int) world.between(2, 8);
        this.bounded = !profile.alike() && seed % 8 == 0;
        boolean countsMessages = !profile.alike() && seed % 8 == 4;
        boolean lossy = profile.loss() > 0 && (world.chance(0.6) || profile.alike());
        double most = lossy ? profile.loss() : 0;
        double loss = lossy && !profile.alike() ? most * world.between(10, 100) / 100 : most;
        boolean sequenced = world.chance(0.3) && !bounded;
        DpgMedium wire = new DpgMedium(world, 10, loss);
        this.medium = bounded
                ? new DpgBoundedNetwork(world, profile.excess())
                : sequenced ? new DpgSequencedNetwork(world, loss, profile.cutMillis()) : wire;
        this.mostBytes = (int) world.between(20, 600);
        OwnMessages own = sequenced || bounded ? OwnMessages.LOOPED_BACK : ownMessages(world);
        boolean few = world.chance(0.25);
        this.scarce = profile.alike() ? profile.scarce() : few;
        long report = world.between(5_000, 10_000);
        this.roundMicros = Math.max(ROUND_MICROS / 2, count * report);
        this.scale = Math.max(1, (roundMicros + ROUND_MICROS - 1) / ROUND_MICROS);
        DpgOptions.Builder options = DpgOptions.builder()
                .maxBodyBytes(2_000)
                .buffers(scarce ? (int) world.between(1, 4) : 512, scarce ? (int) world.between(1, 4) : 64)
                .graph(1_024, 4_096, 256)
                .reportMicros(report)
                .deliveryMicros(3 * roundMicros, 15 * roundMicros)
                .retrievalMicros(roundMicros)
                .absence(5 * roundMicros, 4)
                .flowControl(500, 50_000, 200, 5_000)
                .ownMessages(own);
        int receptionBuffers = (int) world.between(2, 20);
        long fetchMicros = world.between(10, 200);
        long gap = world.between(1_200, 6_000);
        this.gapMicros = count * gap;
        if (countsMessages) {
            options.countMessages(Math.min(gap, report), report);
        }
        if (bounded) {
            options.synchroniseClockRates(200_000);
        }
        long shortest = wire.transmissionMicros(12 + 8);
        Supplier<ContiguityDetector> detectors = () -> lossy ? new TimingDetector(shortest) : new OverwriteDetector();
        String row = sequenced
                ? "tag sequencer; numbers"
                : bounded
                        ? "bounded delay; delays"
                        : lossy ? "1C medium with losses; timing" : "1C medium; buffer overwriting";
        this.settings = new DpgSettings(options.build(), rules, own, detectors, receptionBuffers, fetchMicros, row);
    }

    private static OwnMessages ownMessages(SimWorld world) {
        return switch (world.index(3)) {
            case 0 -> OwnMessages.LOOPED_BACK;
            case 1 -> OwnMessages.MISSED;
            default -> OwnMessages.SUSPENDED;
        };
    }
}
