package org.amo.benchmarks.dpg;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/**
 * {@code amo bench dpg}: Konorski's figure 3 on a single-access medium in real time, then DPG over UDP for 1 to 17 sites, and beside
 * JGroups' SEQUENCER while members go and come once a second.
 */
public final class DpgBench implements Bench {
    private static final int BYTES = 1_000;
    private static final int GROUP = 7;
    private static final int TOGGLING = 3;

    /** Messages that each site offers while members toggle: as many in the whole group as the paper's group delivers. */
    private static final double OFFERED = 110;

    private static final double LEAST_SHARE = 0.95;
    private static final double MOST_PAUSE_MILLIS = 100;
    private static final double MOST_REPORT_PERCENT = 20;
    private static final double LEAST_OF_LINK = 0.6;

    /** Messages a second that the paper's group delivers. */
    private static final double PAPER_RATE = 740;

    private static final int LARGEST = 100;
    private static final int LARGE = 50;

    @Override
    public String name() {
        return "dpg";
    }

    @Override
    public String description() {
        return "Totally ordered multicast that does not notice who comes and goes: throughput by sites, with members toggling"
                + " against JGroups' SEQUENCER, and figure 3 of the paper.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        return Bench.failingAs("a measurement failed", () -> new Measurement(run.quick(), run.progress()).measure());
    }

    /** One run. */
    private static final class Measurement {
        private final boolean quick;
        private final Consumer<String> progress;
        private final Figures figures = new Figures("dpg");
        private final OrderAudit overUdp = new OrderAudit();

        private Measurement(boolean quick, Consumer<String> progress) {
            this.quick = quick;
            this.progress = progress;
        }

        private Figures measure() throws Exception {
            figures.settings().put("messageBytes", BYTES);
            figures.settings().put("sites", "threads of this process, each with its own sockets or reception buffers");
            figure3();
            toggling();
            processPauses();
            bySites();
            largeGroups();
            figures.ratios().put("violationsPerMillion", overUdp.perMillion());
            figures.row(
                    "order over UDP, every run",
                    Map.of(),
                    Map.of("violationsPerMillion", overUdp.perMillion(), "audit", overUdp.toString()));
            figures.remarks()
                    .add(
                            "Konorski's figures: 7 sites on 10 Mbit/s with suspended delivery, over 740 messages of 1,000 bytes a second;"
                                    + " a third of that or less without it, or without the detector; order violations one message in"
                                    + " many thousands; reports within 20 % of the traffic.");
            figures.remarks()
                    .add("While members toggle, each present site offers " + (int) OFFERED
                            + " messages a second; the last "
                            + TOGGLING + " of " + GROUP + " sites are there every other second, leaving without a word"
                            + " (dpg) or with a leave (sequencer, whose coordinator is not one of them: its best case)."
                            + " A share of 1 is what is offered while a site's thread runs, the time that it takes to join"
                            + " included.");
            return figures;
        }

        private void figure3() throws InterruptedException {
            Figure3 measurement = new Figure3(GROUP, BYTES);
            double linkPayload = Figure3.MEGABITS * 1e6 / 8 / BYTES;
            Map<Figure3.Mode, List<Double>> rates = new LinkedHashMap<>();
            Map<Figure3.Mode, Figure3.Result> last = new LinkedHashMap<>();
            List<Figure3.Mode> modes = List.of(Figure3.Mode.values());
            List<Double> agreed = new ArrayList<>();
            double share = 0;
            for (int round = 0; round < (quick ? 2 : 6); round++) {
                for (int i = 0; i < modes.size(); i++) {
                    Figure3.Mode mode = modes.get(round % 2 == 0 ? i : modes.size() - 1 - i);
                    progress.accept("figure 3: " + mode.title);
                    Figure3.Result result = measurement.run(mode, quick ? 1_500 : 3_000, quick ? 2_500 : 10_000);
                    rates.computeIfAbsent(mode, each -> new ArrayList<>()).add(result.perSecond());
                    last.put(mode, result);
                    if (mode == Figure3.Mode.SUSPENDED) {
                        share = Math.max(share, result.reportSharePercent());
                        agreed.add(result.agreedPerSecond());
                    }
                }
            }
            Map<String, Double> heights = new LinkedHashMap<>();
            Map<String, Object> throughput = new LinkedHashMap<>();
            for (Figure3.Mode mode : modes) {
                Spread spread = Spread.of(rates.getOrDefault(mode, List.of()));
                Figure3.Result result = Objects.requireNonNull(last.get(mode));
                Map<String, Object> metrics = new LinkedHashMap<>();
                metrics.put("messagesPerSecond", spread);
                metrics.put("mostVertices", result.mostVertices());
                metrics.put("framesOverwritten", result.overwritten());
                metrics.put("returns", result.returns());
                metrics.put("reportSharePercent", result.reportSharePercent());
                metrics.put("violationsPerMillion", result.violationsPerMillion());
                figures.row("10 Mbit/s medium, " + mode.title, Map.of("sites", GROUP), metrics);
                heights.put(mode.title, spread.median());
                throughput.put(mode.name().toLowerCase(Locale.ROOT), spread.median());
            }
            double suspended = heights.getOrDefault(Figure3.Mode.SUSPENDED.title, Double.NaN);
            Map<String, Object> ratios = new LinkedHashMap<>(throughput);
            ratios.put("suspendedOverLinkPayload", suspended / linkPayload);
            ratios.put("missedOverSuspended", heights.getOrDefault(Figure3.Mode.MISSED.title, Double.NaN) / suspended);
            figures.ratios()
                    .put("suspendedOverPlain", suspended / heights.getOrDefault(Figure3.Mode.MISSED.title, Double.NaN));
            ratios.put(
                    "noDetectorOverSuspended",
                    heights.getOrDefault(Figure3.Mode.NO_DETECTOR.title, Double.NaN) / suspended);
            figures.ratios().put("figure3", ratios);
            figures.columns()
                    .add(new Figures.Columns("dpg-3", "7 sites, 10 Mbit/s (figure 3)", "messages a second", heights));
            figures.atLeast(
                    "share of a 10 Mbit/s link's payload in agreed order, " + GROUP + " sites, suspended delivery",
                    Spread.of(agreed).median() / linkPayload,
                    LEAST_OF_LINK);
            figures.atMost(
                    "reports on the medium, suspended delivery, most in a run, % of the bytes",
                    share, MOST_REPORT_PERCENT);
        }

