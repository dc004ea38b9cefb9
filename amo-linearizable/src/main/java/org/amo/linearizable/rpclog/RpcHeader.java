package org.amo.linearizable.rpclog;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;

/**
 * The header that a linearizable call carries beside its operation. Attempts of a call have the same id; the rest may be
 * newer.
 *
 * <p>There is one convention for ackId: the results of <em>all calls up to and including</em> it have been received.
 * The paper's text says "below the number", RAMCloud's code the same as here; a client of the one and a server of the
 * other would drop the result of a call that is not answered.
 *
 * @param id of the call
 * @param ackId at least 0, below the call's own number
 * @param leaseExpires the end of the client's lease, as far as the client knows
 * @param clusterTime the largest that the client has heard
 */
public record RpcHeader(RpcId id, long ackId, ClusterTime leaseExpires, ClusterTime clusterTime) {
    public RpcHeader {
        if (ackId < 0 || ackId >= id.number()) {
            throw new IllegalArgumentException(
                    "a call cannot acknowledge itself: number=" + id.number() + " ackId=" + ackId);
        }
    }

    /** The same call, with the authority's answer about its client's lease. */
    public RpcHeader withLease(LeaseAnswer answer) {
        return new RpcHeader(id, ackId, answer.expires(), ClusterTime.max(clusterTime, answer.now()));
    }

    public void write(WireWriter writer) {
        writer.varint(id.client().value());
        writer.varint(id.number());
        writer.varint(id.number() - ackId);
        writer.varint(leaseExpires.millis());
        writer.varint(clusterTime.millis());
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #write} did not write */
    public static RpcHeader read(WireReader reader) {
        LeaseId client = new LeaseId(reader.varint("client", 1, LeaseId.MAX_VALUE));
        long number = reader.varint("number", 1, RpcId.MAX_NUMBER);
        long ackId = number - reader.varint("ack distance", 1, number);
        ClusterTime expires = new ClusterTime(reader.varint("lease expires", 0, ClusterTime.MAX_MILLIS));
        ClusterTime time = new ClusterTime(reader.varint("cluster time", 0, ClusterTime.MAX_MILLIS));
        return new RpcHeader(new RpcId(client, number), ackId, expires, time);
    }
}
