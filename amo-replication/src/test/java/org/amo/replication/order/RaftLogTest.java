package org.amo.replication.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.ReplicaSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RaftLogTest extends JoinedLogContract {
    @TempDir
    private Path data = Path.of("unset");

    @Override
    OrderedLog open(String id) {
        return OrderedLogs.open(Groups.settings(
                group, id, members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FILE, data, Optional.of("sesame")));
    }

    @Override
    OrderedLog.Guarantee guarantee() {
        return OrderedLog.Guarantee.UNIFORM;
    }

    @Override
    boolean startsWithMajority() {
        return true;
    }

    @Test
    void afterARestartOfAllMembersEveryEntryIsDeliveredAgainFromTheFirst() {
        List<String> ids = List.of("a", "b", "c");
        startAll();
        submit("a", 0, 100);
        awaitDelivered(100, ids);
        List<String> before = recorder("a").entries();
        ids.forEach(this::close);

        startAll();
        submit("b", 100, 101);

        awaitDelivered(101, ids);
        assertSameOrder(ids);
        assertEquals(before, recorder("c").entries().subList(0, 100));
        assertEquals(1L, recorder("c").positions().get(0));
        assertEquals(101L, recorder("c").positions().get(100));
    }
}
