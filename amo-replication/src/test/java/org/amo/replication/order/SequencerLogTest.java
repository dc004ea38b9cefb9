package org.amo.replication.order;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;

final class SequencerLogTest extends OrderedLogContract {
    private String group = "";
    private List<Member> members = List.of();

    @Override
    void newGroup() {
        group = Groups.freshName();
        members = FreePorts.members(3);
    }

    @Override
    OrderedLog open(String id) {
        return OrderedLogs.open(Groups.settings(
                group,
                id,
                members,
                ReplicaSettings.Order.SEQUENCER,
                ReplicaSettings.Log.MEMORY,
                Path.of("unused"),
                Optional.empty()));
    }

    @Override
    OrderedLog.Guarantee guarantee() {
        return OrderedLog.Guarantee.TOTAL;
    }

    @Override
    boolean startsWithMajority() {
        return false;
    }
}
