package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InaccessibleObjectException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.reply.RecordMemory;
import org.amo.replication.order.Groups;
import org.junit.jupiter.api.Test;

/** How much of the heap a member's settings leave to replies, and why a store cannot be opened. */
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

    @Test
    void aDiskWithoutRoomForChroniclesFileIsTheEnvironmentsFault() {
        IOException full = new IOException("posix_fallocate() returned 28");
        for (RuntimeException thrown :
                List.of(new UncheckedIOException(full), new IllegalStateException("of the map", full))) {
            OrderedLogException why = ReplyStores.chronicleCannotRun(Path.of("folder"), thrown);
            assertEquals(OrderedLogException.Fault.ENVIRONMENT, why.fault());
            String text = String.valueOf(why.getMessage());
            assertTrue(text.contains(full.getMessage()) && text.contains("make room in folder"), text);
        }
    }

    /** Some of its errors are IOExceptions although the virtual machine lacks an option. */
    @Test
    void aVirtualMachineThatCannotRunChronicleIsTheUsersFault() {
        IOException wrapped = new IOException("unsupported", new InaccessibleObjectException("not opened"));
        for (Throwable thrown :
                List.of(new UncheckedIOException(wrapped), new NoClassDefFoundError("net/openhft/ChronicleMap"))) {
            OrderedLogException why = ReplyStores.chronicleCannotRun(Path.of("folder"), thrown);
            assertEquals(OrderedLogException.Fault.USER, why.fault());
            String text = String.valueOf(why.getMessage());
            assertTrue(text.contains("put net.openhft:chronicle-map on its class path"), text);
        }
    }
}
