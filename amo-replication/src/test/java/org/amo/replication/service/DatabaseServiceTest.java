package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.meetings.PostgresServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three tiers (Friedman and Hadad, section 5): clients, three members, one database. */
@Timeout(60)
final class DatabaseServiceTest {
    @Test
    void anEmbeddedDatabaseIsUpdatedOnceForEachRequest() throws Exception {
        updatedOnceWhateverMembersDoAndHoweverOftenTheLogRuns(
                "jdbc:h2:mem:accounts;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
    }

    @Test
    void postgresIsUpdatedOnceForEachRequest(@TempDir Path folder) throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed: only the embedded database was tried");
        try (PostgresServer postgres = PostgresServer.start(folder)) {
            updatedOnceWhateverMembersDoAndHoweverOftenTheLogRuns(postgres.url());
        }
    }

    private static void updatedOnceWhateverMembersDoAndHoweverOftenTheLogRuns(String url) throws Exception {
        AccountsInDatabase.openAccount(url);
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(3, () -> connect(url));
                AccountsInDatabase outside = new AccountsInDatabase(url)) {
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

    private static AmoHandler connect(String url) {
        try {
            return new AccountsInDatabase(url);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
