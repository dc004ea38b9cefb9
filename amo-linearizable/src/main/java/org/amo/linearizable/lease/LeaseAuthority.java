package org.amo.linearizable.lease;

import java.util.Arrays;
import java.util.function.BiFunction;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The coordinator's side of leases (Park, sections III-A and V-B): it counts {@link ClusterTime}, draws client ids, and knows
 * when each lease ends. A deterministic state machine for an ordered log: every member applies the same inputs, each
 * with the stamp that its leader gave it, and so time and leases survive a fail-over.
 *
 * <p>Promises: cluster time never goes back. No id is given twice, not even by an authority
 * that starts without its earlier leases, but for the chance that two of 2^61 beginnings meet. A lease that was called live at one time, to end at
 * another, is not called expired before that. One that was called expired is never live again. There is no way to
 * give a lease back early: a late attempt would still claim the end that was granted, and a server that had forgotten
 * the client would believe it.
 *
 * <p>One thread owns it.
 */
public class LeaseAuthority {
    private static final int SNAPSHOT_VERSION = 1;
    private static final int EXPIRES = 1;

    private final long termMillis;
    private final int maxLeases;

    /** Invariant: a lease without a row ended at or before {@code now}, or was never granted. */
    private final LeaseRows leases = new LeaseRows(1, 0);

    private ClusterTime now = ClusterTime.ZERO;
    private ClusterTime sweepAt = ClusterTime.ZERO;
    private long lastId;

    /**
     * @param termMillis of a lease; the paper proposes 1,000 s
     * @param maxLeases at once; more are refused, none is dropped
     */
    public LeaseAuthority(long termMillis, int maxLeases) {
        if (termMillis < 1 || termMillis > ClusterTime.MAX_MILLIS / 2 || maxLeases < 1) {
            throw new IllegalArgumentException(
                    "term and maxLeases must be positive: termMillis=" + termMillis + " maxLeases=" + maxLeases);
        }
        this.termMillis = termMillis;
        this.maxLeases = maxLeases;
    }

    /**
     * A client starts: an id that no client had before, and a lease of one term.
     *
     * @param drawn a random number, the same at every member. The first one says where ids begin, so that an authority that lost
     *     its leases does not repeat the ids of its earlier life, of which stores may still keep records
     */
    public LeaseAnswer open(ClusterTime stamp, long drawn) {
        raise(stamp);
        if (lastId == 0) {
            lastId = drawn >>> 3;
        }
        if (leases.size() >= maxLeases) {
            return new LeaseAnswer(LeaseAnswer.Status.FULL, new LeaseId(lastId + 1), now, now);
        }
        int row = leases.add(++lastId);
        extend(row);
        return live(row);
    }

    /** A lease that has not ended lasts one term from now; one that has stays ended. */
    public LeaseAnswer renew(LeaseId client, ClusterTime stamp) {
        raise(stamp);
        int row = liveRow(client.value());
        if (row == LeaseRows.NONE) {
            return expired(client);
        }
        extend(row);
        return live(row);
    }

    /** The same for many at once, which one entry of the order carries. */
    public Renewed renew(long[] clients, ClusterTime stamp) {
        raise(stamp);
        long[] ended = new long[clients.length];
        int count = 0;
        for (long client : clients) {
            int row = liveRow(client);
            if (row == LeaseRows.NONE) {
                ended[count++] = client;
            } else {
                extend(row);
            }
        }
        ended = Arrays.copyOf(ended, count);
        Arrays.sort(ended);
        return new Renewed(now.plusMillis(termMillis), now, ended);
    }

    /** Answers a server that is about to refuse or forget a client. Changes nothing but the time. */
    public LeaseAnswer check(LeaseId client, ClusterTime stamp) {
        raise(stamp);
        int row = liveRow(client.value());
        return row == LeaseRows.NONE ? expired(client) : live(row);
    }

