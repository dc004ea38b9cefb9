package org.amo.benchmarks.exon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkUnavailableException;

/** {@code amo bench exon}: the experiments of Kassam, Almeida and Shoker, figures 2 to 6, over a link of the project's own. */
public final class ExonBench implements Bench {
    private static final int BYTES = 1_000;
    private static final long SEED = 11;
    private static final int IDLE_PEERS = 100_000;
    private static final int IDLE_PEERS_QUICK = 30_000;

    /** From the start of a quick run; plots that remain then are left out. */
    private static final long SWEEP_UNTIL_SECONDS = 150;

    private static final double PER_CORE = 150_000;
    private static final double LEAST_SHARE = 0.3;
    private static final double MOST_SHARE = 0.7;
    private static final double LEAST_SHARE_BESIDE_BBR = 0.25;
    private static final long LONGEST_START_MILLIS = 10_000;

    private static final String EXON = "exon";
    private static final String CUBIC = "tcp cubic";
    private static final String BBR = "tcp bbr";

    @Override
    public String name() {
        return "exon";
    }

    @Override
    public String description() {
        return "Exactly-once messages and calls over UDP against TCP with cubic and with BBR, over a link with a rate,"
                + " a delay and losses (which needs root).";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        return Bench.failingAs("a measurement failed", () -> new Measurement(run.quick(), run.progress()).measure());
    }

    /** The ratio's name for the share of Exon beside a flow of this stack. */
    static String shareName(String stack) {
        return stack.equals(BBR) ? "besideBbrShare" : "besideCubicShare";
    }

    /** One run. */
    private static final class Measurement {
        private final boolean quick;
        private final Consumer<String> progress;
        private final Figures figures = new Figures("exon");
        private final List<Stack> stacks = List.of(new ExonStack(), new TcpStack("cubic"), new TcpStack("bbr"));
        private final List<Stack> peers = new ArrayList<>();
        private final ExonPlots plots =
                new ExonPlots(stacks.stream().map(Stack::name).toList());
        private final int rounds;
        private final long startNanos = System.nanoTime();
        private boolean cut;

        /** Messages a second that the fastest stack carries over 100 Mbit/s without loss. */
        private double fullLink;

        private Measurement(boolean quick, Consumer<String> progress) {
            this.quick = quick;
            this.progress = progress;
            this.rounds = quick ? 3 : 5;
        }

        private Figures measure() throws Exception {
            figures.settings().put("messageBytes", BYTES);
            figures.settings().put("rounds", rounds);
            figures.settings().put("queue", "1.2 bandwidth-delay products, at least 30 kB; drop-tail");
            figures.settings()
                    .put("congestionControl", "exon: its own (0031); tcp: cubic and bbr of the kernel, per socket");
            loopback();
            findPeers();
            try {
                warmUp();
                compare();
                jitter();
                coldStart();
                fairness();
                sweep();
            } catch (LinkUnavailableException e) {
                figures.remarks().add("what needs a link is left out: " + e.getMessage());
            }
            idlePeers();
            plots.addTo(figures);
            figures.remarks()
                    .add("Every turn is a new TCP connection or a new pair of Exon endpoints, after a time to find the"
                            + " rate. Loss is before the queue, so what is lost takes none of the rate. All sides run"
                            + " in this process.");
            figures.remarks()
                    .add("UDT is no row: its library has had no release since 4.11 of February 2013, which is also"
                            + " Debian's; its Java binding (barchart-udt) is not maintained, and Netty has deprecated"
                            + " its transport for that reason since 2017. Its congestion control, DAIMD, was made"
                            + " for bulk data over links of gigabits.");
            figures.remarks()
                    .add("Kassam, Almeida and Shoker, 100 Mbit/s and 10 ms, from their text: one way at 0 % more than"
                            + " 11,000 messages a second, Exon and TCP alike (figure 2); at 1 and 5 % about half of"
                            + " that for Exon, and less than a tenth for TCP; 5 % loss, many actors: about 6,400"
                            + " calls a second for Exon and 500 for TCP (figure 4). They do not name TCP's congestion"
                            + " control.");
            return figures;
        }

