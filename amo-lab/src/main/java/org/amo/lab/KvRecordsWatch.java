package org.amo.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;
import org.amo.kv.KvClient.Records;
import org.amo.kv.KvException;
import org.amo.linearizable.rocksdb.LinearizableStore;

/**
 * Looks at the completion records of all servers while a load runs, in a thread of its own: those that wait for their removal
 * are at most a tenth of the others, beside a group of them at each server that is removed together. Any thread may use it.
 */
final class KvRecordsWatch {
    private static final Records NONE = new Records(0, 0, 0);

    private final Supplier<Records> servers;
    private final int threads;
    private final long pauseMillis;
    private final Thread looks;
    private volatile boolean closed;
    private Records worst = NONE;
    private Records last = NONE;
    private boolean isExceeded;
    private int count;

    /**
     * @param servers tells the present records, or throws a {@link KvException}
     * @param threads of the load: each may have a record that was acknowledged since the last write
     * @param pauseMillis between two looks
     */
    KvRecordsWatch(Supplier<Records> servers, int threads, long pauseMillis) {
        this.pauseMillis = pauseMillis;
        this.servers = servers;
        this.threads = threads;
        this.looks = DaemonThreads.start("amo-kv-records", this::look);
    }

    private void look() {
        while (!closed) {
            onRecords(told());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
        }
    }

    private Records told() {
        try {
            return servers.get();
        } catch (KvException e) {
            // The machine is overloaded: the next look tells.
            return NONE;
        }
    }

    private synchronized void onRecords(Records told) {
        if (told.servers() > 0) {
            count++;
            last = told;
            worst = told.garbage() > worst.garbage() ? told : worst;
            long allowed = told.live() / 10 + (long) told.servers() * (LinearizableStore.RECORDS_A_REMOVAL + threads);
            isExceeded |= told.garbage() > allowed;
        }
    }

    /** Whether servers were looked at, and the bound held each time. */
    synchronized boolean isGood() {
        return count > 0 && !isExceeded;
    }

    synchronized String text() {
        return "records: at most " + worst.garbage() + " to be removed beside " + worst.live() + ", in the end "
                + last.garbage() + " beside " + last.live() + (isExceeded ? ", more than a tenth" : "");
    }

    synchronized void write(ObjectNode object) {
        object.putObject("records")
                .put("garbageMost", worst.garbage())
                .put("liveThen", worst.live())
                .put("garbageEnd", last.garbage())
                .put("liveEnd", last.live())
                .put("withinBound", isGood());
    }

    /** Waits for the last look. */
    void end() throws InterruptedException {
        closed = true;
        LockSupport.unpark(looks);
        looks.join();
    }
}
