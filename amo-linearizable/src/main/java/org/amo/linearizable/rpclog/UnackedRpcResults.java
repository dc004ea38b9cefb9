package org.amo.linearizable.rpclog;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseRows;
import org.amo.linearizable.lease.LeaseValidator;

/**
 * Keeps a server's calls with unacknowledged results (section III-B): decides for each attempt that arrives whether to
 * execute, to answer from the record, to let the client wait, or to refuse.
 *
 * <p>Promises, as long as the server executes on {@link RpcVerdict#EXECUTE} only, writes object and record in one, and
 * hands the records that survived to {@link #recoverRecord} and {@link #recoverBound} before it serves: no call is
 * executed twice, for any attempts that arrive, while its client's lease lasts and ever after; and an attempt of an
 * executed call gets the first result until the client has acknowledged it.
 *
 * <p>A number is forgotten in two ways only. By ackId, which from then on refuses it as stale. And with its client,
 * after the authority said that the lease is over, when the claimed lease of every late attempt is over too; a call that
 * is being executed keeps its client.
 *
 * <p>A client with one kept result, or none, is a row of four longs: 38 to 43 bytes with its place in the index. One
 * thread owns it.
 */
public class UnackedRpcResults {
    private static final int ACK = 1;
    private static final int EXPIRES = 2;

    /** The one completed number above ackId, or 0; negative: the complement of a place in {@link #open}. */
    private static final int CALLS = 3;

    private static final OpenCalls NOTHING = new OpenCalls();

    private final LeaseValidator lease;
    private final RpcLogEffects effects;
    private final RpcLogOptions options;
    private final LeaseRows rows;
    private final List<OpenCalls> open = new ArrayList<>();
    private final List<Integer> freePlaces = new ArrayList<>();
    private boolean recovering;

    public UnackedRpcResults(LeaseValidator lease, RpcLogOptions options, RpcLogEffects effects) {
        this.lease = lease;
        this.options = options;
        this.effects = effects;
        this.rows = new LeaseRows(3, options.hashSeed());
    }

    /** An attempt arrived; this server serves the call's object. Every verdict but EXECUTE leaves the call as it was. */
    public RpcVerdict start(RpcHeader header) {
        return judge(header, false);
    }

    /** The same after {@link RpcVerdict#LEASE_IN_DOUBT}, with the authority's answer. */
    public RpcVerdict start(RpcHeader header, LeaseAnswer answer) {
        lease.onHeard(answer.now());
        return judge(answer.isLive() ? header.withLease(answer) : header, !answer.isLive());
    }

    private RpcVerdict judge(RpcHeader header, boolean leaseIsOver) {
        lease.onHeard(header.clusterTime());
        if (!lease.isReady()) {
            return RpcVerdict.NOT_NOW;
        }
        long number = header.id().number();
        int row = rows.find(header.id().client().value());
        if (row != LeaseRows.NONE) {
            acknowledge(row, ackOf(header));
            // Copies of calls that are known are answered without a look at the lease.
            if (number <= rows.get(row, ACK)) {
                return RpcVerdict.STALE;
            }
            if (isCompleted(row, number)) {
                return RpcVerdict.REPLAY;
            }
            if (isRunning(row, number)) {
                return RpcVerdict.RETRY_LATER;
            }
        }
        if (leaseIsOver) {
            return RpcVerdict.LEASE_EXPIRED;
        }
        long expires = header.leaseExpires().millis();
        if (row != LeaseRows.NONE) {
            expires = Math.max(expires, rows.get(row, EXPIRES));
        }
        if (!lease.covers(new ClusterTime(expires))) {
            return RpcVerdict.LEASE_IN_DOUBT;
        }
        long ackId = row == LeaseRows.NONE ? header.ackId() : rows.get(row, ACK);
        if (number - ackId > options.window()) {
            return RpcVerdict.BEYOND_WINDOW;
        }
        if (row == LeaseRows.NONE) {
            if (rows.size() >= options.maxClients()) {
                return RpcVerdict.NOT_NOW;
            }
            row = rows.add(header.id().client().value());
            rows.set(row, ACK, ackOf(header));
        }
        rows.set(row, EXPIRES, expires);
        put(row, number, false);
        return RpcVerdict.EXECUTE;
    }

