package org.amo.benchmarks.exon;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkUnavailableException;

/** {@code amo bench exon}: the experiments of paper 001, figures 2 to 6, over a link of the project's own. */
public final class ExonBench implements Bench {
    private static final int BYTES = 1_000;
    private static final long SEED = 11;
    private static final String EXON = "exon";
    private static final String CUBIC = "tcp cubic";
    private static final String BBR = "tcp bbr";

    @Override
    public String name() {
        return "exon";
    }

    @Override
    public String description() {
        return "Exactly-once messages and calls over UDP against TCP with cubic and with BBR, over a link with a rate, a"
                + " delay and losses (which needs root).";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        try {
            return new Measurement(run.quick(), run.progress()).measure();
        } catch (IOException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("a measurement failed: " + e, e);
        }
    }

    /** One run. */
    private static final class Measurement {
        private final boolean quick;
        private final Consumer<String> progress;
        private final Figures figures = new Figures("exon");
        private final List<Stack> stacks = List.of(new ExonStack(), new TcpStack("cubic"), new TcpStack("bbr"));

        private Measurement(boolean quick, Consumer<String> progress) {
            this.quick = quick;
            this.progress = progress;
        }

        private Figures measure() throws Exception {
            int rounds = 4;
            figures.settings().put("messageBytes", BYTES);
            figures.settings().put("rounds", rounds);
            try {
                compare(rounds);
            } catch (LinkUnavailableException e) {
                figures.remarks().add("all ratios are left out: " + e.getMessage());
            }
            return figures;
        }

        private void compare(int rounds) throws Exception {
            Map<String, Object> oneWay = new LinkedHashMap<>();
            Map<String, Object> calls = new LinkedHashMap<>();
            for (int loss : List.of(0, 1, 5)) {
                Turns turns = turns(Point.oneWay(100, 10, loss), rounds);
                oneWay.put("loss" + loss, ratios(turns));
                Turns rpc = turns(new Point(100, 10, loss, 200), rounds);
                calls.put("loss" + loss, ratios(rpc));
            }
            figures.ratios().put("oneWay", oneWay);
            figures.ratios().put("rpc200", calls);
        }

        private static Map<String, Object> ratios(Turns turns) {
            Map<String, Object> ratios = new LinkedHashMap<>();
            ratios.put("overCubic", turns.ratio(EXON, CUBIC).median());
            ratios.put("overBbr", turns.ratio(EXON, BBR).median());
            return ratios;
        }

        private Turns turns(Point point, int rounds) throws Exception {
            progress.accept(point.toString());
            Turns turns = new Turns(point, BYTES);
            try (LinkEmulator link = LinkEmulator.open(point.link(SEED))) {
                turns.run(link, stacks, rounds, quick ? 600 : 1_500, quick ? 900 : 3_000);
            }
            for (Stack stack : stacks) {
                addRow(stack.name(), turns);
            }
            turns.failures().forEach(figures.violations()::add);
            return turns;
        }

        private void addRow(String stack, Turns turns) {
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put(turns.point().actors() == 0 ? "messagesPerSecond" : "callsPerSecond", turns.perSecond(stack));
            if (turns.point().actors() > 0) {
                metrics.put("p50Millis", turns.p50Millis(stack));
                metrics.put("p99Millis", turns.p99Millis(stack));
            }
            if (stack.equals(EXON)) {
                metrics.put("overCubic", turns.ratio(EXON, CUBIC));
                metrics.put("overBbr", turns.ratio(EXON, BBR));
            }
            figures.row(stack, turns.point().settings(), metrics);
        }
    }
}
