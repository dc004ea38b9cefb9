package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/**
 * Three replicas that run operations of different objects at the same time, against three that run one after another: operations
 * that wait a millisecond, and those that do nothing, by which the cost of the threads is seen. All take turns, forwards and backwards.
 */
final class ParallelOverSerial {
    private static final int THREADS = 64;
    private static final int EXECUTORS = 8;
    private static final long WAIT_MICROS = 1_000;

    private ParallelOverSerial() {}

    static void measure(Run run, Figures figures) throws IOException, InterruptedException {
        Spread waiting = compare(run, figures, WAIT_MICROS);
        figures.ratios().put("parallelOverSerial", waiting.median());
        figures.atLeast(
                "throughput, operations of 1 ms on " + WaitingServer.OBJECTS + " objects, parallel=" + EXECUTORS
                        + " / serial",
                waiting.median(),
                3);
        // Without a bar, and not measured in a hurry.
        if (!run.quick()) {
            figures.ratios()
                    .put("parallelOverSerialOfNothing", compare(run, figures, 0).median());
        }
    }

    private static Spread compare(Run run, Figures figures, long waitMicros) throws IOException, InterruptedException {
        List<AutoCloseable> open = new ArrayList<>();
        try {
            List<Side> sides = List.of(
                    group(run, "serial", waitMicros, open), group(run, "parallel=" + EXECUTORS, waitMicros, open));
            if (run.quick()) {
                ReplicatedOverPlain.turns(run, sides, 1, 1_000);
            } else {
                WarmUp.all(run, sides);
            }
            List<List<Side.Turn>> turns =
                    ReplicatedOverPlain.turns(run, sides, run.quick() ? 2 : 10, run.quick() ? 700 : 2_000);
            for (int i = 0; i < sides.size(); i++) {
                Side side = sides.get(i);
                figures.row(
                        side.name(),
                        Map.of("threads", THREADS, "objects", WaitingServer.OBJECTS, "waitMicros", waitMicros),
                        Side.Turn.metrics(turns.get(i)));
                side.noteFailures(figures, side.name());
            }
            return Spread.ratio(turns.get(1), turns.get(0), Side.Turn::callsPerSecond);
        } finally {
            ReplicatedOverPlain.closeAll(open);
        }
    }

    private static Side group(Run run, String execute, long waitMicros, List<AutoCloseable> open)
            throws IOException, InterruptedException {
        String name = "3 replicas, " + execute + ", operations of " + waitMicros + " us";
        Path folder = Files.createDirectories(run.folder().resolve(name.replaceAll("[^a-z0-9]+", "-")));
        List<String> flags = run.jvmFlags("-Xmx512m");
        flags.add("-D" + WaitingServer.WAIT_MICROS + "=" + waitMicros);
        flags.add("-Damo.execute=" + execute);
        List<Member> members = FreePorts.members(3);
        List<ServerProcess> replicas = BankGroup.start(WaitingServer.class, folder, members, flags, open);
        List<String> references = List.of(replicas.get(0).awaitReference().split(" ", -1));
        Map<String, String> client =
                BankGroup.clientAt(members, BankReplicaStatus.await(members).leader());
        Side side =
                new Side(name, List.of(CallLoad.greetings(BankGroup.client(client), references, THREADS)), replicas);
        open.add(side);
        return side;
    }
}
