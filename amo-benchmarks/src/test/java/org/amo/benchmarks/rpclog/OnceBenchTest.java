package org.amo.benchmarks.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.List;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.meetings.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class OnceBenchTest {
    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void withoutADatabaseItSaysHowToNameOne() throws Exception {
        assumeTrue(System.getenv(OnceBench.URL) == null);
        Figures figures = new OnceBench().measure(run());
        assertEquals(List.of(), figures.rows());
        assertTrue(figures.remarks().get(0).contains(OnceBench.URL), () -> figures.remarks()
                .toString());
    }

    private Run run() {
        return new Run(true, folder, line -> {}, (members, member, data, reference, options) -> List.of());
    }

    /** A small run in a PostgreSQL of the test's own. */
    @Test
    @Tag("slow")
    void bothKindsOfWriteAndTheCleanerAreMeasuredAndNothingStays() throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "PostgreSQL is not installed: nothing was measured");
        Figures figures = new Figures("once");
        try (PostgresServer server = PostgresServer.start(folder)) {
            OnceBench.measure(run(), figures, server.url(), new OnceBench.Scale(List.of(100), 2, true, 1, 5_000));
            try (Connection connection = DriverManager.getConnection(server.url());
                    ResultSet schemas = connection.getMetaData().getSchemas(null, BenchDatabase.SCHEMA)) {
                assertTrue(!schemas.next(), "the schema stays");
            }
        }
        assertEquals(List.of(), figures.violations());
        assertEquals(
                List.of(
                        "under a key / regular, median, 100 bytes at most 1.1",
                        "under a key / regular, p99, 100 bytes at most 1.2",
                        "records that were there 5 s behind their end at most 0.0",
                        "records removed a minute at least 100000.0"),
                figures.bars().stream()
                        .map(bar -> bar.what() + " " + bar.sign() + " " + bar.bound())
                        .toList());
        assertTrue(figures.bars().get(0).value() > 1, "a record costs something");
        assertTrue(figures.bars().get(3).value() > 0);
    }
}