        /** First: it warms Exon's code up, and the link's turns warm the code of all stacks. */
        private void loopback() throws Exception {
            progress.accept("loopback");
            Loopback loopback = new Loopback();
            loopback.run(quick ? 4 : 15, 3, quick ? 1 : 3);
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put("messagesPerSecond", loopback.perSecond());
            metrics.put("messagesPerCpuSecondOfBothEnds", loopback.perCpuSecond());
            metrics.put("compilerPercent", loopback.compilerPercent());
            figures.row(EXON, Map.of("where", "loopback", "messageBytes", Loopback.BYTES), metrics);
            figures.ratios().put("loopbackPerCpuSecond", loopback.perCpuSecond().median());
            figures.atLeast(
                    "messages of 100 B a CPU second on loopback, both ends together",
                    loopback.perCpuSecond().median(),
                    PER_CORE);
        }

        /** Those with jars and native code on this machine. */
        private void findPeers() {
            addPeer("Netty QUIC", QuicStack::new);
            addPeer("Aeron", AeronStack::new);
        }

        private void addPeer(String name, Supplier<Stack> stack) {
            String missing;
            try {
                Stack peer = stack.get();
                missing = peer.missing().orElse("");
                if (missing.isEmpty()) {
                    peers.add(peer);
                    return;
                }
            } catch (LinkageError e) {
                missing = e.toString();
            }
            figures.remarks().add(name + " is left out: " + missing);
        }

        /** The loopback has warmed Exon's code alone; these turns are counted nowhere. */
        private void warmUp() throws Exception {
            for (Point point : List.of(Point.oneWay(100, 10, 0), new Point(100, 10, 0, 200))) {
                progress.accept("warm-up, " + point);
                try (LinkEmulator link = LinkEmulator.open(point.link(SEED))) {
                    new Turns(point, BYTES).run(link, stacks, 1, rampMillis(point), turnMillis());
                }
            }
        }

        private long rampMillis(Point point) {
            return (quick ? 400 : 1_400) + 10L * point.rttMillis();
        }

        private long turnMillis() {
            return quick ? 800 : 3_000;
        }

        private void compare() throws Exception {
            Map<String, Object> oneWay = new LinkedHashMap<>();
            Map<String, Object> calls = new LinkedHashMap<>();
            for (int loss : List.of(0, 1, 5)) {
                Turns messages = turns(Point.oneWay(100, 10, loss), rounds, peers);
                oneWay.put("loss" + loss, ratios(messages));
                if (loss == 0) {
                    fullLink = stacks.stream()
                            .mapToDouble(
                                    stack -> messages.perSecond(stack.name()).median())
                            .max()
                            .orElseThrow();
                }
                plots.oneWayByLoss(messages);
                plots.oneWayByRate(messages);
                Turns rpc = turns(new Point(100, 10, loss, 200), rounds, peers);
                calls.put("loss" + loss, ratios(rpc));
                plots.calls(rpc);
                bars(loss, messages, rpc);
            }
            figures.ratios().put("oneWay", oneWay);
            figures.ratios().put("rpc200", calls);
        }

        private void bars(int loss, Turns messages, Turns rpc) {
            if (loss == 0) {
                bar("one way", messages, CUBIC, 0.95);
                bar("200 actors", rpc, CUBIC, 0.95);
            } else if (loss == 5) {
                bar("one way", messages, CUBIC, 13);
                bar("one way", messages, BBR, 0.9);
                bar("200 actors", rpc, CUBIC, 12);
                bar("200 actors", rpc, BBR, 1);
            }
        }

        private void bar(String what, Turns turns, String over, double bound) {
            figures.atLeast(
                    "Exon / " + over + ", " + what + ", " + turns.point().lossPercent() + " % loss",
                    turns.ratio(EXON, over).median(),
                    bound);
        }

        private static Map<String, Object> ratios(Turns turns) {
            Map<String, Object> ratios = new LinkedHashMap<>();
            ratios.put("overCubic", turns.ratio(EXON, CUBIC).median());
            ratios.put("overBbr", turns.ratio(EXON, BBR).median());
            return ratios;
        }

