package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.examples.bank.BankServer;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.replication.FreePorts;

/**
 * Whether a replica's heap grows with the number of calls: three replicas under {@code -Xmx128m} with a file log, eight
 * client ORBs of four threads, and the heap that is left after a collection, printed every tenth of the calls.
 *
 * <p>{@code ReplicaHeap [calls=1000000]}; exit 1 when a call failed, a replica died, or the heap at the end is more than
 * one and a half times that after the first tenth.
 */
final class ReplicaHeap {
    private static final int CLIENTS = 8;
    private static final int THREADS = 4;
    private static final int STEPS = 10;
    private static final double MOST_GROWTH = 1.5;

    private ReplicaHeap() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        long calls = args.length == 0 ? 1_000_000 : Long.parseLong(args[0].replace("calls=", ""));
        System.exit(run(calls, Files.createTempDirectory("amo-heap")) ? 0 : 1);
    }

    private static boolean run(long calls, Path folder) throws IOException, InterruptedException {
        List<ServerProcess> servers = new ArrayList<>();
        List<CallLoad> clients = new ArrayList<>();
        try {
            List<Member> members = FreePorts.members(3);
            for (Member member : members) {
                servers.add(ServerProcess.start(
                        BankServer.class,
                        folder,
                        member.id(),
                        List.of("-Xmx128m", "-XX:+UseSerialGC"),
                        BankGroup.replica(folder, members, member, "file")));
            }
            String reference = servers.get(0).awaitReference();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(CallLoad.deposits(
                        "h" + i + "-", BankGroup.client(JacorbClientDefaults.properties()), reference, THREADS));
            }
            clients.forEach(CallLoad::resume);
            List<Long> heap = new ArrayList<>();
            for (int step = 1; step <= STEPS; step++) {
                await(clients, calls * step / STEPS);
                long most = 0;
                for (ServerProcess server : servers) {
                    most = Math.max(most, LiveHeap.kilobytes(server.pid()));
                }
                heap.add(most);
                System.out.printf(Locale.ROOT, "%,d calls: %,d kB of heap after a collection%n", total(clients), most);
            }
            long failures = clients.stream().mapToLong(CallLoad::failures).sum();
            double growth = heap.get(STEPS - 1) / (double) heap.get(0);
            System.out.printf(Locale.ROOT, "heapGrowth %.2f, failed calls %d%n", growth, failures);
            return failures == 0 && growth <= MOST_GROWTH;
        } finally {
            clients.forEach(CallLoad::close);
            servers.forEach(ServerProcess::close);
        }
    }

    private static long total(List<CallLoad> clients) {
        return clients.stream().mapToLong(CallLoad::calls).sum();
    }

    private static void await(List<CallLoad> clients, long calls) throws IOException, InterruptedException {
        long before = -1;
        for (long now = total(clients); now < calls; now = total(clients)) {
            if (now == before) {
                throw new IOException("no call ended for ten seconds, after " + now);
            }
            before = now;
            for (int i = 0; i < 100 && total(clients) < calls; i++) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }
}
