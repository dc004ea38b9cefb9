package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.replica.ReplicaSettings.Log;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Unmodified servers on three replicas that run operations of different objects at the same time. */
@Timeout(240)
final class ParallelServersTest {
    private static final int CLIENTS = 8;
    private static final int KILLS = Boolean.getBoolean("amo.allSeeds") ? 2 : 1;
    private static final int SOME = 150;

    /** The member that is killed replays its log from its latest snapshot, again with operations at the same time. */
    @Test
    void membersThatRunOperationsAtTheSameTimeAgreeThroughKillsAndReplays() {
        BankCluster.Settings settings = BankCluster.Settings.bank("cells")
                .main(CellsServer.class)
                .log(Log.FSYNC)
                .property("amo.execute", "parallel=4")
                .property("amo.keptEntries", "0")
                .property("amo.snapshotBytes", "40000");
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            List<org.omg.CORBA.Object> cells = new ArrayList<>();
            for (String reference : cluster.reference().split(" ", -1)) {
                cells.add(orb.object(reference));
            }
            assertEquals(CellsServer.CELLS, cells.size());
            AtomicLong done = new AtomicLong();
            AtomicLong wanted = new AtomicLong(Long.MAX_VALUE);
            AtomicBoolean starting = new AtomicBoolean();
            List<CompletableFuture<Void>> load = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                Random random = new Random(client);
                load.add(inThread(() -> {
                    while (done.get() < wanted.get()) {
                        Orb.text(cells.get(random.nextInt(cells.size())), "add", random.nextInt(1_000));
                        done.incrementAndGet();
                        Pace.pause(starting.get() ? 40 : 10);
                    }
                }));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                awaitMore(cluster, done, load, SOME);
                MemberProcess killed = kill == 2 ? cluster.follower() : cluster.leader();
                killed.kill();
                awaitMore(cluster, done, load, SOME);
                starting.set(true);
                cluster.launch(killed);
                cluster.awaitServing();
                starting.set(false);
            }
            awaitMore(cluster, done, load, 4 * SOME);
            wanted.set(done.get());
            load.forEach(each -> each.orTimeout(60, TimeUnit.SECONDS).join());
            cluster.assertAgreement(8 * SOME);
            assertEquals(Set.of(), cluster.executedMoreThanOnce());
            for (MemberProcess member : cluster.processes()) {
                assertTrue(member.said().contains(CellsServer.OVERLAP), member::said);
                assertFalse(member.said().contains(CellsServer.CLASH), member::said);
            }
        }
    }

    private static void awaitMore(BankCluster cluster, AtomicLong done, List<CompletableFuture<Void>> load, long more) {
        long before = done.get();
        cluster.awaitThat("calls are made", () -> {
            load.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
            return done.get() >= before + more;
        });
    }

    private static CompletableFuture<Void> inThread(Runnable task) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        task.run();
                        end.complete(null);
                    } catch (RuntimeException | AssertionError e) {
                        end.completeExceptionally(e);
                    }
                })
                .start();
        return end;
    }
}
