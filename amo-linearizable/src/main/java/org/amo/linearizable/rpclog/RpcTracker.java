package org.amo.linearizable.rpclog;

import java.util.OptionalLong;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;

/**
 * Numbers the calls under one lease and knows which are answered (section III-A). A number is taken when its call is
 * sent, and never before, so that no number stays without a call and holds ackId back.
 *
 * <p>Invariant: if the client still wants the result of a number, ackId is below that number; at most {@code window}
 * numbers are above ackId.
 *
 * <p>Safe for use by several threads, unlike RAMCloud's: number and ackId of a call must fit together.
 */
public class RpcTracker {
    /** RAMCloud's. */
    public static final int DEFAULT_WINDOW = 512;

    private final LeaseId client;

    /** By number modulo window: whether it is finished. Above {@code last} and up to {@code ackId} it says nothing. */
    private final boolean[] finished;

    private long ackId;
    private long last;

    public RpcTracker(LeaseId client, int window) {
        if (window < 1) {
            throw new IllegalArgumentException("the window must be positive, not " + window);
        }
        this.client = client;
        this.finished = new boolean[window];
    }

    /** The number of a call that is sent now; empty while the window is full, when the call must wait. */
    public synchronized OptionalLong take() {
        if (last - ackId == finished.length) {
            return OptionalLong.empty();
        }
        finished[slot(++last)] = false;
        return OptionalLong.of(last);
    }

    /** The header of an attempt of that call if it is sent now. */
    public synchronized RpcHeader header(long number, ClusterTime leaseExpires, ClusterTime clusterTime) {
        // An attempt of a call that is finished meanwhile acknowledges no more than it may.
        return new RpcHeader(new RpcId(client, number), Math.min(ackId, number - 1), leaseExpires, clusterTime);
    }

    /**
     * The client waits for that call no longer: its result came, or the call was abandoned and is not sent again.
     * Numbers that are finished already, or were never taken, change nothing.
     */
    public synchronized void finish(long number) {
        if (number <= ackId || number > last) {
            return;
        }
        finished[slot(number)] = true;
        while (ackId < last && finished[slot(ackId + 1)]) {
            ackId++;
        }
    }

    /** All results up to this number, and this one, have been received. */
    public synchronized long ackId() {
        return ackId;
    }

    /** Calls that have a number and are not finished, and those that wait behind them for the window. */
    public synchronized long spread() {
        return last - ackId;
    }

    private int slot(long number) {
        return (int) (number % finished.length);
    }
}