    /** The highest number that a call acknowledges. */
    protected long ackOf(RpcHeader header) {
        return header.ackId();
    }

    /**
     * Object and record are durable; retries are answered from the record now. If the client abandoned the call and
     * acknowledged it meanwhile, the record may go; if its lease ended since, all that the client has. A call from before its
     * client was forgotten has no record, and is not the call of that number of a client that came back.
     */
    public void complete(RpcId id) {
        int row = rows.find(id.client().value());
        if (row == LeaseRows.NONE) {
            effects.forgotten(id.client());
        } else if (id.number() <= rows.get(row, ACK)) {
            effects.acknowledged(id);
        } else if (isRunning(row, id.number())) {
            put(row, id.number(), true);
        }
    }

    /** It failed before anything was written: the next attempt is executed. */
    public void reset(RpcId id) {
        int row = rows.find(id.client().value());
        if (row != LeaseRows.NONE && isRunning(row, id.number())) {
            OpenCalls calls = open.get(~place(row));
            calls.remove(id.number());
            compact(row, calls);
        }
    }

    /** Nothing is forgotten until all that survived a crash has been handed over. */
    public void beginRecovery() {
        recovering = true;
    }

    public void endRecovery() {
        recovering = false;
    }

    /** A record that is on disk. Records may come in any order: its ackId counts first, then the call itself. */
    public void recoverRecord(RpcId id, long ackId) {
        int row = recoverRow(id.client());
        acknowledge(row, ackId);
        if (id.number() <= rows.get(row, ACK)) {
            effects.acknowledged(id);
        } else {
            put(row, id.number(), true);
        }
    }

    /** An ackId that is on disk without a call, or with one of another range. */
    public void recoverBound(LeaseId client, long ackId) {
        acknowledge(recoverRow(client), ackId);
    }

    /** The end of its lease is not on disk: the next sweep asks for it. */
    private int recoverRow(LeaseId client) {
        int row = rows.find(client.value());
        return row == LeaseRows.NONE ? rows.add(client.value()) : row;
    }

    /**
     * A part of the periodic check of leases (section V-B). Names the clients with leases that are over as far as this
     * server knows; the authority is to be asked about them, and its answers given to {@link #onLease}. Ask it for the
     * time before each sweep: a server without calls hears of none, and to it no lease would ever be over.
     *
     * @param from where the part before ended, 0 at first
     * @param most rows to look at
     * @return where the next part begins; 0 after the last
     */
    public int sweep(int from, int most, Consumer<LeaseId> ask) {
        if (recovering || !lease.isReady()) {
            return from;
        }
        int end = Math.min(rows.end(), from + most);
        for (int row = from; row < end; row++) {
            if (rows.id(row) != 0 && !lease.covers(new ClusterTime(rows.get(row, EXPIRES)))) {
                ask.accept(new LeaseId(rows.id(row)));
            }
        }
        return end == rows.end() ? 0 : end;
    }

    /**
     * The authority's answer about a client: if the lease is live, the client is kept until the lease ends; if the lease
     * is over, the client is forgotten, unless a call of it is being executed.
     *
     * @return whether it was forgotten
     */
    public boolean onLease(LeaseAnswer answer) {
        lease.onHeard(answer.now());
        int row = rows.find(answer.client().value());
        if (row == LeaseRows.NONE || recovering || answer.status() == LeaseAnswer.Status.FULL) {
            return false;
        }
        if (answer.isLive()) {
            rows.set(
                    row,
                    EXPIRES,
                    Math.max(rows.get(row, EXPIRES), answer.expires().millis()));
            return false;
        }
        if (place(row) < 0) {
            if (open.get(~place(row)).hasRunning()) {
                return false;
            }
            free(~place(row));
        }
        rows.remove(row);
        effects.forgotten(answer.client());
        return true;
    }