        /** The case that the paper left open: "running the protocol in a larger group (50 or more sites)". */
        private void largeGroups() {
            Map<String, Object> ratios = new LinkedHashMap<>();
            computed(GROUP, 0);
            for (int sites : List.of(GROUP, LARGE, LARGEST)) {
                ComputedMedium.Result result = computed(sites, PAPER_RATE);
                ratios.put(Integer.toString(sites), result.perSecond() / PAPER_RATE);
                if (sites != GROUP) {
                    figures.atLeast(
                            sites + " sites at the paper's rate: computed time over real time, one core",
                            result.computedOverReal(),
                            1);
                    figures.atLeast(
                            sites + " sites at the paper's rate: delivered in agreed order / offered",
                            result.violationsPerMillion() == 0 ? result.perSecond() / PAPER_RATE : Double.NaN,
                            LEAST_SHARE);
                }
            }
            figures.ratios().put("computedOverOfferedBySites", ratios);
        }

        /** @param offered messages a second; 0 for as many as flow control takes */
        private ComputedMedium.Result computed(int sites, double offered) {
            progress.accept(sites + " sites in computed time");
            ComputedMedium.Result result =
                    ComputedMedium.run(Figure3.MEGABITS, sites, offered, BYTES, quick ? 3 : 20, 5);
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put("messagesPerSecond", result.perSecond());
            metrics.put("computedOverReal", result.computedOverReal());
            metrics.put("reportSharePercent", result.reportSharePercent());
            metrics.put("violationsPerMillion", result.violationsPerMillion());
            metrics.put("mostVertices", result.mostVertices());
            figures.row(
                    "10 Mbit/s medium in computed time, suspended delivery",
                    Map.of("sites", sites, "offeredPerSecond", offered == 0 ? "as much as it takes" : (int) offered),
                    metrics);
            return result;
        }

        private void toggling() throws Exception {
            Map<String, List<Double>> shares = new LinkedHashMap<>();
            Map<String, List<Double>> pauses = new LinkedHashMap<>();
            Map<String, List<Double>> calmPauses = new LinkedHashMap<>();
            Map<String, List<Double>> throughputs = new LinkedHashMap<>();
            List<Double> reports = new ArrayList<>();
            List<String> incidents = new ArrayList<>();
            List<String> sides = List.of("dpg", "sequencer");
            for (int round = 0; round < (quick ? 2 : 6); round++) {
                for (int i = 0; i < sides.size(); i++) {
                    String side = sides.get(round % 2 == 0 ? i : sides.size() - 1 - i);
                    progress.accept("members toggling: " + side);
                    Multicast multicast = side.equals("dpg") ? new DpgMulticast(GROUP) : new SequencerMulticast();
                    GroupRun group = new GroupRun(multicast, GROUP, OFFERED, BYTES);
                    GroupRun.Window calm;
                    GroupRun.Window toggled;
                    try (group) {
                        group.start();
                        group.window(quick ? 1_000 : 5_000, 0);
                        calm = group.window(quick ? 3_000 : 10_000, 0);
                        toggled = group.window(quick ? 8_000 : 40_000, TOGGLING);
                    }
                    double share = toggled.perSecond() / (calm.perSecond() / GROUP * toggled.presence());
                    add(shares, side, share);
                    add(throughputs, side, toggled.perSecond());
                    add(pauses, side, toggled.longestPauseMillis());
                    add(calmPauses, side, calm.longestPauseMillis());
                    if (multicast instanceof DpgMulticast dpg) {
                        reports.add(dpg.reportSharePercent());
                        incidents.add(dpg.incidents());
                        group.audit(overUdp);
                    }
                }
            }
            Map<String, Object> longest = new LinkedHashMap<>();
            for (String side : sides) {
                Map<String, Object> metrics = new LinkedHashMap<>();
                metrics.put("messagesPerSecond", spread(throughputs, side));
                metrics.put("overProportional", spread(shares, side));
                metrics.put("longestPauseMillis", spread(pauses, side));
                metrics.put("longestPauseWithoutTogglingMillis", spread(calmPauses, side));
                if (side.equals("dpg")) {
                    metrics.put("reportSharePercent", Spread.of(reports));
                    metrics.put("incidents", String.join("; ", incidents));
                }
                figures.row(side + ", members toggling", Map.of("sites", GROUP, "toggling", TOGGLING), metrics);
                longest.put(side, spread(pauses, side).most());
            }
            double dpg = spread(shares, "dpg").median();
            figures.ratios().put("togglingOverProportional", dpg);
            figures.ratios()
                    .put(
                            "sequencerTogglingOverProportional",
                            spread(shares, "sequencer").median());
            figures.ratios().put("longestPauseMillis", longest);
            figures.ratios().put("reportSharePercent", Spread.of(reports).median());
            figures.atLeast("throughput with members toggling / proportional share", dpg, LEAST_SHARE);
            figures.atMost(
                    "longest pause at the others while members toggle, ms (sequencer: "
                            + Math.round(spread(pauses, "sequencer").most()) + ")",
                    spread(pauses, "dpg").most(),
                    MOST_PAUSE_MILLIS);
            figures.atMost(
                    "reports over UDP, " + GROUP + " sites, % of the bytes",
                    Spread.of(reports).median(),
                    MOST_REPORT_PERCENT);
        }

