package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member whose earlier process had diverged. */
@Timeout(60)
class DistrustedMemberTest {
    @TempDir
    Path folder = Path.of("unset");

    private String told(ReplicaSettings.Divergence divergence) throws Exception {
        List<Member> members = FreePorts.members(1);
        String id = members.get(0).id();
        Path kept = Files.createDirectories(
                folder.resolve(divergence.name()).resolve("one").resolve(id));
        DivergenceNote.open(Optional.of(kept)).diverged(7, "differs from b at position 7 of the log");
        ReplicaSettings settings = ReplicaSettings.builder("one", id, members)
                .log(ReplicaSettings.Log.FILE)
                .data(folder.resolve(divergence.name()))
                .divergence(divergence)
                .build();
        try (ReplicatedService member =
                new ReplicationProvider().open(settings, (position, time, request) -> new byte[1], why -> {})) {
            return member.status().divergence();
        }
    }

    /** It would wait for a majority that never speaks. */
    @Test
    void withoutComparisonsItSaysThatItNeverServes() throws Exception {
        assertEquals("differs from b at position 7 of the log", told(ReplicaSettings.Divergence.STOP));
        assertEquals(
                "differs from b at position 7 of the log; with --divergence off its state is not compared, so it answers no"
                        + " client: start all members with --divergence stop, or replace this one by a member with another id",
                told(ReplicaSettings.Divergence.OFF));
    }
}