    /** The client's ackId; 0 if it has acknowledged nothing, and for a client without state. */
    public long ackId(LeaseId client) {
        int row = rows.find(client.value());
        return row == LeaseRows.NONE ? 0 : rows.get(row, ACK);
    }

    /** Clients with state here. */
    public int clients() {
        return rows.size();
    }

    /**
     * Kept results, which have a record each. Looks at every client.
     *
     * @param isOver of the clients with leases that have ended as far as this server knows, or of all others. After a crash a lease is
     *     known with the next sweep
     */
    public long results(boolean isOver) {
        long count = 0;
        for (int row = 0; row < rows.end(); row++) {
            long expires = rows.get(row, EXPIRES);
            if (rows.id(row) != 0 && isOver == (expires > 0 && !lease.covers(new ClusterTime(expires)))) {
                int place = place(row);
                int lone = rows.get(row, CALLS) > 0 ? 1 : 0;
                count += place < 0 ? open.get(~place).completed() : lone;
            }
        }
        return count;
    }

    /** Clients with leases that are over as far as this server knows. */
    public int overdue() {
        int count = 0;
        for (int row = 0; row < rows.end(); row++) {
            if (rows.id(row) != 0 && !lease.covers(new ClusterTime(rows.get(row, EXPIRES)))) {
                count++;
            }
        }
        return count;
    }

    private int place(int row) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(0, rows.get(row, CALLS)));
    }

    private boolean isCompleted(int row, long number) {
        int place = place(row);
        return place < 0 ? open.get(~place).isCompleted(number) : rows.get(row, CALLS) == number;
    }

    private boolean isRunning(int row, long number) {
        int place = place(row);
        return place < 0
                && open.get(~place).contains(number)
                && !open.get(~place).isCompleted(number);
    }

    private void acknowledge(int row, long ackId) {
        if (ackId <= rows.get(row, ACK)) {
            return;
        }
        rows.set(row, ACK, ackId);
        int place = place(row);
        if (place == 0) {
            long lone = rows.get(row, CALLS);
            if (lone > 0 && lone <= ackId) {
                rows.set(row, CALLS, 0);
                effects.acknowledged(id(row, lone));
            }
            return;
        }
        OpenCalls calls = open.get(~place);
        for (long number = calls.lowestUpTo(ackId); number != 0; number = calls.lowestUpTo(ackId)) {
            boolean completed = calls.isCompleted(number);
            calls.remove(number);
            if (completed) {
                // One that is being executed was given up by its client: its record goes when it is written.
                effects.acknowledged(id(row, number));
            }
        }
        compact(row, calls);
    }

    private RpcId id(int row, long number) {
        return new RpcId(new LeaseId(rows.id(row)), number);
    }

    private void put(int row, long number, boolean completed) {
        int place = place(row);
        long lone = rows.get(row, CALLS);
        if (place == 0 && completed && (lone == 0 || lone == number)) {
            rows.set(row, CALLS, number);
            return;
        }
        OpenCalls calls;
        if (place == 0) {
            calls = new OpenCalls();
            if (lone > 0) {
                calls.put(lone, true);
            }
            rows.set(row, CALLS, ~allocate(calls));
        } else {
            calls = open.get(~place);
        }
        calls.put(number, completed);
        compact(row, calls);
    }

    private int allocate(OpenCalls calls) {
        if (freePlaces.isEmpty()) {
            open.add(calls);
            return open.size() - 1;
        }
        int free = freePlaces.remove(freePlaces.size() - 1);
        open.set(free, calls);
        return free;
    }

    private void free(int place) {
        open.set(place, NOTHING);
        freePlaces.add(place);
    }

    /** Back to a row alone when at most one call is left and its result is kept. */
    private void compact(int row, OpenCalls calls) {
        if (calls.size() == 0 || calls.lone() != 0) {
            free(~place(row));
            rows.set(row, CALLS, calls.lone());
        }
    }
}
