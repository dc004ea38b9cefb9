package org.amo.core.rpclog;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.lease.LeaseId;
import org.amo.core.lease.LeaseRule;
import org.amo.core.lease.LeaseRules;

/**
 * Takes ranges of a dead server over (sections IV-B and IV-C). It is shown all that the dead server's log holds, and
 * keeps the records of its ranges, and <em>every</em> client's ackId: an acknowledgement that came with a call of one
 * range may have removed a record of another. The paper moves records by key only, and so a late copy is new where
 * nothing of its client arrived.
 *
 * <p>Entries may come in any order. Nothing is in the table before {@link #into}, so that a recovery that is broken
 * off leaves no trace. One thread owns it.
 */
public final class RangeRecovery {
    private final List<KeyRange> mine;
    private final LeaseRules rules;
    private final Map<Long, Long> ackIds = new TreeMap<>();
    private final Map<Long, TreeMap<Long, RpcRecord>> records = new TreeMap<>();

    public RangeRecovery(List<KeyRange> mine) {
        this(mine, LeaseRules.ALL);
    }

    /** For the simulator. */
    public RangeRecovery(List<KeyRange> mine, LeaseRules rules) {
        this.mine = List.copyOf(mine);
        this.rules = rules;
    }

    /** Whether an object, or the record of a call to it, comes here. */
    public boolean isMine(long table, long keyHash) {
        return mine.stream().anyMatch(range -> range.contains(table, keyHash));
    }

    public void onRecord(RpcRecord record) {
        boolean here = isMine(record.table(), record.keyHash());
        long client = record.id().client().value();
        if (here || rules.holds(LeaseRule.BOUND_FOLLOWS_EVERY_RANGE)) {
            ackIds.merge(client, record.ackId(), Math::max);
        }
        if (here) {
            records.computeIfAbsent(client, id -> new TreeMap<>())
                    .put(record.id().number(), record);
        }
    }

    public void onBound(LeaseId client, long ackId) {
        if (rules.holds(LeaseRule.BOUND_FOLLOWS_EVERY_RANGE)) {
            ackIds.merge(client.value(), ackId, Math::max);
        }
    }

    /** What this server must write to its own log, in one batch with the objects, before it serves. */
    public void writeTo(RecoveredLog log) {
        ackIds.forEach((client, ackId) -> {
            if (ackId > 0) {
                log.putBound(new LeaseId(client), ackId);
            }
        });
        records.forEach((client, numbers) ->
                numbers.tailMap(ackId(client), false).values().forEach(log::putRecord));
    }

    /** Once that is durable: what the table must know. */
    public void into(UnackedRpcResults table) {
        ackIds.forEach((client, ackId) -> {
            if (ackId > 0) {
                table.recoverBound(new LeaseId(client), ackId);
            }
        });
        records.forEach((client, numbers) -> numbers.tailMap(ackId(client), false)
                .values()
                .forEach(record -> table.recoverRecord(record.id(), record.ackId())));
    }

    private long ackId(long client) {
        return ackIds.getOrDefault(client, 0L);
    }

    /** The log of the server that recovers. A bound replaces a lower one of the client, and no higher one. */
    public interface RecoveredLog {
        void putBound(LeaseId client, long ackId);

        void putRecord(RpcRecord record);
    }
}
