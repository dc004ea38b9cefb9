package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member with replies in a file is started a second time by mistake, or cannot make the file. */
@Timeout(60)
final class SecondStartTest {
    @TempDir
    Path data;

    private Path folder() throws IOException {
        return Files.createDirectories(data.resolve("bank").resolve("a"));
    }

    private OrderedLogException refused() {
        ReplicaSettings settings = ReplicaSettings.builder("bank", "a", FreePorts.members(1))
                .data(data)
                .store(ReplicaSettings.Store.CHRONICLE)
                .build();
        return assertThrows(OrderedLogException.class, () -> new ReplicationProvider()
                .open(settings, (position, time, request) -> request.body(), why -> {}));
    }

    /** The first process would end once its file had to grow. */
    @Test
    void theSecondProcessLeavesTheRepliesOfTheFirst() throws IOException {
        Path replies = Files.write(folder().resolve("replies-1.map"), new byte[1]);
        try (ExecutionGate first = ExecutionGate.open(Optional.of(folder()), true)) {
            assertFalse(first.isHolding());
            OrderedLogException refusal = refused();
            assertTrue(String.valueOf(refusal.getMessage()).contains("already member"), refusal::toString);
        }
        assertTrue(Files.exists(replies));
    }

    @Test
    void aStartThatCannotMakeTheFileLeavesNoLock() throws IOException {
        Path obstacle = folder().resolve("replies-1.map");
        Files.createDirectories(obstacle.resolve("full"));
        for (int start = 0; start < 2; start++) {
            OrderedLogException refusal = refused();
            assertEquals(Fault.ENVIRONMENT, refusal.fault());
            assertTrue(
                    String.valueOf(refusal.getMessage()).contains("amo.store=chronicle cannot make its files"),
                    refusal::toString);
        }
    }
}
