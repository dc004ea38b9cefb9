package org.amo.linearizable.rpclog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.amo.linearizable.lease.LeaseId;

/**
 * Takes ranges of a dead server over (sections IV-B and IV-C). It is shown all that the dead server's log holds, and
 * keeps the records of its ranges, and <em>every</em> client's ackId: an acknowledgement that came with a call of one
 * range may have removed a record of another. The paper moves records by key only, and so a late attempt is new where
 * nothing of its client arrived.
 *
 * <p>Entries may come in any order. Nothing changes before {@link #takeOver}. One thread owns it.
 */
public class RangeRecovery {
    private final List<KeyRange> mine;
    private final Map<Long, Long> ackIds = new TreeMap<>();
    private final List<RpcRecord> records = new ArrayList<>();

    public RangeRecovery(List<KeyRange> mine) {
        this.mine = List.copyOf(mine);
    }

    /** Whether an object, or the record of a call to it, comes here. */
    public boolean isMine(long table, long keyHash) {
        return mine.stream().anyMatch(range -> range.contains(table, keyHash));
    }

    public void onRecord(RpcRecord record) {
        ackIds.merge(record.id().client().value(), record.ackId(), Math::max);
        if (isMine(record.table(), record.keyHash())) {
            records.add(record);
        }
    }

    public void onBound(LeaseId client, long ackId) {
        ackIds.merge(client.value(), ackId, Math::max);
    }

    /**
     * Takes all of it over: into the batch that also brings the objects, and into the table at the same time, so that a
     * client that is forgotten from now on goes from both. Pending removals go first: a client that this server has
     * forgotten may come back with the range, until its lease is asked about again. The range is served
     * when the batch is durable, the coordinator has been told, and the cluster time was learned anew. Until the coordinator
     * is told, the batch may be durable in part: up to any object or record, but not between a removal and its bound.
     */
    public void takeOver(RpcLogBatch batch, UnackedRpcResults table, PendingRemovals removals) {
        removals.addTo(batch, List.of(), table);
        Set<Long> bounded = new TreeSet<>();
        ackIds.forEach((id, ackId) -> {
            if (ackId > 0) {
                table.recoverBound(new LeaseId(id), ackId);
                bounded.add(id);
            }
        });
        for (RpcRecord record : records) {
            LeaseId client = record.id().client();
            if (record.id().number() > table.ackId(client)) {
                table.recoverRecord(record.id(), record.ackId());
                batch.putRecord(record);
            } else {
                // It stays where it is. Perhaps only this server's memory knows that it is acknowledged: to leave it
                // behind is to remove it, and needs a bound on disk as every removal does.
                bounded.add(client.value());
            }
        }
        bounded.forEach(id -> batch.putBound(new LeaseId(id), table.ackId(new LeaseId(id))));
    }
}
