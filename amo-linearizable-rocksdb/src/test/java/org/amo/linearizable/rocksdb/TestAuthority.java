package org.amo.linearizable.rocksdb;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseAuthority;
import org.amo.linearizable.lease.LeaseId;

/** A coordinator in the test's own process, whose time the test sets. */
final class TestAuthority implements Authority {
    static final long TERM = 1_000;

    private final LeaseAuthority authority = new LeaseAuthority(TERM, 10_000);
    private ClusterTime now = new ClusterTime(10);
    private boolean silent;

    synchronized LeaseAnswer openLease() {
        return authority.open(now, ThreadLocalRandom.current().nextLong());
    }

    synchronized LeaseAnswer renew(LeaseId client) {
        return authority.renew(client, now);
    }

    synchronized void setTime(long millis) {
        now = new ClusterTime(millis);
    }

    /** From now on nobody gets an answer, or does again. */
    synchronized void setSilent(boolean value) {
        silent = value;
    }

    @Override
    public synchronized CompletableFuture<LeaseAnswer> check(LeaseId client) {
        return silent
                ? CompletableFuture.failedFuture(new StoreException("no coordinator"))
                : CompletableFuture.completedFuture(authority.check(client, now));
    }

    @Override
    public synchronized CompletableFuture<ClusterTime> time() {
        return silent
                ? CompletableFuture.failedFuture(new StoreException("no coordinator"))
                : CompletableFuture.completedFuture(authority.time(now));
    }
}
