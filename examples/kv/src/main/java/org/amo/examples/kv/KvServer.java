package org.amo.examples.kv;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.amo.base.DaemonThreads;
import org.amo.examples.kv.CoordinatorClient.Inheritance;
import org.amo.examples.kv.CoordinatorClient.Orders;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.linearizable.rocksdb.StoreOptions;
import org.amo.linearizable.rocksdb.StoreStatus;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.replication.rpc.FrameServer;
import org.amo.replication.service.AmoServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ranges of keys. Answered results are on its disk. If the server dies, the other servers read them from
 * there, so they must be able to read its directory. If the cluster has backups, they are there, too: a server that is started
 * with an empty directory fetches its state before it serves. Any thread may use it.
 */
public final class KvServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KvServer.class);
    private static final long RETRY_MILLIS = 100;

    private static final Executor LATER = CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);

    /** Bounds the wait for a lock that other servers hold while they read this server's data. */
    private static final Duration OPEN_PATIENCE = Duration.ofSeconds(60);

    private final Options options;
    private final CoordinatorClient coordinator;
    private final KvBackupGroup backups;
    private final Consumer<String> onEnded;
    private final KvService service = new KvService();
    private final FrameServer clients;
    private final Set<String> recovering = ConcurrentHashMap.newKeySet();
    private final Thread beat;
    private Optional<LinearizableStore> store = Optional.empty();
    private volatile boolean closed;

    /**
     * Options of a server.
     *
     * @param id unique, and always of the same directory
     * @param host on which it listens, and under which clients reach it
     * @param port the same; 0 for any free one
     * @param advertisedPort under which clients reach it, if it is another one
     * @param directory that the other servers can read, too
     * @param durability of results
     * @param lostStore id of a store whose answered calls are given up: the server serves its ranges without them
     */
    public record Options(
            String id,
            String host,
            int port,
            Optional<Integer> advertisedPort,
            Path directory,
            Durability durability,
            Optional<String> lostStore) {}

    private KvServer(Options options, KvAccess access, Consumer<String> onEnded) {
        this.options = options;
        this.onEnded = onEnded;
        this.coordinator = new CoordinatorClient(access);
        this.backups = new KvBackupGroup(options.id(), access, coordinator);
        this.clients = access.serve(options.id(), options.host(), options.port(), service, Optional.of(service));
        this.beat = DaemonThreads.unstarted("amo-kv-beat-" + options.id(), this::work);
    }

    /**
     * Listens, opens its directory, and waits until the coordinator has dealt ranges. Blocks for that.
     *
     * @param onEnded told, in one line, that it cannot serve any more; its process should end
     * @throws StoreException if the directory cannot be opened, or has not the store with the calls of this server's ranges
     * @throws IllegalArgumentException in one line if nothing protects a port that other machines reach
     * @throws org.amo.core.order.OrderedLogException when it cannot listen
     */
    public static KvServer start(Options options, KvAccess access, Consumer<String> onEnded) {
        access.checkHost("server " + options.id(), options.host());
        KvServer server = new KvServer(options, access, onEnded);
        try {
            server.open();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        server.beat.start();
        return server;
    }

    /** Where it listens. */
    public int port() {
        return clients.port();
    }

    /** Of the store, by its thread. For tests. */
    CompletableFuture<StoreStatus> status() {
        return store.orElseThrow().status();
    }

    /** Attempts of calls that came. For tests and tools. */
    long copies() {
        return service.copies();
    }

    private void open() {
        StoreOptions chosen =
                StoreOptions.builder().durability(options.durability()).build();
        long giveUp = System.nanoTime() + OPEN_PATIENCE.toNanos();
        while (true) {
            try {
                LinearizableStore opened =
                        LinearizableStore.open(options.directory(), this::dealt, chosen, coordinator, backups);
                store = Optional.of(opened);
                service.serve(opened);
                return;
            } catch (StoreException e) {
                boolean isLocked = String.valueOf(e.getMessage()).contains("lock");
                if (!isLocked || System.nanoTime() > giveUp) {
                    throw e;
                }
                LOG.info("server {} waits for its directory: {}", options.id(), e.getMessage());
                pause(RETRY_MILLIS);
            }
        }
    }

    /** This server's ranges, once there are any; asked with the directory locked. */
    private List<KeyRange> dealt(String storeId) {
        while (!closed) {
            Optional<Orders> orders = ask(Optional.of(storeId));
            if (orders.isPresent() && orders.get().dealt()) {
                backups.setCopies(orders.get().settings().backups());
                return orders.get().owned();
            }
            pause(RETRY_MILLIS);
        }
        throw new StoreException("the server was closed before it had any ranges");
    }

    /**
     * @param opened id of the opened store, while this process does not know its ranges yet
     * @throws StoreException if another directory has this server's id, or another store the calls of its ranges; or if the coordinators
     *     refuse a server that begins, for its secret or certificate
     */
    private Optional<Orders> ask(Optional<String> opened) {
        String id = options.id();
        String host = options.host();
        int advertised = options.advertisedPort().orElse(port());
        String directory = options.directory().toAbsolutePath().normalize().toString();
        try {
            CompletableFuture<Orders> orders = opened.isPresent()
                    ? coordinator.begin(id, host, advertised, directory, opened.get(), options.lostStore())
                    : coordinator.beat(id, host, advertised, directory, backups.process());
            return Optional.of(orders.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof AmoServiceException refused
                    && refused.type().equals(IllegalArgumentException.class.getName())) {
                throw new StoreException(refused.serviceMessage(), refused);
            }
            Optional<String> refusal = CoordinatorClient.refusal(e);
            if (opened.isPresent() && refusal.isPresent()) {
                throw new StoreException(refusal.get(), e);
            }
            LOG.debug("the coordinator does not answer", e);
            return Optional.empty();
        }
    }

    private void work() {
        try {
            beat();
        } catch (StoreException e) {
            // The coordinators do not want it any more.
            onEnded.accept(String.valueOf(e.getMessage()));
        }
    }

    private void beat() {
        LinearizableStore here = store.orElseThrow();
        HandOvers handOvers = new HandOvers(options.id(), options.directory(), here, coordinator);
        long sweepAt = System.nanoTime();
        CompletableFuture<Void> checked = CompletableFuture.completedFuture(null);
        while (!closed) {
            Optional<Orders> orders = ask(Optional.empty());
            long wait = RETRY_MILLIS;
            if (orders.isPresent()) {
                handOvers.onOrders(orders.get());
                inherit(here, orders.get().inherited());
                KvSettings settings = orders.get().settings();
                wait = Math.max(20, settings.deadAfterMillis() / 8);
                if (System.nanoTime() >= sweepAt) {
                    here.sweep();
                    long next = LinearizableStore.sweepMillis(settings.termMillis());
                    sweepAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(next);
                }
            }
            if (checked.isDone()) {
                checked = here.checkBackups();
            }
            // Such a store keeps its lock: only the process' end lets others have its ranges. Its thread is not asked,
            // since it may read a dead server's directory for longer than the coordinators wait for a heartbeat.
            Optional<StoreException> failed = here.failure();
            if (failed.isPresent()) {
                onEnded.accept(String.valueOf(failed.get().getMessage()));
                return;
            }
            pause(wait);
        }
    }

    private void inherit(LinearizableStore here, List<Inheritance> inherited) {
        Map<String, List<Inheritance>> byDirectory =
                inherited.stream().collect(Collectors.groupingBy(Inheritance::directory, Collectors.toList()));
        byDirectory.forEach((directory, tablets) -> {
            if (recovering.add(directory)) {
                recover(here, directory, tablets);
            }
        });
    }

    private void recover(LinearizableStore here, String directory, List<Inheritance> tablets) {
        Map<Integer, Long> claims = new TreeMap<>();
        List<KeyRange> ranges = new ArrayList<>();
        for (Inheritance each : tablets) {
            claims.put(each.number(), each.epoch());
            ranges.add(each.range());
        }
        long began = System.nanoTime();
        Optional<String> lost = tablets.get(0).store();
        CompletableFuture<Void> unused = here.takeOver(Path.of(directory), lost, ranges, () -> claim(claims))
                .whenComplete((none, failed) -> {
                    recovering.remove(directory);
                    if (failed == null) {
                        LOG.info(
                                "server {} recovered {} tablets of {} in {} ms",
                                options.id(),
                                ranges.size(),
                                directory,
                                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
                    } else {
                        LOG.info("server {} does not recover {}: {}", options.id(), directory, failed.getMessage());
                    }
                });
    }

    /** Until there is a certain answer: one that was ordered and got lost must not leave a range without a server. */
    private CompletableFuture<Boolean> claim(Map<Integer, Long> claims) {
        return coordinator
                .recovered(options.id(), claims)
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

    private void pause(long millis) {
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Stops serving; other servers will recover its ranges. Blocks for some seconds at most. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(beat);
        clients.close();
        store.ifPresent(LinearizableStore::close);
        backups.close();
        coordinator.close();
    }
}
