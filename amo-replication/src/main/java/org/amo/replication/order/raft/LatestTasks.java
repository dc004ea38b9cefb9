package org.amo.replication.order.raft;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks in one thread, of each kind and member the latest: a task takes the place of one that waits. So no peer can
 * fill the queue by repetition. Any thread.
 */
final class LatestTasks {
    private static final Logger LOG = LoggerFactory.getLogger(LatestTasks.class);

    private final ExecutorService thread;
    private final Map<Key, Runnable> waiting = new LinkedHashMap<>();

    private record Key(String kind, String member) {}

    /** @param thread a single one, which runs nothing else */
    LatestTasks(ExecutorService thread) {
        this.thread = thread;
    }

    void run(String kind, String member, Runnable task) {
        synchronized (waiting) {
            if (waiting.put(new Key(kind, member), task) != null) {
                return;
            }
        }
        try {
            thread.execute(this::runFirst);
        } catch (RejectedExecutionException e) {
            LOG.trace("closed");
        }
    }

    private void runFirst() {
        Runnable first;
        synchronized (waiting) {
            Iterator<Runnable> tasks = waiting.values().iterator();
            first = tasks.next();
            tasks.remove();
        }
        first.run();
    }

    void close() {
        thread.shutdownNow();
    }
}
