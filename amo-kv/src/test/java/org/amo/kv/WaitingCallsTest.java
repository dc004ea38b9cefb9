package org.amo.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of a client that finds no coordinator. */
@Timeout(60)
final class WaitingCallsTest {
    private static final byte[] KEY = {1};
    private static final byte[] VALUE = new byte[KvRequest.MAX_VALUE - KEY.length];

    @Test
    void callsThatWaitAreBoundedByTheirBytesAndGiveTheirRoomBack() {
        KvAccess access = new KvAccess("a=127.0.0.1:1/2", Optional.empty());
        try (KvClient client = KvClient.open(access, Duration.ofSeconds(2), Duration.ofSeconds(1))) {
            long fit = KvClient.MAX_WAITING_BYTES / KvRequest.MAX_VALUE;
            assertTrue(fit < KvClient.MAX_WAITING);
            for (int n = 0; n < fit; n++) {
                assertFalse(client.writeAsync(KEY, VALUE).isDone(), "call " + n);
            }
            for (int n = 0; n < fit; n++) {
                assertRefused(client.writeAsync(KEY, VALUE));
            }
            // The first ones end at their deadline.
            await().until(() -> !client.writeAsync(KEY, VALUE).isDone());
        }
    }

    private static void assertRefused(CompletableFuture<KvResult> call) {
        assertTrue(call.isDone());
        Throwable why = assertThrows(CompletionException.class, call::join).getCause();
        KvException refused = assertInstanceOf(KvException.class, why);
        assertTrue(String.valueOf(refused.getMessage()).contains("wait already"));
        assertFalse(refused.mayHaveRun());
        assertTrue(new KvUnknownException("test").mayHaveRun());
    }
}