        private void processPauses() throws Exception {
            Map<String, List<Double>> pauses = new LinkedHashMap<>();
            ProcessPauses measurement = new ProcessPauses(OFFERED, BYTES, quick ? 1_500 : 5_000);
            for (int round = 0; round < (quick ? 1 : 3); round++) {
                progress.accept("pauses while a process is killed and stopped");
                measurement.run(overUdp).forEach((event, millis) -> add(pauses, event, millis));
            }
            Map<String, Object> metrics = new LinkedHashMap<>();
            Map<String, Object> longest = new LinkedHashMap<>();
            for (String event : pauses.keySet()) {
                metrics.put("longestPauseMillis, " + event, spread(pauses, event));
                longest.put(event, spread(pauses, event).most());
                figures.atMost(
                        "longest pause at three sites, ms, a process that is a fourth one: " + event,
                        spread(pauses, event).most(),
                        MOST_PAUSE_MILLIS);
            }
            figures.row("dpg, a process killed, stopped and back", Map.of("sites", 4), metrics);
            figures.ratios().put("processPauseMillis", longest);
        }

        private static Spread spread(Map<String, List<Double>> lists, String key) {
            return Spread.of(lists.getOrDefault(key, List.of()));
        }

        private static void add(Map<String, List<Double>> lists, String key, double value) {
            lists.computeIfAbsent(key, each -> new ArrayList<>()).add(value);
        }

        private void bySites() throws Exception {
            Map<String, Object> bySites = new LinkedHashMap<>();
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            List<Integer> counts = quick ? List.of(1, 2, 3, 5, 7, 12, 17) : new ArrayList<>();
            for (int sites = 1; !quick && sites <= 17; sites++) {
                counts.add(sites);
            }
            for (int sites : counts) {
                progress.accept("throughput of " + sites + " sites");
                DpgMulticast multicast = new DpgMulticast(sites);
                GroupRun group = new GroupRun(multicast, sites, 0, BYTES);
                GroupRun.Window window;
                try (group) {
                    group.start();
                    group.window(quick ? 1_000 : 5_000, 0);
                    window = group.window(quick ? 2_000 : 10_000, 0);
                } catch (IOException e) {
                    // A machine that is too busy for so many sites: the others are worth their rows.
                    figures.violations().add("not measured: " + e.getMessage());
                    bySites.put(Integer.toString(sites), Double.NaN);
                    continue;
                }
                group.audit(overUdp);
                Map<String, Object> metrics = new LinkedHashMap<>();
                metrics.put("messagesPerSecond", window.perSecond());
                metrics.put("longestPauseMillis", window.longestPauseMillis());
                metrics.put("reportSharePercent", multicast.reportSharePercent());
                metrics.put("incidents", multicast.incidents());
                figures.row("dpg over UDP, as much as it takes", Map.of("sites", sites), metrics);
                bySites.put(Integer.toString(sites), window.perSecond());
                x.add((double) sites);
                y.add(window.perSecond());
            }
            figures.ratios().put("throughputBySites", bySites);
            figures.plots()
                    .add(new Figures.Plot(
                            "dpg-sites",
                            "Throughput over UDP by sites, all on one machine",
                            "sites",
                            "messages a second",
                            Map.of("dpg", new Figures.Series(x, y))));
        }
    }
}