        private void jitter() throws Exception {
            Turns clean = turns(Point.oneWay(100, 10, 0).jitter(5), rounds, List.of());
            double overBest = Math.min(
                    clean.ratio(EXON, CUBIC).median(), clean.ratio(EXON, BBR).median());
            figures.ratio("jitter5", "overBestTcp", overBest);
            figures.atLeast("Exon / the better of tcp cubic and bbr, one way, jitter 5 ms, 0 % loss", overBest, 1);
            plots.oneWayByJitter(clean);
            Turns lossy = turns(Point.oneWay(100, 10, 1).jitter(5), rounds, List.of());
            figures.ratio("jitter5loss1", "overCubic", lossy.ratio(EXON, CUBIC).median());
            figures.atLeast(
                    "Exon / " + CUBIC + ", one way, jitter 5 ms, 1 % loss",
                    lossy.ratio(EXON, CUBIC).median(),
                    3);
        }

        /** The link of the comparison without loss, empty at each start. */
        private void coldStart() throws Exception {
            Point point = Point.oneWay(100, 10, 0);
            ColdStart starts = new ColdStart(fullLink, quick ? 3_000 : LONGEST_START_MILLIS);
            for (int round = 0; round < rounds; round++) {
                for (Stack stack : stacks) {
                    progress.accept("cold start of " + stack.name());
                    try (LinkEmulator link = LinkEmulator.open(point.link(SEED + round))) {
                        String failure = starts.run(stack.name(), () -> stack.flow(link, BYTES, 0));
                        if (!failure.isEmpty()) {
                            figures.violations().add(stack.name() + ", cold start: " + failure);
                        }
                    }
                }
            }
            for (Stack stack : stacks) {
                figures.row(
                        stack.name() + ", cold start",
                        point.settings(),
                        Map.of("secondsTo90Percent", starts.seconds(stack.name())));
            }
            double seconds = starts.seconds(EXON).median();
            figures.ratios().put("coldStartSecondsTo90Percent", seconds);
            figures.atMost("seconds until a new flow of Exon fills 90 % of the link", seconds, 1);
            figures.remarks()
                    .add("A cold start counts from before the endpoints or the connection are made to the first"
                            + " fifth of a second with 90 % of the messages that the fastest stack carries over"
                            + " the same link. "
                            + (quick ? 3 : LONGEST_START_MILLIS / 1_000)
                            + " s stand for a start that took longer.");
        }

        /** Rows without a bar: jitter, reordering and rates beyond those of the paper. */
        private void sweepDisorder() throws Exception {
            int few = quick ? 1 : 2;
            Point clean = Point.oneWay(100, 10, 0);
            for (int millis : quick ? List.of(20) : List.of(0, 1, 20)) {
                plot(clean.jitter(millis), few, plots::oneWayByJitter);
            }
            for (int percent : quick ? List.of(10) : List.of(0, 1, 2, 5, 10)) {
                plot(clean.reordered(percent), few, plots::oneWayByReordering);
            }
            for (double megabits : quick ? List.of(1_000.0) : List.of(300.0, 1_000.0)) {
                plot(Point.oneWay(megabits, 10, 0), few, turns -> {});
            }
        }

        /** The points of figures 3 to 6 beyond the above; a round or two of each. */
        private void sweep() throws Exception {
            sweepDisorder();
            int few = quick ? 1 : 2;
            List<Integer> actors = quick ? List.of(1, 50) : List.of(1, 10, 50, 100);
            for (int loss : quick ? List.of(0, 5) : List.of(0, 1, 5)) {
                for (int each : actors) {
                    plot(new Point(100, 10, loss, each), few, plots::calls);
                }
            }
            for (double megabits : List.of(1.0, 10.0)) {
                plot(Point.oneWay(megabits, 10, 0), few, plots::oneWayByRate);
            }
            for (int rtt : List.of(6, 100)) {
                plot(Point.oneWay(10, rtt, 0), few, plots::oneWayByRtt);
            }
            for (int each : quick ? List.of(50) : List.of(1, 10, 50, 100, 200)) {
                for (double megabits : quick ? List.of(10.0) : List.of(1.0, 10.0)) {
                    plot(new Point(megabits, 10, 0, each), few, plots::calls);
                }
                for (int rtt : quick ? List.of(100) : List.of(6, 100)) {
                    plot(new Point(10, rtt, 0, each), few, plots::calls);
                }
            }
            if (cut) {
                figures.remarks().add("Plots lack points: the time of a quick run was up.");
            }
        }

