package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Bank;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member that was dead while the others executed a million requests, and comes back while calls run. */
@Timeout(900)
@Tag("slow")
final class AwayForLongTest {
    private static final Duration BOUND = Duration.ofMinutes(6);
    private static final int THREADS = 64;
    private static final long REQUESTS = 1_000_000;

    @Test
    void aMemberComesBackAfterAMillionRequestsWhileCallsRun() {
        try (BankCluster bank =
                BankCluster.start(BankCluster.Settings.bank("away").log(Log.FILE))) {
            bank.awaitServing();
            MemberProcess away = bank.follower();
            List<MemberProcess> others =
                    bank.processes().stream().filter(member -> member != away).toList();
            away.kill();

            AtomicLong answered = new AtomicLong();
            AtomicLong enough = new AtomicLong(Long.MAX_VALUE);
            List<CompletableFuture<Long>> load = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try (Orb orb = Orb.client()) {
                for (int thread = 0; thread < THREADS; thread++) {
                    String account = "away-" + thread;
                    Bank mine = orb.bank(bank.reference());
                    load.add(CompletableFuture.supplyAsync(
                            () -> {
                                long deposits = 0;
                                while (answered.get() < enough.get()) {
                                    assertEquals(++deposits, deposit(mine, account));
                                    answered.incrementAndGet();
                                }
                                return deposits;
                            },
                            threads));
                }
                await().atMost(BOUND)
                        .until(() -> answered.get() >= REQUESTS || load.stream().anyMatch(CompletableFuture::isDone));
                long before = answered.get();
                long start = System.nanoTime();
                bank.launch(away);
                await("it executes what the others do, while calls run")
                        .atMost(BOUND)
                        .until(() -> away.ask()
                                .filter(status -> status.number("executed") > 0
                                        && status.number("executedPosition") + 200
                                                > others.get(0).status().number("executedPosition"))
                                .isPresent());
                System.out.printf(
                        "away for %,d requests; level with the others after %,d ms and %,d more%n",
                        before, (System.nanoTime() - start) / 1_000_000, answered.get() - before);
                assertTrue(answered.get() > before, "calls ran meanwhile");
                enough.set(0);
                load.forEach(CompletableFuture::join);
            } finally {
                threads.shutdownNow();
            }
            bank.awaitServing();
            bank.awaitEqual();
            assertEquals(Set.of(), bank.executedMoreThanOnce());
        }
    }

    private static long deposit(Bank bank, String account) {
        try {
            return bank.deposit(account, 1);
        } catch (BadAmount e) {
            throw new AssertionError(e);
        }
    }
}
