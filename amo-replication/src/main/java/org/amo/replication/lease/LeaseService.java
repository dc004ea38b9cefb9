package org.amo.replication.lease;

import java.util.function.LongSupplier;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAuthority;
import org.amo.linearizable.lease.OrderedClock;
import org.amo.replication.service.AmoHandler;
import org.amo.replication.service.AmoState;
import org.amo.replication.service.ReplicaContext;

/**
 * Runs the coordinator's leases as a replicated service: every member of its group applies the same requests at the same
 * ordered times, and so {@link LeaseAuthority}'s promises hold over the crash of any minority, and of all if the group's
 * log is on disk. No clock is read here.
 *
 * <p>Time stands still while nothing is ordered: the group's processes call {@link LeaseClient#time} at least every
 * {@link #tickMillis}. Leases come out longer where they do not.
 *
 * <p>One thread owns it, that of its replica. A service that does more besides, such as the coordinator of amo-kv,
 * hands it its own part of the requests and of the snapshot.
 */
public final class LeaseService implements AmoHandler, AmoState {
    private static final int SNAPSHOT_VERSION = 1;

    /** A larger step would tell no client anything sooner. */
    private static final long MOST_STEP_MILLIS = 2_000;

    private final long stepMillis;
    private LeaseAuthority authority;
    private OrderedClock clock;

    /**
     * @param termMillis of a lease, the same at every member; the paper proposes 1,000 s
     * @param maxLeases at once; more are refused, none is dropped
     */
    public LeaseService(long termMillis, int maxLeases) {
        this.stepMillis = stepMillis(termMillis);
        this.authority = new LeaseAuthority(termMillis, maxLeases);
        this.clock = new OrderedClock(stepMillis);
    }

    private static long stepMillis(long termMillis) {
        return Math.max(1, Math.min(MOST_STEP_MILLIS, termMillis / 16));
    }

    /** How often some process must ask for the time, so that cluster time keeps up. */
    public static long tickMillis(long termMillis) {
        return Math.max(1, stepMillis(termMillis) / 2);
    }

    @Override
    public byte[] handle(byte[] request, ReplicaContext context) {
        return handle(
                new WireReader("lease request", request), context.time().toEpochMilli(), context.random()::nextLong);
    }

    /**
     * The same for a service that this is a part of.
     *
     * @param orderedMillis the time of {@link ReplicaContext#time}
     * @param random numbers of {@link ReplicaContext#random}
     * @throws org.amo.base.wire.MalformedFrameException for bytes that {@link LeaseClient} did not write
     */
    public byte[] handle(WireReader reader, long orderedMillis, LongSupplier random) {
        ClusterTime now = onOrdered(orderedMillis);
        int kind = reader.u8("kind");
        byte[] answer =
                switch (kind) {
                    case LeaseCalls.OPEN -> LeaseCalls.answer(authority.open(now, random.getAsLong()));
                    case LeaseCalls.RENEW -> LeaseCalls.answer(authority.renew(LeaseCalls.readClient(reader), now));
                    case LeaseCalls.CHECK -> LeaseCalls.answer(authority.check(LeaseCalls.readClient(reader), now));
                    case LeaseCalls.RENEW_ALL -> LeaseCalls.renewed(authority.renew(LeaseCalls.readIds(reader), now));
                    case LeaseCalls.TIME -> LeaseCalls.time(authority.time(now));
                    default -> throw reader.malformed("kind", kind);
                };
        reader.end();
        return answer;
    }

    /** Something else was ordered at that time: the cluster time then. */
    public ClusterTime onOrdered(long orderedMillis) {
        return authority.time(clock.onOrdered(orderedMillis));
    }

    /** Leases kept. */
    public int size() {
        return authority.size();
    }

    @Override
    public boolean isComparable() {
        return true;
    }

    @Override
    public byte[] take() {
        WireWriter writer = new WireWriter(64 + 4 * authority.size());
        write(writer);
        return writer.toBytes();
    }

    /** {@link #take} into the snapshot of a service that this is a part of. */
    public void write(WireWriter writer) {
        writer.u8(SNAPSHOT_VERSION);
        writer.varint(clock.now().millis());
        writer.i64(clock.lastMillis());
        authority.write(writer);
    }

    @Override
    public void restore(byte[] state) {
        WireReader reader = new WireReader("lease snapshot", state);
        read(reader);
        reader.end();
    }

    /** {@link #restore} out of such a snapshot. */
    public void read(WireReader reader) {
        reader.version("lease snapshot version", SNAPSHOT_VERSION);
        ClusterTime now = new ClusterTime(reader.varint("cluster time", 0, ClusterTime.MAX_MILLIS));
        clock = new OrderedClock(stepMillis, now, reader.i64("last time"));
        authority = LeaseAuthority.read(reader);
    }
}
