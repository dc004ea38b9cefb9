package org.amo.kv;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.amo.kv.Orders.Inheritance;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.linearizable.rpclog.KeyRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers tablets of dead servers, and takes tablets that move here: reads them from their owner's directory, or from its copy, and
 * claims them at the coordinator. The beat's thread owns it.
 */
final class Recoveries {
    private static final Logger LOG = LoggerFactory.getLogger(Recoveries.class);
    private static final long AGAIN_MILLIS = 100;
    private static final Executor LATER = CompletableFuture.delayedExecutor(AGAIN_MILLIS, TimeUnit.MILLISECONDS);

    private final String server;
    private final LinearizableStore store;
    private final CoordinatorClient coordinator;

    /** Directories that are being read. */
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    Recoveries(String server, LinearizableStore store, CoordinatorClient coordinator) {
        this.server = server;
        this.store = store;
        this.coordinator = coordinator;
    }

    void onOrders(Orders orders) {
        Map<String, List<Inheritance>> byDirectory =
                orders.inherited().stream().collect(Collectors.groupingBy(Inheritance::directory, Collectors.toList()));
        byDirectory.forEach((directory, tablets) -> {
            if (underWay.add(directory)) {
                recover(directory, tablets);
            }
        });
    }

    private void recover(String directory, List<Inheritance> tablets) {
        Map<Integer, Long> claims = new TreeMap<>();
        List<KeyRange> ranges = new ArrayList<>();
        for (Inheritance each : tablets) {
            claims.put(each.number(), each.epoch());
            ranges.add(each.range());
        }
        long began = System.nanoTime();
        Optional<String> lost = tablets.get(0).store();
        CompletableFuture<Void> unused = store.takeOver(Path.of(directory), lost, ranges, () -> claim(claims))
                .whenComplete((none, failed) -> {
                    underWay.remove(directory);
                    if (failed == null) {
                        LOG.info(
                                "server {} recovered {} tablets of {} in {} ms",
                                server,
                                ranges.size(),
                                directory,
                                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
                    } else {
                        LOG.info("server {} does not recover {}: {}", server, directory, failed.getMessage());
                    }
                });
    }

    /** Until there is a certain answer: one that was ordered and got lost must not leave a range without a server. */
    private CompletableFuture<Boolean> claim(Map<Integer, Long> claims) {
        return coordinator
                .recovered(server, claims)
                .thenApply(Optional::of)
                .exceptionally(failed -> Optional.empty())
                .thenCompose(answer -> {
                    if (answer.isPresent()) {
                        return answer.get()
                                ? CompletableFuture.completedFuture(true)
                                : CompletableFuture.failedFuture(
                                        new StoreException("its server came back, or another one recovers it"));
                    }
                    return closed
                            ? CompletableFuture.failedFuture(new StoreException("this server was closed"))
                            : CompletableFuture.supplyAsync(() -> claims, LATER).thenCompose(this::claim);
                });
    }

    /** No claim is repeated any more. */
    void close() {
        closed = true;
    }
}
