package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three tiers (paper 004 section 5): clients, three members, one database (H2, in memory). */
@Timeout(30)
final class DatabaseServiceTest {
    private static final String URL = "jdbc:h2:mem:accounts;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";

    @Test
    void theDatabaseIsUpdatedOnceForEachRequestWhateverMembersDoAndHoweverOftenTheLogRuns() throws Exception {
        AccountsInDatabase.openAccount(URL);
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(3, DatabaseServiceTest::connect);
                AccountsInDatabase outside = new AccountsInDatabase(URL)) {
            AmoClient client = group.client();
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                calls.add(client.callAsync(amount(1)).toCompletableFuture());
                if (i == 100) {
                    group.crash("a");
                } else if (i == 200) {
                    // Its log begins from the start, on a database that has it all.
                    group.restart("a");
                }
            }
            for (CompletableFuture<byte[]> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            assertTrue(group.awaitAgreement(Duration.ofSeconds(15)));
            assertEquals(300, outside.updates());
            assertEquals(301, ByteBuffer.wrap(client.call(amount(1))).getLong());
        }
    }

    private static byte[] amount(long amount) {
        return ByteBuffer.allocate(Long.BYTES).putLong(amount).array();
    }

    private static AmoHandler connect() {
        try {
            return new AccountsInDatabase(URL);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
