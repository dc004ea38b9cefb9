package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.reply.RecordMemory;
import org.amo.replication.order.Groups;
import org.junit.jupiter.api.Test;

/** How much of the heap a member's settings leave to replies. */
class ReplyStoresTest {
    @Test
    void withoutAFileRepliesMayTakeAQuarterOfTheHeap() {
        ReplicaSettings settings = Groups.settings(
                "stores",
                "a",
                Member.parseList("a=127.0.0.1:1/2"),
                ReplicaSettings.Order.RAFT,
                ReplicaSettings.Log.MEMORY,
                Path.of("unused"),
                Optional.empty());
        RecordMemory memory = ReplyStores.open(settings, 1);
        assertEquals(Runtime.getRuntime().maxMemory() / 4, memory.replies().mostHeapBytes());
    }
}
