package org.amo.replication.order;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.dpg.DpgLog;

final class DpgLogTest extends JoinedLogContract {
    @Override
    OrderedLog open(String id) {
        return new DpgLog(Groups.settings(
                group,
                id,
                members,
                ReplicaSettings.Order.RAFT,
                ReplicaSettings.Log.MEMORY,
                Path.of("unused"),
                Optional.empty()));
    }

    @Override
    OrderedLog.Guarantee guarantee() {
        return OrderedLog.Guarantee.QUASI_TOTAL;
    }

    @Override
    boolean startsWithMajority() {
        return true;
    }

    @Override
    boolean servesAlone() {
        return true;
    }
}
