package org.amo.examples.kv;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.StoreBackup;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.replication.rpc.FrameServer;
import org.amo.replication.rpc.PlainService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps copies of servers' writes on a disk of its own. A server whose disk is lost fetches its state from there. Any thread may use it.
 */
public final class KvBackup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KvBackup.class);
    private static final long RETRY_MILLIS = 100;

    private final Options options;
    private final CoordinatorClient coordinator;
    private final Consumer<String> onEnded;
    private final StoreBackup backup;
    private final ExecutorService disk;
    private final FrameServer servers;
    private final Thread beat;
    private volatile boolean closed;

    /**
     * Options of a backup.
     *
     * @param id unique, and always of the same directory; the id of a server if both are on one machine: that server uses other backups
     * @param host on which it listens, and under which servers reach it
     * @param port the same; 0 for any free one
     * @param directory on a disk that is no server's of another id
     * @param durability of writes
     */
    public record Options(String id, String host, int port, Path directory, Durability durability) {}

    private KvBackup(Options options, KvAccess access, Consumer<String> onEnded) {
        this.options = options;
        this.onEnded = onEnded;
        this.coordinator = new CoordinatorClient(access);
        this.disk = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-kv-disk-" + options.id()));
        try {
            this.backup = StoreBackup.open(options.directory(), options.durability());
        } catch (StoreException e) {
            coordinator.close();
            throw e;
        }
        this.servers = access.serve(options.id(), options.host(), options.port(), new Service(), Optional.empty());
        this.beat = DaemonThreads.unstarted("amo-kv-beat-" + options.id(), this::work);
    }

    /**
     * Opens its directory, listens, and tells the coordinator.
     *
     * @param onEnded told, in one line, that it cannot serve any more; its process should end
     * @throws StoreException if the directory cannot be opened
     * @throws IllegalArgumentException in one line if nothing protects a port that other machines reach
     * @throws org.amo.core.order.OrderedLogException when it cannot listen
     */
    public static KvBackup start(Options options, KvAccess access, Consumer<String> onEnded) {
        access.checkHost("backup " + options.id(), options.host());
        KvBackup backup = new KvBackup(options, access, onEnded);
        backup.beat.start();
        return backup;
    }

    /** Where it listens. */
    public int port() {
        return servers.port();
    }

    private void work() {
        boolean known = false;
        while (!closed) {
            long wait = RETRY_MILLIS;
            try {
                KvSettings settings = coordinator
                        .backupBeat(options.id(), options.host(), port())
                        .join();
                wait = Math.max(20, settings.deadAfterMillis() / 8);
                known = true;
            } catch (CompletionException e) {
                Optional<String> refusal = CoordinatorClient.refusal(e);
                if (!known && refusal.isPresent()) {
                    onEnded.accept(refusal.get());
                    return;
                }
                LOG.debug("the coordinator does not answer", e);
            }
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(wait));
        }
    }

    /** Hands requests to the disk's thread. */
    private final class Service extends PlainService {
        @Override
        public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
            try {
                disk.execute(() -> handle(request.body(), listener));
            } catch (RejectedExecutionException e) {
                // It was closed, and its connections end.
            }
        }

        private void handle(byte[] request, AnswerListener listener) {
            try {
                listener.onAnswer(Answer.reply(backup.handle(request), 0, Answer.NO_BOUND));
            } catch (StoreException e) {
                if (!closed) {
                    onEnded.accept(String.valueOf(e.getMessage()));
                }
            }
        }
    }

    /** Its copies stay. Blocks for some seconds at most. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(beat);
        servers.close();
        disk.shutdown();
        backup.close();
        coordinator.close();
    }
}
