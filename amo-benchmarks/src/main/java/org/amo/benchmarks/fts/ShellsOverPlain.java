package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.examples.bank.BankServer;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.replication.FreePorts;

/**
 * What the two shells cost by themselves, against plain JacORB with pools of equal size: the Group Object Adaptor of a group
 * of one member with its log in memory, called by a plain client, and the client interceptor, in calls of a server that is not
 * replicated. All three sides run in short rounds in turn, forth and back; what is printed is the median over the rounds.
 *
 * <p>{@code ShellsOverPlain [threads=8] [rounds=12] [roundMillis=1000]}; exit 1 when a call failed.
 */
public final class ShellsOverPlain {
    private static final int WARM_UP_ROUNDS = 4;
    private static final int POOL = 8;

    private ShellsOverPlain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Set<String> known = Set.of("threads", "rounds", "roundMillis");
        Map<String, Integer> settings = new LinkedHashMap<>();
        for (String arg : args) {
            String[] pair = arg.split("=", 2);
            if (pair.length < 2 || !known.contains(pair[0])) {
                System.err.println("not one of " + known + " = a number: " + arg);
                System.exit(2);
            }
            settings.put(pair[0], Integer.parseInt(pair[1]));
        }
        System.exit(
                run(
                                        settings.getOrDefault("threads", 8),
                                        settings.getOrDefault("rounds", 12),
                                        settings.getOrDefault("roundMillis", 1_000))
                                == 0
                        ? 0
                        : 1);
    }

    private static long run(int threads, int rounds, int roundMillis) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("amo-bench");
        List<ServerProcess> servers = new ArrayList<>();
        try {
            List<Member> members = FreePorts.members(2);
            Map<String, String> unreplicated = pool("bank");
            unreplicated.put("OAPort", Integer.toString(members.get(1).clientPort()));
            ServerProcess plain =
                    ServerProcess.start(BankServer.class, folder, "plain", List.of("-Xmx512m"), unreplicated);
            servers.add(plain);
            List<Member> alone = members.subList(0, 1);
            Map<String, String> replica = Group.replica(folder, alone, alone.get(0), "memory");
            replica.putAll(pool("bank"));
            ServerProcess adaptor = ServerProcess.start(BankServer.class, folder, "a", List.of("-Xmx1g"), replica);
            servers.add(adaptor);
            String toPlain = plain.awaitReference();
            Map<String, String> client = new LinkedHashMap<>(JacorbClientDefaults.properties());
            // So it takes the plain server for a group: it numbers and acknowledges, and nobody listens.
            client.put("amo.members", Member.format(members.subList(1, 2)));
            List<CallLoad> sides = List.of(
                    CallLoad.deposits("p", Group.client(Map.of()), toPlain, threads),
                    CallLoad.deposits("g", Group.client(Map.of()), adaptor.awaitReference(), threads),
                    CallLoad.deposits("i", Group.client(client), toPlain, threads));
            return measure(sides, rounds, roundMillis);
        } finally {
            servers.forEach(ServerProcess::close);
        }
    }

    private static long measure(List<CallLoad> sides, int rounds, int roundMillis) throws InterruptedException {
        List<Double> adaptor = new ArrayList<>();
        List<Double> interceptor = new ArrayList<>();
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            double[] perSecond = new double[sides.size()];
            for (int i = 0; i < sides.size(); i++) {
                int side = round % 2 == 0 ? i : sides.size() - 1 - i;
                perSecond[side] = turn(sides.get(side), roundMillis);
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s plain %.0f/s, adaptor %.0f/s, interceptor %.0f/s%n",
                    round < 0 ? "warm-up" : "round  ",
                    perSecond[0],
                    perSecond[1],
                    perSecond[2]);
            if (round >= 0) {
                adaptor.add(perSecond[1] / perSecond[0]);
                interceptor.add(perSecond[2] / perSecond[0]);
            }
        }
        print("adaptorOverPlainThroughput", adaptor);
        print("interceptorOverPlainThroughput", interceptor);
        long failures = sides.stream().mapToLong(CallLoad::failures).sum();
        if (failures > 0) {
            System.out.println(failures + " calls failed: "
                    + sides.stream().map(CallLoad::lastFailure).toList());
        }
        return failures;
    }

    private static double turn(CallLoad load, int millis) throws InterruptedException {
        long before = load.calls();
        long start = System.nanoTime();
        load.resume();
        TimeUnit.MILLISECONDS.sleep(millis);
        double perSecond = (load.calls() - before) / ((System.nanoTime() - start) / 1e9);
        load.pause();
        // What is under way ends in the pause, and is not counted on any side.
        TimeUnit.MILLISECONDS.sleep(50);
        return perSecond;
    }

    private static void print(String name, List<Double> ratios) {
        double[] sorted =
                ratios.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "%s %.2f [%.2f..%.2f]%n",
                name,
                (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2,
                Collections.min(ratios),
                Collections.max(ratios));
    }

    private static Map<String, String> pool(String name) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("jacorb.implname", name);
        properties.put("jacorb.log.default.verbosity", "1");
        properties.put("jacorb.poa.thread_pool_min", Integer.toString(POOL));
        properties.put("jacorb.poa.thread_pool_max", Integer.toString(POOL));
        properties.put("OAIAddr", "127.0.0.1");
        return properties;
    }
}
