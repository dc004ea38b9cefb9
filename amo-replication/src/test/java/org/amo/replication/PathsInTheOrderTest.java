package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The path of a request is ordered with it, so that whichever member sends its nested calls knows it. */
@Timeout(60)
class PathsInTheOrderTest {
    private static final CallPath PATH = new CallPath(List.of("front"));

    /** The path of a request as it comes out of the order. */
    private static CallPath ordered(ReplicaSettings.Nested nested) throws Exception {
        ReplicaSettings settings = ReplicaSettings.builder("bank", "a", FreePorts.members(1))
                .nested(nested)
                .log(ReplicaSettings.Log.MEMORY)
                .data(Path.of("."))
                .build();
        CompletableFuture<CallPath> path = new CompletableFuture<>();
        try (InMemoryLogs logs = new InMemoryLogs();
                ReplicatedService member = ReplicationProvider.open(
                        settings,
                        (position, orderedTimeMillis, request) -> {
                            path.complete(request.path());
                            return new byte[0];
                        },
                        logs.member("a"),
                        why -> path.completeExceptionally(why))) {
            await().until(() -> member.status().orderedTimeMillis() > 0);
            ReplicaStatus status = member.status();
            long timestamp = status.upperMillis() + 1;
            RequestId id = RequestId.own(new ClientId(1, 2), 1);
            Request request = new Request(id, timestamp, timestamp + 20_000, 1, false, new byte[0], PATH);
            member.submit(request, FinishedNumbers.NONE, answer -> {});
            return path.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void thePathComesOutOfTheOrder() throws Exception {
        assertEquals(PATH, ordered(ReplicaSettings.Nested.ORDERED));
    }

    @Test
    void whereNestedCallsAreNotOrderedEntriesHaveNoPaths() throws Exception {
        assertEquals(CallPath.NONE, ordered(ReplicaSettings.Nested.REFUSE));
        assertEquals(CallPath.NONE, ordered(ReplicaSettings.Nested.ALLOW));
    }
}
