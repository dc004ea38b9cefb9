package org.amo.scmp.udp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes {@code G.latest} in a thread of its own, so that a slow disk holds up no call. The file stays claimed until the
 * last write has ended: a write that came behind those of the next server would put an older value in their place.
 */
final class StoreThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreThread.class);

    private final Optional<FileStableLatest> file;
    private final ThreadPoolExecutor thread;
    private final AtomicLong forces = new AtomicLong();

    private StoreThread(Optional<FileStableLatest> file, ThreadFactory threads) {
        this.file = file;
        this.thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads) {
            @Override
            protected void terminated() {
                giveBack(file);
            }
        };
    }

    /** @throws IOException in one line, if the file cannot be used, or the system gives no thread */
    static StoreThread open(Optional<Path> path) throws IOException {
        return open(path, DaemonThreads.factory("amo-scmp-store"));
    }

    static StoreThread open(Optional<Path> path, ThreadFactory threads) throws IOException {
        if (path.isEmpty()) {
            return new StoreThread(Optional.empty(), threads);
        }
        StoreThread opened = new StoreThread(Optional.of(FileStableLatest.open(path.get())), threads);
        DaemonThreads.startAll(opened.thread);
        return opened;
    }

    OptionalLong stored() {
        return file.map(FileStableLatest::stored).orElse(OptionalLong.empty());
    }

    /** A value of an earlier process, also where the file is gone and its lock file is not. */
    OptionalLong known() {
        return file.map(FileStableLatest::known).orElse(OptionalLong.empty());
    }

    /** Whether the file was made for this start, the first one. */
    boolean isOfServerThatNeverServed() {
        return file.filter(FileStableLatest::isOfServerThatNeverServed).isPresent();
    }

    long forces() {
        return forces.get();
    }

    /** Makes it durable, then runs one of the two. */
    void store(long latestMicros, Runnable stored, Runnable failed) {
        try {
            thread.execute(() -> write(latestMicros, stored, failed));
        } catch (OutOfMemoryError e) {
            failed(e, failed);
        }
    }

    // A store without an answer would be the last one: the server waits for it.
    @SuppressWarnings("IllegalCatch")
    private void write(long latestMicros, Runnable stored, Runnable failed) {
        try {
            FileStableLatest latest = file.orElseThrow();
            latest.store(latestMicros);
            forces.set(latest.forces());
        } catch (IOException | RuntimeException | Error e) {
            failed(e, failed);
            return;
        }
        stored.run();
    }

    private static void failed(Throwable cause, Runnable failed) {
        LOG.error(
                "cannot store the latest timestamp ({}); calls are refused as too early until it works",
                cause.toString());
        failed.run();
    }

    /** Waits for the writes, but not longer than 10 s: the file is given back when they have ended. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("the disk has not answered for 10 s; the state file stays locked until it does, or until this"
                        + " process ends");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void giveBack(Optional<FileStableLatest> file) {
        try {
            if (file.isPresent()) {
                file.get().close();
            }
        } catch (IOException e) {
            LOG.warn("cannot close the state file: {}", e.toString());
        }
    }
}
