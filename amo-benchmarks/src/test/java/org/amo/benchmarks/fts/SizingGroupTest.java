package org.amo.benchmarks.fts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import org.amo.benchmarks.Bench;
import org.amo.core.order.Member;
import org.amo.replication.service.AmoClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The group of {@code amo bench sizing}, of one member. */
@Timeout(120)
final class SizingGroupTest {
    private static final int STATE = 2_000_000;
    private static final int CALLS = 20;

    @TempDir
    Path folder;

    @Test
    void aMemberTakesSnapshotsOfTheChosenSizeAndComesBack() throws Exception {
        Bench.Servers none = (members, member, data, reference, options) -> List.of();
        Bench.Run run = new Bench.Run(true, folder, line -> {}, none);
        try (SizingGroup group = SizingGroup.start(run, 1, STATE);
                AmoClient client = group.client()) {
            Member member = group.members().get(0);
            JsonNode before = group.status(member);
            for (int i = 0; i < CALLS; i++) {
                client.call(new byte[] {1, 2, 3});
            }
            SizingBench.Ordered ordered = SizingBench.Ordered.between(before, group.status(member));
            assertEquals(CALLS, ordered.requests());
            assertTrue(ordered.bytesPerCall() > 3 && ordered.bytesPerCall() < 10_000, ordered::toString);

            group.takeSnapshot(member);
            JsonNode snapshot = group.status(member).path("snapshot");
            long bytes = snapshot.path("bytes").asLong();
            assertTrue(bytes > STATE && bytes < STATE + 100_000, snapshot::toString);
            assertTrue(group.diskBytes(member) > STATE);

            assertTrue(group.restart(member) > 0);
            JsonNode after = group.status(member);
            assertEquals(snapshot.path("position"), after.path("snapshot").path("position"));
        }
    }
}