    /** Answers a server that is about to serve: the time and no more. */
    public ClusterTime time(ClusterTime stamp) {
        raise(stamp);
        return now;
    }

    public ClusterTime now() {
        return now;
    }

    /** Leases kept; ended ones are dropped within an eighth of a term. */
    public int size() {
        return leases.size();
    }

    public void write(WireWriter writer) {
        writer.u8(SNAPSHOT_VERSION);
        writer.varint(termMillis);
        writer.varint(maxLeases);
        writer.varint(now.millis());
        writer.varint(sweepAt.millis());
        writer.varint(lastId);
        writer.varint(leases.size());
        // Rising, so that members that came here in different ways write the same bytes.
        long last = 0;
        for (long id : sortedIds()) {
            writer.varint(id - last);
            writer.varint(leases.get(leases.find(id), EXPIRES));
            last = id;
        }
    }

    private long[] sortedIds() {
        long[] ids = new long[leases.size()];
        int count = 0;
        for (int row = 0; row < leases.end(); row++) {
            if (leases.id(row) != 0) {
                ids[count++] = leases.id(row);
            }
        }
        Arrays.sort(ids);
        return ids;
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #write} did not write */
    public static LeaseAuthority read(WireReader reader) {
        return read(reader, LeaseAuthority::new);
    }

    /**
     * The same for a subclass.
     *
     * @param of makes one from its term in milliseconds and the most leases
     */
    protected static LeaseAuthority read(WireReader reader, BiFunction<Long, Integer, LeaseAuthority> of) {
        reader.version("authority version", SNAPSHOT_VERSION);
        long term = reader.varint("term", 1, ClusterTime.MAX_MILLIS / 2);
        int most = (int) reader.varint("most leases", 1, Integer.MAX_VALUE);
        LeaseAuthority authority = of.apply(term, most);
        authority.now = new ClusterTime(reader.varint("now", 0, ClusterTime.MAX_MILLIS));
        authority.sweepAt = new ClusterTime(reader.varint("sweep", 0, ClusterTime.MAX_MILLIS));
        authority.lastId = reader.varint("last id", 0, LeaseId.MAX_VALUE - 1);
        int count = (int) reader.varint("leases", 0, most);
        long id = 0;
        for (int i = 0; i < count; i++) {
            id += reader.varint("lease id", 1, authority.lastId - id);
            int row = authority.leases.add(id);
            authority.leases.set(row, EXPIRES, reader.varint("expires", 0, ClusterTime.MAX_MILLIS));
        }
        return authority;
    }

    /**
     * Cluster time after an input with this stamp. A stamp of a leader that was behind changes nothing: time is the largest that was
     * ordered.
     */
    protected ClusterTime raised(ClusterTime before, ClusterTime stamp) {
        return ClusterTime.max(before, stamp);
    }

    private void raise(ClusterTime stamp) {
        now = raised(now, stamp);
        if (now.compareTo(sweepAt) >= 0) {
            for (int row = 0; row < leases.end(); row++) {
                if (leases.id(row) != 0 && leases.get(row, EXPIRES) <= now.millis()) {
                    leases.remove(row);
                }
            }
            sweepAt = now.plusMillis(Math.max(1, termMillis / 8));
        }
    }

    private int liveRow(long client) {
        int row = leases.find(client);
        return row != LeaseRows.NONE && leases.get(row, EXPIRES) > now.millis() ? row : LeaseRows.NONE;
    }

    private void extend(int row) {
        leases.set(row, EXPIRES, now.plusMillis(termMillis).millis());
    }

    private LeaseAnswer live(int row) {
        ClusterTime expires = new ClusterTime(leases.get(row, EXPIRES));
        return new LeaseAnswer(LeaseAnswer.Status.LIVE, new LeaseId(leases.id(row)), expires, now);
    }

    private LeaseAnswer expired(LeaseId client) {
        return new LeaseAnswer(LeaseAnswer.Status.EXPIRED, client, now, now);
    }
}
