package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.ProcessTime.Spent;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAuthority;
import org.amo.replication.service.AmoClient;

/** Processor time of the renewals of 10^6 clients with leases of 1,000 s: the state machine alone, and a real group. */
final class RenewalCost {
    static final int LEASES = 1_000_000;
    private static final int FILLS = 20;

    /** A client renews at half of its term. */
    private static final double PER_SECOND = 2.0 * LEASES / (LeaseNode.TERM_MILLIS / 1_000.0);

    private static final double WARM_UP_PER_SECOND = 5 * PER_SECOND;
    private static final long WARM_UP_MILLIS = 2_000;
    /** The cost of the group without renewals. */
    private static final double IDLE_PER_SECOND = 0.001;

    private static final int ENTRIES = 4_000;
    private static final int RENEWALS_AN_ENTRY = 100;

    private static final int CONNECTIONS = 1_000;

    /** Of the renewals that were to be sent: with fewer of them the leader's cost is that of another load. */
    private static final double LEAST_SENT = 0.9;

    private RenewalCost() {}

    static void measure(Run run, Figures figures) throws IOException, InterruptedException {
        run.progress().accept("renewals, the state machine alone");
        double alone = alone(run.quick() ? 3 : 10);
        Map<String, Object> settings = Map.of(
                "clients", LEASES, "termSeconds", LeaseNode.TERM_MILLIS / 1_000, "renewalsPerSecond", PER_SECOND);
        figures.row("renewals, state machine alone", settings, Map.of("percentOfACore", alone));
        figures.ratios().put("renewalsStateMachinePercentOfACore", alone);
        figures.atMost("renewals of 10^6 clients, state machine alone, per cent of a core", alone, 1);
        group(run, figures);
        figures.remarks()
                .add(
                        "Renewals: clients renew at half of their term, so 10^6 clients with 1,000 s make 2,000 a second; they"
                                + " share " + CONNECTIONS
                                + " connections to the leader and come at random moments. The rows for"
                                + " 1,000 a second are those of clients that renew at the very end, as the paper counts.");
    }

    /** As entries bring them: a hundred at a time. */
    private static double alone(int rounds) {
        LeaseAuthority authority = new LeaseAuthority(LeaseNode.TERM_MILLIS, LEASES);
        for (int i = 0; i < LEASES; i++) {
            authority.open(ClusterTime.ZERO, 0);
        }
        Random random = new Random(2);
        List<long[]> batches = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            long[] clients =
                    random.longs(RENEWALS_AN_ENTRY, 1, LEASES + 1L).distinct().toArray();
            Arrays.sort(clients);
            batches.add(clients);
        }
        List<Double> nanos = new ArrayList<>();
        long time = 0;
        for (int round = -2; round < rounds; round++) {
            long start = System.nanoTime();
            for (long[] clients : batches) {
                time += 50;
                if (authority.renew(clients, new ClusterTime(time)).ended().length > 0
                        && time < LeaseNode.TERM_MILLIS) {
                    throw new IllegalStateException("a lease ended before its time");
                }
            }
            if (round >= 0) {
                nanos.add((System.nanoTime() - start) / (ENTRIES * (double) RENEWALS_AN_ENTRY));
            }
        }
        return PER_SECOND * Spread.of(nanos).median() / 1e9 * 100;
    }

    private static void group(Run run, Figures figures) throws IOException, InterruptedException {
        run.progress().accept("renewals, three members over sockets with the log on disk");
        try (LeaseGroup group = LeaseGroup.start(run);
                AmoClient client = AmoClient.builder(LeaseNode.GROUP)
                        .members(group.text())
                        .insecure()
                        .build()) {
            Member leader = group.leader();
            for (int i = 0; i < FILLS; i++) {
                client.call(LeaseNode.fill(LEASES / FILLS), Duration.ofSeconds(60));
            }
            try (RenewalLoad load = new RenewalLoad(leader, CONNECTIONS, LEASES)) {
                warmUp(run, group, load);
                double judged = row(run, figures, group, leader, load, PER_SECOND);
                row(run, figures, group, leader, load, PER_SECOND / 2);
                row(run, figures, group, leader, load, IDLE_PER_SECOND);
                figures.ratios().put("renewalsPercentOfCore", judged);
                figures.atMost(
                        "renewals of 10^6 clients, sockets and ordered log, leader, per cent of a core", judged, 5);
            }
            if (!group.leader().equals(leader)) {
                figures.violations().add("another member led in the middle of the renewals");
            }
        } catch (CompletionException e) {
            throw new IOException("the lease group does not answer: " + e.getMessage(), e);
        }
    }

    private static void warmUp(Run run, LeaseGroup group, RenewalLoad load) throws InterruptedException {
        long most = run.quick() ? 6_000 : 60_000;
        for (long spent = 0; spent < most; spent += WARM_UP_MILLIS) {
            Spent before = group.spent();
            load.run(WARM_UP_PER_SECOND, WARM_UP_MILLIS);
            if (group.spent().since(before).isWarm()) {
                return;
            }
        }
    }

    /** The leader's per cent of a core. */
    private static double row(
            Run run, Figures figures, LeaseGroup group, Member leader, RenewalLoad load, double perSecond)
            throws IOException, InterruptedException {
        run.progress().accept("renewals, " + Math.round(perSecond) + " a second");
        List<Double> leaders = new ArrayList<>();
        List<Double> all = new ArrayList<>();
        List<Double> compilers = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            Spent leaderBefore = group.spent(leader);
            Spent before = group.spent();
            RenewalLoad.Result result = load.run(perSecond, run.quick() ? 5_000 : 20_000);
            Spent leaderSpent = group.spent(leader).since(leaderBefore);
            leaders.add(100 * leaderSpent.seconds() / result.seconds());
            all.add(100 * group.spent().since(before).seconds() / result.seconds());
            compilers.add(100 * leaderSpent.compilerShare());
            double wanted = perSecond * result.seconds();
            if (perSecond > IDLE_PER_SECOND && result.sent() < LEAST_SENT * wanted) {
                figures.violations()
                        .add("only " + result.sent() + " of " + Math.round(wanted) + " renewals could be sent");
            }
            if (result.renewed() < result.sent()) {
                figures.violations()
                        .add((result.sent() - result.renewed()) + " of " + result.sent()
                                + " renewals were not confirmed");
            }
        }
        figures.row(
                "renewals, group",
                Map.of("clients", LEASES, "renewalsPerSecond", Math.round(perSecond), "connections", CONNECTIONS),
                Map.of(
                        "leaderPercentOfACore", Spread.of(leaders),
                        "allMembersPercentOfACore", Spread.of(all),
                        "compilerShareOfLeaderPercent", Spread.of(compilers)));
        return Spread.of(leaders).median();
    }
}