        private void plot(Point point, int times, Consumer<Turns> onto) throws Exception {
            if (quick && System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(SWEEP_UNTIL_SECONDS)) {
                cut = true;
                return;
            }
            onto.accept(turns(point, times, List.of()));
        }

        /** @param others take their turns after the stacks that are compared, fewer of them */
        private Turns turns(Point point, int times, List<Stack> others) throws Exception {
            progress.accept(point.toString());
            Turns turns = new Turns(point, BYTES);
            try (LinkEmulator link = LinkEmulator.open(point.link(SEED))) {
                long ramp = rampMillis(point);
                long millis = turnMillis();
                turns.run(link, stacks, times, ramp, millis);
                for (Stack other : others) {
                    runPeer(turns, link, other, ramp, millis);
                }
            }
            for (Stack stack : stacks) {
                addRow(stack.name(), turns);
                figures.violations().addAll(turns.failures(stack.name()));
            }
            for (Stack other : others) {
                if (turns.has(other.name())) {
                    addRow(other.name(), turns);
                }
                figures.remarks().addAll(turns.failures(other.name()));
            }
            return turns;
        }

        /** A peer that does not run spoils nothing but its own row. */
        private void runPeer(Turns turns, LinkEmulator link, Stack peer, long rampMillis, long millis)
                throws InterruptedException {
            try {
                turns.run(link, List.of(peer), quick ? 1 : 3, rampMillis, millis);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                figures.remarks().add(peer.name() + ", " + turns.point() + ": " + e);
            }
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

        /** One flow of each at the same time, on a full link without loss. */
        private void fairness() throws Exception {
            Point point = Point.oneWay(100, 10, 0);
            for (Stack other : stacks.subList(1, stacks.size())) {
                progress.accept("beside " + other.name());
                LinkShares shares = new LinkShares(stacks.get(0), other, BYTES);
                for (int round = 0; round < (quick ? 1 : 4); round++) {
                    try (LinkEmulator link = LinkEmulator.open(point.link(SEED + round))) {
                        shares.run(link, round % 2 == 0, quick ? 2_500 : 5_000, quick ? 3_500 : 15_000);
                    }
                }
                shares.failures().forEach(figures.violations()::add);
                Spread share = shares.first();
                figures.row("exon beside " + other.name(), point.settings(), Map.of("shareOfExon", share));
                figures.ratios().put(shareName(other.name()), share.median());
                if (other.name().equals(CUBIC)) {
                    figures.atLeast("share of Exon beside one cubic flow", share.median(), LEAST_SHARE);
                    figures.atMost("share of Exon beside one cubic flow", share.median(), MOST_SHARE);
                } else {
                    figures.atLeast("share of Exon beside one BBR flow", share.median(), LEAST_SHARE_BESIDE_BBR);
                }
            }
        }

        private void idlePeers() {
            progress.accept("past peers in memory");
            int peers = quick ? IDLE_PEERS_QUICK : IDLE_PEERS;
            IdlePeers.Result result = new IdlePeers().measure(peers);
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put("bytesWhileRemembered", result.active());
            metrics.put("bytesAfterIdleTime", result.past());
            metrics.put("stillRemembered", result.remembered());
            figures.row("past peers", Map.of("peers", peers), metrics);
            figures.ratios().put("bytesPerIdlePeer", result.past());
            // 0, and the noise of a heap's size.
            figures.atMost("bytes of a past peer, " + peers + " of them", result.past(), 100_000.0 / peers);
        }
    }
}
