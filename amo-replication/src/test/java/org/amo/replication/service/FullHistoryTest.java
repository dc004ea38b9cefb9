package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
class FullHistoryTest {
    /** The device takes no byte, as a full disk. */
    private static final Path FULL = Path.of("/dev/full");

    /** The outcome was written before it was told: a call whose event did not fit never ended. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aHistoryThatCannotBeWrittenCostsNoCallItsOutcome() {
        try (AmoClient client = AmoClient.builder("absent")
                .members("a=127.0.0.1:1/2")
                .insecure()
                .deadline(Duration.ofMillis(300))
                .history(FULL, "c1")
                .build()) {
            for (int i = 0; i < 2; i++) {
                assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[1]));
            }
            ExecutionException failed = assertThrows(
                    ExecutionException.class,
                    () -> client.callAsync(new byte[1]).toCompletableFuture().get(20, TimeUnit.SECONDS));
            assertInstanceOf(AmoNotExecutedException.class, failed.getCause());
        }
    }
}
