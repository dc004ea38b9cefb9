package org.amo.benchmarks.exon;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.benchmarks.figures.Figures;

/** The paper's figures 2 to 6 from the measurements. One thread owns it. */
final class ExonPlots {
    private static final String MESSAGES = "messages a second";
    private static final String CALLS = "calls a second";
    private static final String ACTORS = "actors";

    private final List<String> stacks;
    private final Lines figure2 = new Lines();
    private final Lines figure3 = new Lines();
    private final Lines figure4 = new Lines();
    private final Lines figure5a = new Lines();
    private final Lines figure5b = new Lines();
    private final Lines figure6a = new Lines();
    private final Lines figure6b = new Lines();
    private final Lines jitter = new Lines();
    private final Lines reordering = new Lines();

    /** Points of several lines, in the order of x. */
    private static final class Lines {
        private final Map<String, TreeMap<Double, Double>> lines = new LinkedHashMap<>();

        void add(String line, double x, double y) {
            lines.computeIfAbsent(line, name -> new TreeMap<>()).put(x, y);
        }

        /** Lines over the same x, beside those that were measured. */
        void addAll(Map<String, List<Double>> more, List<Double> x) {
            if (!lines.isEmpty()) {
                more.forEach((line, ys) -> {
                    for (int i = 0; i < x.size(); i++) {
                        add(line, x.get(i), ys.get(i));
                    }
                });
            }
        }

        void addTo(Figures figures, String name, String title, String x, String y) {
            if (lines.isEmpty()) {
                return;
            }
            Map<String, Figures.Series> series = new LinkedHashMap<>();
            lines.forEach((line, points) -> series.put(
                    line, new Figures.Series(new ArrayList<>(points.keySet()), new ArrayList<>(points.values()))));
            figures.plots().add(new Figures.Plot(name, title, x, y, series));
        }
    }

    ExonPlots(List<String> stacks) {
        this.stacks = stacks;
    }

    void oneWayByLoss(Turns turns) {
        add(figure2, "", turns.point().lossPercent(), turns);
    }

    void oneWayByRate(Turns turns) {
        if (turns.point().lossPercent() == 0) {
            add(figure5a, "", turns.point().megabits(), turns);
            if (turns.point().megabits() == 10) {
                oneWayByRtt(turns);
            }
        }
    }

    void oneWayByRtt(Turns turns) {
        add(figure5b, "", turns.point().rttMillis(), turns);
    }

    void oneWayByJitter(Turns turns) {
        add(jitter, "", turns.point().jitterMillis(), turns);
    }

    void oneWayByReordering(Turns turns) {
        add(reordering, "", turns.point().reorderedPercent(), turns);
    }

    void calls(Turns turns) {
        Point point = turns.point();
        if (point.megabits() == 100) {
            String loss = ", " + point.lossPercent() + " % loss";
            for (String stack : stacks) {
                figure3.add(stack + loss, point.actors(), turns.p50Millis(stack).median());
            }
            add(figure4, loss, point.actors(), turns);
        }
        if (point.lossPercent() == 0 && point.rttMillis() == 10) {
            add(figure6a, ", " + (long) point.megabits() + " Mbit/s", point.actors(), turns);
        }
        if (point.lossPercent() == 0 && point.megabits() == 10) {
            add(figure6b, ", " + point.rttMillis() + " ms", point.actors(), turns);
        }
    }

    private void add(Lines lines, String suffix, double x, Turns turns) {
        for (String stack : stacks) {
            lines.add(stack + suffix, x, turns.perSecond(stack).median());
        }
    }

    /** From the text of section V; "about half" and "less than a tenth" of 11,000 at 1 and 5 % loss. */
    private void addPaper() {
        figure2.addAll(
                Map.of(
                        "exon, paper",
                        List.of(11_000.0, 5_500.0, 5_500.0),
                        "tcp, paper (at most)",
                        List.of(11_000.0, 1_100.0, 1_100.0)),
                List.of(0.0, 1.0, 5.0));
        figure4.addAll(
                Map.of(
                        "exon, 5 % loss, paper",
                        List.of(6_400.0, 6_400.0), "tcp, 5 % loss, paper", List.of(500.0, 500.0)),
                List.of(100.0, 200.0));
    }

    void addTo(Figures figures) {
        addPaper();
        figure2.addTo(figures, "exon-2", "One way, 100 Mbit/s, 10 ms (figure 2)", "loss, %", MESSAGES);
        figure3.addTo(figures, "exon-3", "Calls, 100 Mbit/s, 10 ms (figure 3)", ACTORS, "median, ms");
        figure4.addTo(figures, "exon-4", "Calls, 100 Mbit/s, 10 ms (figure 4)", ACTORS, CALLS);
        figure5a.addTo(figures, "exon-5a", "One way, 10 ms (figure 5a)", "Mbit/s", MESSAGES);
        figure5b.addTo(figures, "exon-5b", "One way, 10 Mbit/s (figure 5b)", "round trip, ms", MESSAGES);
        figure6a.addTo(figures, "exon-6a", "Calls, 10 ms (figure 6a)", ACTORS, CALLS);
        figure6b.addTo(figures, "exon-6b", "Calls, 10 Mbit/s (figure 6b)", ACTORS, CALLS);
        jitter.addTo(
                figures, "exon-jitter", "One way, 100 Mbit/s, 10 ms, no loss", "most jitter each way, ms", MESSAGES);
        reordering.addTo(
                figures, "exon-reordering", "One way, 100 Mbit/s, 10 ms, no loss", "held up to 10 ms, %", MESSAGES);
    }
}
