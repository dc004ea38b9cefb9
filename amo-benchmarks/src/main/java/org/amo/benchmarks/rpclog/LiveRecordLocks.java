package org.amo.benchmarks.rpclog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.base.DaemonThreads;

/** Locks live records one by one, in a thread of its own, and counts those that another connection has locked. */
final class LiveRecordLocks {
    private static final String LOCKED = "55P03";
    private static final long END_MILLIS = 10_000;

    private final BenchDatabase.Client client;
    private final int records;
    private final Thread thread;

    private volatile boolean ends;
    private volatile long taken;
    private volatile long refused;
    private volatile Optional<SQLException> failure = Optional.empty();

    private LiveRecordLocks(BenchDatabase.Client client, int records) {
        this.client = client;
        this.records = records;
        thread = DaemonThreads.unstarted("amo-bench-locks", this::run);
    }

    /** @param records of the tenant "live", named by their numbers from 1 on */
    static LiveRecordLocks start(BenchDatabase.Client client, int records) {
        LiveRecordLocks locks = new LiveRecordLocks(client, records);
        locks.thread.start();
        return locks;
    }

    // One thread counts.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void run() {
        try {
            while (!ends) {
                if (isFree()) {
                    taken++;
                } else {
                    refused++;
                }
            }
        } catch (SQLException e) {
            failure = Optional.of(e);
        }
    }

    private boolean isFree() throws SQLException {
        try (Connection connection = client.connection();
                PreparedStatement lock = connection.prepareStatement("SELECT 1 FROM amo_once WHERE tenant = 'live'"
                        + " AND idempotency_key = convert_to(?, 'UTF8') FOR UPDATE NOWAIT")) {
            lock.setString(1, Integer.toString(ThreadLocalRandom.current().nextInt(1, records + 1)));
            lock.executeQuery().close();
            return true;
        } catch (SQLException e) {
            if (LOCKED.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** @throws SQLException if it could not lock at all */
    void end() throws SQLException {
        ends = true;
        DaemonThreads.join(thread, END_MILLIS);
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    long taken() {
        return taken;
    }

    long refused() {
        return refused;
    }
}
