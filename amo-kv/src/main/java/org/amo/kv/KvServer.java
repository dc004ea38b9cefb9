package org.amo.kv;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.base.Experimental;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.Operation;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.linearizable.rocksdb.StoreOptions;
import org.amo.linearizable.rocksdb.StoreStatus;
import org.amo.linearizable.rocksdb.StoredObject;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.replication.rpc.FrameServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ranges of keys. Answered results are on its disk. If the server dies, the other servers read them from
 * there, so they must be able to read its directory. If the cluster has backups, they are there, too: a server that is started
 * with an empty directory fetches its state before it serves. Any thread may use it.
 */
@Experimental
public final class KvServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KvServer.class);
    private static final long RETRY_MILLIS = 100;

    /** Bounds the wait for a lock that other servers hold while they read this server's data. */
    private static final Duration OPEN_PATIENCE = Duration.ofSeconds(60);

    private final Options options;
    private final CoordinatorClient coordinator;
    private final KvBackupGroup backups;
    private final Consumer<String> onEnded;
    private final KvService service;
    private final FrameServer clients;
    private final Thread beat;
    private Optional<LinearizableStore> store = Optional.empty();
    private volatile boolean closed;

    /**
     * An operation of the application on one object, which clients call by a name. The store's thread runs it once for each call that
     * is executed; all other calls wait meanwhile. It must touch nothing but its object: if the process dies before the change is on disk,
     * a retry runs it again, on the object as it was. Retries of a call that was executed get its answer, from the heir of a dead server,
     * too.
     */
    @FunctionalInterface
    public interface NamedOperation {
        /**
         * Decides on the change. If it throws, the call ends with FAILED, and nothing is written; only want of memory ends the server.
         *
         * @param argument of the call; not copied
         * @param object as it is; empty if there is none
         * @return a new value of at most 1 MB, and an answer for the client a little below that
         */
        Operation.Change on(byte[] argument, Optional<StoredObject> object);
    }

    /**
     * Options of a server.
     *
     * @param id unique, and always of the same directory
     * @param host on which it listens, and under which clients reach it. Default 127.0.0.1
     * @param port the same; 0 for any free one, the default
     * @param advertisedPort under which clients reach it, if it is another one. Default empty
     * @param directory that the other servers can read, too
     * @param durability of results. Default FSYNC
     * @param lostStore id of a store whose answered calls are given up: the server serves its ranges without them. Default empty
     * @param operations beside read, write, delete, conditionalWrite and increment, by their names of at most 255 bytes. All servers of a
     *     cluster need the same ones. Default none
     */
    public record Options(
            String id,
            String host,
            int port,
            Optional<Integer> advertisedPort,
            Path directory,
            Durability durability,
            Optional<String> lostStore,
            Map<String, NamedOperation> operations) {

        public Options {
            operations = Map.copyOf(operations);
        }

        public static Builder builder(String id, Path directory) {
            return new Builder(id, directory);
        }

        /** Collects options. */
        public static final class Builder {
            private final String id;
            private final Path directory;
            private final Map<String, NamedOperation> operations = new HashMap<>();
            private String host = "127.0.0.1";
            private int port;
            private Optional<Integer> advertisedPort = Optional.empty();
            private Durability durability = Durability.FSYNC;
            private Optional<String> lostStore = Optional.empty();

            private Builder(String id, Path directory) {
                this.id = id;
                this.directory = directory;
            }

            public Builder listen(String onHost, int onPort) {
                host = onHost;
                port = onPort;
                return this;
            }

            public Builder advertisedPort(int value) {
                advertisedPort = Optional.of(value);
                return this;
            }

            public Builder durability(Durability value) {
                durability = value;
                return this;
            }

            public Builder lostStore(Optional<String> storeId) {
                lostStore = storeId;
                return this;
            }

            public Builder operation(String name, NamedOperation operation) {
                operations.put(name, operation);
                return this;
            }

            public Options build() {
                return new Options(id, host, port, advertisedPort, directory, durability, lostStore, operations);
            }
        }
    }

    private KvServer(Options options, KvAccess access, Consumer<String> onEnded) {
        this.options = options;
        this.onEnded = onEnded;
        this.service = new KvService(new NamedOperations(options.operations()));
        this.coordinator = new CoordinatorClient(access);
        this.backups = new KvBackupGroup(options.id(), access, coordinator);
        try {
            this.clients = access.serve(options.id(), options.host(), options.port(), service, Optional.of(service));
        } catch (RuntimeException e) {
            backups.close();
            coordinator.close();
            throw e;
        }
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
            Optional<StoreException> rejection = CoordinatorClient.rejection(e);
            if (rejection.isPresent()) {
                throw rejection.get();
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
        LinearizableStore here = store.orElseThrow();
        Recoveries recoveries = new Recoveries(options.id(), here, coordinator);
        try {
            beat(here, recoveries);
        } catch (StoreException e) {
            // The coordinators do not want it any more.
            onEnded.accept(String.valueOf(e.getMessage()));
        } finally {
            recoveries.close();
        }
    }

    private void beat(LinearizableStore here, Recoveries recoveries) {
        HandOvers handOvers = new HandOvers(options.id(), options.directory(), here, coordinator);
        long sweepAt = System.nanoTime();
        CompletableFuture<Void> checked = CompletableFuture.completedFuture(null);
        while (!closed) {
            Optional<Orders> orders = ask(Optional.empty());
            long wait = RETRY_MILLIS;
            if (orders.isPresent()) {
                handOvers.onOrders(orders.get());
                recoveries.onOrders(orders.get());
                KvSettings settings = orders.get().settings();
                wait = settings.beatMillis();
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
