package org.amo.examples.grid;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures sites that share a resource (Konorski, section 2): the cost of messages out of order, and of sites that come
 * and go.
 *
 * <p>Arguments: seconds of each run. Default: 5. First in computed time, with 0 to 5 % of the messages out of order; then over DPG and
 * over SEQUENCER on this machine, all sites present, and with three of seven there every other second.
 */
final class Grid {
    private static final GridSettings SETTINGS = GridSettings.DEFAULT;
    private static final GridSettings REAL = GridSettings.PATIENT;
    private static final int TOGGLING = 3;
    private static final int SEEDS = 3;

    private Grid() {}

    public static void main(String[] args) throws Exception {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 5;
        System.out.printf(
                "%d sites share %d units; an operation needs up to %d for %d ms; wait time-out %d ms%n",
                SETTINGS.sites(),
                SETTINGS.units(),
                SETTINGS.mostNeed(),
                SETTINGS.operationMicros() / 1_000,
                SETTINGS.waitMicros() / 1_000);
        for (int percent = 0; percent <= 5; percent++) {
            System.out.printf(
                    "%d %% out of order, computed time: %.1f %% fewer operations%s%n",
                    percent, lossPercent(percent / 100.0, 2 * seconds), percent == 5 ? " (the paper: about 10)" : "");
        }
        try (DpgNetwork dpg = DpgNetwork.inOneProcess(SETTINGS.sites())) {
            print("dpg, all present", run(dpg, 0, 0, seconds));
        }
        try (DpgNetwork dpg = DpgNetwork.inOneProcess(SETTINGS.sites())) {
            print("dpg, all present, 5 % out of order", run(dpg, 0.05, 0, seconds));
        }
        try (DpgNetwork dpg = DpgNetwork.inOneProcess(SETTINGS.sites())) {
            print("dpg, " + TOGGLING + " toggling", run(dpg, 0, TOGGLING, seconds));
        }
        print("sequencer, all present", run(new SequencerNetwork(SETTINGS.sites()), 0, 0, seconds));
        print(
                "sequencer, " + TOGGLING + " toggling",
                run(new SequencerNetwork(SETTINGS.sites()), 0, TOGGLING, seconds));
        System.exit(0);
    }

    /**
     * Operations lost by disorder, in percent of those without; median of some seeds.
     *
     * @param disorder share of messages out of order, 0 to 1
     */
    static double lossPercent(double disorder, long seconds) {
        List<Double> losses = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            double with = GridSimulation.run(SETTINGS, disorder, seconds, seed).done();
            double without = GridSimulation.run(SETTINGS, 0, seconds, seed).done();
            losses.add(100 * (1 - with / without));
        }
        losses.sort(Double::compare);
        return losses.get(SEEDS / 2);
    }

    private static void print(String what, Outcome outcome) {
        System.out.printf(
                "%s: %.0f operations a second, %.1f %% of the requests timed out, %.1f sites present%n",
                what, outcome.perSecond, outcome.timeoutPercent(), outcome.presence);
    }

    /**
     * Result of a run.
     *
     * @param perSecond operations of all sites
     * @param done operations
     * @param timeouts requests that waited in vain
     * @param presence sites present on average
     */
    record Outcome(double perSecond, long done, long timeouts, double presence) {
        double timeoutPercent() {
            return 100.0 * timeouts / Math.max(1, done + timeouts);
        }
    }

    /**
     * Runs the sites in threads of this process.
     *
     * @param toggling the last sites, each of which goes and comes once a second
     */
    static Outcome run(GridMember.NetworkOfSite networks, double disorder, int toggling, long seconds)
            throws Exception {
        List<GridMember> lives = new ArrayList<>();
        List<GridMember> present = new ArrayList<>();
        for (int i = 0; i < REAL.sites(); i++) {
            present.add(open(i, networks, disorder, lives));
        }
        await(lives);
        long start = System.nanoTime();
        long before = done(lives);
        long timeoutsBefore = timeouts(lives);
        double siteNanos = 0;
        long last = start;
        int steady = REAL.sites() - toggling;
        boolean[] gone = new boolean[REAL.sites()];
        for (int step = 1; step <= seconds * Math.max(1, toggling); step++) {
            long at = start + step * TimeUnit.SECONDS.toNanos(1) / Math.max(1, toggling);
            TimeUnit.NANOSECONDS.sleep(Math.max(0, at - System.nanoTime()));
            long now = System.nanoTime();
            int absent = 0;
            for (boolean each : gone) {
                absent += each ? 1 : 0;
            }
            siteNanos += (double) (now - last) * (REAL.sites() - absent);
            last = now;
            if (toggling > 0) {
                int site = steady + (step - 1) % toggling;
                if (gone[site]) {
                    present.set(site, open(site, networks, disorder, lives));
                } else {
                    present.get(site).close();
                }
                gone[site] = !gone[site];
            }
        }
        long done = done(lives) - before;
        long timeouts = timeouts(lives) - timeoutsBefore;
        double elapsed = last - start;
        for (int i = 0; i < REAL.sites(); i++) {
            if (!gone[i]) {
                present.get(i).close();
            }
        }
        return new Outcome(done * 1e9 / elapsed, done, timeouts, siteNanos / elapsed);
    }

    private static GridMember open(int site, GridMember.NetworkOfSite networks, double disorder, List<GridMember> lives)
            throws Exception {
        GridMember member = new GridMember(site, REAL, disorder, 100L * lives.size() + site, networks);
        lives.add(member);
        return member;
    }

    /** Until every site has done something. */
    private static void await(List<GridMember> lives) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (GridMember each : lives) {
            while (each.done() == 0) {
                if (System.nanoTime() - end > 0) {
                    throw new IllegalStateException("a site has done nothing after a minute");
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }

    private static long done(List<GridMember> lives) {
        return lives.stream().mapToLong(GridMember::done).sum();
    }

    private static long timeouts(List<GridMember> lives) {
        return lives.stream().mapToLong(GridMember::timeouts).sum();
    }
}
