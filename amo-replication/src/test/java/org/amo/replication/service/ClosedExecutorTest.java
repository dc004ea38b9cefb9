package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClosedExecutorTest {
    /** An application may close its pool before its client. */
    @Test
    void stagesEndThoughTheExecutorTakesNoTaskAnyMore() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        pool.shutdown();
        try (AmoClient client = AmoClient.builder("absent")
                .members("a=127.0.0.1:1/2")
                .insecure()
                .deadline(Duration.ofMillis(300))
                .executor(pool)
                .build()) {
            assertFails(client.callAsync(new byte[1]));
            assertFails(client.ask(new byte[1], Duration.ofMillis(300)));
        }
    }

    /** The common pool throws so, too, when there is no thread to be had. */
    @Test
    void stagesEndThoughTheExecutorFailsToRunThem() throws Exception {
        try (AmoClient client = AmoClient.builder("absent")
                .members("a=127.0.0.1:1/2")
                .insecure()
                .deadline(Duration.ofMillis(300))
                .executor(task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                })
                .build()) {
            assertFails(client.callAsync(new byte[1]));
            assertFails(client.ask(new byte[1], Duration.ofMillis(300)));
        }
    }

    @Test
    void aStageEndsThoughReadingTheReplyThrowsAnError() {
        CompletableFuture<byte[]> stage = new CompletableFuture<>();
        // JUnit ends at an OutOfMemoryError.
        AmoClient.complete(stage, () -> {
            throw new InternalError("planted");
        });
        Throwable why = assertThrows(ExecutionException.class, () -> stage.get(0, TimeUnit.SECONDS))
                .getCause();
        assertInstanceOf(InternalError.class, why);
    }

    private static void assertFails(CompletionStage<byte[]> stage) throws Exception {
        Throwable why =
                stage.handle((reply, failed) -> failed).toCompletableFuture().get(20, TimeUnit.SECONDS);
        assertInstanceOf(AmoException.class, why instanceof CompletionException ? why.getCause() : why);
    }
}
