package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.interceptors.client.JacorbClientDefaults;

/**
 * Throughput and processor time of a call to three replicas over those of a call to the same bank served by plain
 * JacORB with three pool threads, the best it has on two cores. Both sides run in short rounds, A B B A, called by
 * equal threads of one client process; what is printed is the median over the rounds.
 *
 * <p>{@code ReplicatedOverPlain [threads=64] [rounds=8] [roundMillis=2000] [log=memory]}; exit 1 when a call failed.
 */
public final class ReplicatedOverPlain {
    private static final int WARM_UP_ROUNDS = 4;

    private final int threads;
    private final int rounds;
    private final int roundMillis;
    private final String log;

    private ReplicatedOverPlain(Map<String, String> arguments) {
        threads = Integer.parseInt(arguments.getOrDefault("threads", "64"));
        rounds = Integer.parseInt(arguments.getOrDefault("rounds", "8"));
        roundMillis = Integer.parseInt(arguments.getOrDefault("roundMillis", "2000"));
        log = arguments.getOrDefault("log", "memory");
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Map<String, String> arguments = new LinkedHashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (equals < 1) {
                System.err.println("not NAME=VALUE: " + arg);
                System.exit(2);
            }
            arguments.put(arg.substring(0, equals), arg.substring(equals + 1));
        }
        Path folder = Files.createTempDirectory("amo-bench");
        long failures = new ReplicatedOverPlain(arguments).run(folder);
        System.exit(failures == 0 ? 0 : 1);
    }

    private long run(Path folder) throws IOException, InterruptedException {
        List<ServerProcess> servers = new ArrayList<>();
        try {
            ServerProcess plain = ServerProcess.start(folder, "plain", List.of("-Xmx512m"), plainProperties());
            servers.add(plain);
            List<Member> members = Group.members();
            for (Member member : members) {
                servers.add(ServerProcess.start(
                        folder, member.id(), List.of("-Xmx1g"), Group.replica(folder, members, member, log)));
            }
            Side plainSide = new Side(
                    "plain",
                    new CallLoad("p", Group.client(Map.of()), plain.awaitReference(), threads),
                    servers.subList(0, 1));
            String group = servers.get(1).awaitReference();
            Side replicated = new Side(
                    "replicated",
                    new CallLoad("r", Group.client(JacorbClientDefaults.properties()), group, threads),
                    servers.subList(1, 4));
            return measure(plainSide, replicated);
        } finally {
            servers.forEach(ServerProcess::close);
        }
    }

    private long measure(Side plain, Side replicated) throws InterruptedException {
        List<Double> throughput = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            boolean plainFirst = Math.floorMod(round, 2) == 0;
            Round first = (plainFirst ? plain : replicated).run(roundMillis);
            Round second = (plainFirst ? replicated : plain).run(roundMillis);
            Round base = plainFirst ? first : second;
            Round ours = plainFirst ? second : first;
            System.out.printf(
                    Locale.ROOT,
                    "%s plain %.0f/s %.1f us cpu, replicated %.0f/s %.1f us cpu, ratio %.2f, cpu %.2f%n",
                    round < 0 ? "warm-up" : "round  ",
                    base.callsPerSecond,
                    base.cpuMicros,
                    ours.callsPerSecond,
                    ours.cpuMicros,
                    ours.callsPerSecond / base.callsPerSecond,
                    ours.cpuMicros / base.cpuMicros);
            if (round >= 0) {
                throughput.add(ours.callsPerSecond / base.callsPerSecond);
                cpu.add(ours.cpuMicros / base.cpuMicros);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "replicatedOverPlainThroughput %.2f [%.2f..%.2f]%nreplicatedOverPlainCpuPerCall %.2f [%.2f..%.2f]%n",
                median(throughput),
                Collections.min(throughput),
                Collections.max(throughput),
                median(cpu),
                Collections.min(cpu),
                Collections.max(cpu));
        long failures = plain.load.failures() + replicated.load.failures();
        if (failures > 0) {
            System.out.println(failures + " calls failed: " + plain.load.lastFailure() + replicated.load.lastFailure());
        }
        return failures;
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private static Map<String, String> plainProperties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("jacorb.implname", "bank");
        properties.put("jacorb.log.default.verbosity", "1");
        properties.put("jacorb.poa.thread_pool_min", "3");
        properties.put("jacorb.poa.thread_pool_max", "3");
        properties.put("OAIAddr", "127.0.0.1");
        return properties;
    }

    private record Round(double callsPerSecond, double cpuMicros) {}

    /** One of the two that take turns. */
    private record Side(String name, CallLoad load, List<ServerProcess> servers) {

        Round run(int millis) throws InterruptedException {
            double cpuBefore = cpuSeconds();
            long before = load.calls();
            long start = System.nanoTime();
            load.resume();
            TimeUnit.MILLISECONDS.sleep(millis);
            long calls = load.calls() - before;
            double seconds = (System.nanoTime() - start) / 1e9;
            load.pause();
            // What is under way ends in the pause, and is not counted on either side.
            double cpu = cpuSeconds() - cpuBefore;
            TimeUnit.MILLISECONDS.sleep(100);
            return new Round(calls / seconds, 1e6 * cpu / Math.max(1, calls));
        }

        private double cpuSeconds() {
            long self = ProcessHandle.current().pid();
            double own = ServerProcess.cpuSeconds(self).orElse(0.0);
            return own
                    + Arrays.stream(servers.toArray(new ServerProcess[0]))
                            .mapToDouble(server -> server.cpuSeconds().orElse(0.0))
                            .sum();
        }
    }
}
