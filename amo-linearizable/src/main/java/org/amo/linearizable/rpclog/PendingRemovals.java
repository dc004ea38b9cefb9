package org.amo.linearizable.rpclog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.linearizable.lease.LeaseId;

/**
 * The cleaner's rule (section IV-D): which records go with a write batch.
 *
 * <p>Invariant: for every record that was ever removed, while its client has a lease, the disk holds an entry of that
 * client with an ackId of at least the removed number. Such an entry is the record of a later call, written in the same
 * batch, or else a bound. The paper lacks it: its cleaner drops an acknowledged record when only memory, or a record
 * that will move to another server, knows of the acknowledgement; after a crash a late attempt is new then.
 *
 * <p>One thread owns it. After a crash {@link UnackedRpcResults#recoverRecord} names the records still to be removed.
 */
public class PendingRemovals implements RpcLogEffects {
    /** By client: the numbers of the records that are to go. */
    private final Map<Long, List<Long>> acknowledged = new TreeMap<>();

    private final List<LeaseId> forgotten = new ArrayList<>();
    private int count;

    @Override
    public void acknowledged(RpcId id) {
        acknowledged
                .computeIfAbsent(id.client().value(), client -> new ArrayList<>())
                .add(id.number());
        count++;
    }

    @Override
    public void forgotten(LeaseId client) {
        List<Long> numbers = acknowledged.remove(client.value());
        count -= numbers == null ? 0 : numbers.size();
        forgotten.add(client);
    }

    /** Records and clients that wait to be removed. */
    public int size() {
        return count + forgotten.size();
    }

    /**
     * Adds the clients that were forgotten. To be called before a record is added: a client that was forgotten and claims a
     * lease has a new record, which the removal of its earlier ones must not take.
     */
    public void addForgotten(RpcLogBatch batch) {
        forgotten.forEach(batch::removeClient);
        forgotten.clear();
    }

    /**
     * Adds all that is pending to a batch.
     *
     * @param written the records that the same batch writes
     * @param table knows the ackId of each client by now: at least each of its pending numbers
     */
    public void addTo(RpcLogBatch batch, Iterable<RpcRecord> written, UnackedRpcResults table) {
        addForgotten(batch);
        if (acknowledged.isEmpty()) {
            return;
        }
        Map<Long, Long> carried = new HashMap<>();
        for (RpcRecord record : written) {
            // A record that the same batch removes carries nothing.
            if (record.id().number() > table.ackId(record.id().client())) {
                carried.merge(record.id().client().value(), record.ackId(), Math::max);
            }
        }
        acknowledged.forEach((id, numbers) -> {
            LeaseId client = new LeaseId(id);
            long highest = 0;
            for (long number : numbers) {
                batch.removeRecord(new RpcId(client, number));
                highest = Math.max(highest, number);
            }
            if (highest > carried.getOrDefault(id, 0L)) {
                batch.putBound(client, Math.max(highest, table.ackId(client)));
            }
        });
        acknowledged.clear();
        count = 0;
    }
}
