package org.amo.replication.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.junit.jupiter.api.Test;

final class SequencerLogTest extends JoinedLogContract {
    private static final List<String> IDS = List.of("a", "b", "c");

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

    @Test
    void aMemberThatComesBackGetsTheSnapshotAndThenWhatFollowsIt() {
        startAll();
        submit("a", 0, 200);
        awaitDelivered(200, IDS);
        IDS.forEach(id ->
                assertTrue(log(id).compacts() && log(id).compact(recorder(id).snapshot()), id));
        submit("b", 200, 250);
        awaitDelivered(250, IDS);
        close("c");
        awaitLeader(List.of("a", "b"));

        start(List.of("c"));
        submit("c", 250, 260);

        awaitDelivered(260, IDS);
        assertSameOrder(IDS);
        assertEquals(List.of(200L), recorder("c").snapshots());
        assertEquals(201L, recorder("c").positions().get(1));
    }
}
