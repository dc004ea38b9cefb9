package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Refusal;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two of three members are gone, over RAFT and TCP: a call that no member could order says that it did not run. */
@Timeout(120)
final class NoMajorityTest {
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();
    private final AtomicLong runs = new AtomicLong();

    @Test
    void callsWithoutAMajorityAreCertainlyNotExecutedAndRunOnceItIsBack(@TempDir Path folder) throws Exception {
        String members = Member.format(FreePorts.members(3));
        try (AmoClient client = AmoClient.builder("few")
                .members(members)
                .insecure()
                .deadline(Duration.ofSeconds(20))
                .build()) {
            for (CompletableFuture<AmoReplica> each : List.of(
                    CompletableFuture.supplyAsync(() -> start("a", members, folder)),
                    CompletableFuture.supplyAsync(() -> start("b", members, folder)),
                    CompletableFuture.supplyAsync(() -> start("c", members, folder)))) {
                AmoReplica replica = each.get(30, TimeUnit.SECONDS);
                replicas.put(replica.id(), replica);
            }
            client.call("x".getBytes(UTF_8));
            await().until(() -> runs.get() == 3);

            replicas.remove("a").close();
            replicas.remove("b").close();
            AmoReplica left = replicas.get("c");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> left.status().leader().isEmpty());
            for (int i = 0; i < 4; i++) {
                AmoNotExecutedException certain = assertThrows(
                        AmoNotExecutedException.class, () -> client.call("x".getBytes(UTF_8), Duration.ofSeconds(1)));
                assertEquals(Optional.of(Refusal.OVERLOADED), certain.reason());
            }

            replicas.put("a", start("a", members, folder));
            client.call("x".getBytes(UTF_8));
            await().until(() ->
                    left.status().executedPosition() == left.status().position());
            // Three runs of the first call, one at each survivor of the last, and the first again in a's new life.
            await().until(() -> runs.get() == 6);
        } finally {
            replicas.values().forEach(AmoReplica::close);
        }
    }

    private AmoReplica start(String id, String members, Path folder) {
        return AmoReplica.builder("few")
                .id(id)
                .members(members)
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .handler((request, context) -> (runs.incrementAndGet() > 0 ? "ran" : "").getBytes(UTF_8))
                .start();
    }
}
