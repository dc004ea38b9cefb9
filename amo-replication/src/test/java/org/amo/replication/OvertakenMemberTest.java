package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.NestedCall;
import org.amo.base.RunningOperation;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member that waits in a nested call for a result that a snapshot of the others covers. */
@Timeout(60)
class OvertakenMemberTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @TempDir
    Path folder = Path.of("unset");

    /** No member sends the call, as if the process that claimed it were another one. */
    private static final class UnsentCall implements NestedCall {
        @Override
        public String target() {
            return "another group";
        }

        @Override
        public Optional<byte[]> identity() {
            throw new IllegalStateException("planted: there is no way to the callee");
        }

        @Override
        public Optional<byte[]> send(Optional<byte[]> identity, long deadlineMillis) {
            throw new AssertionError("no identity was ordered");
        }

        @Override
        public void finished() {}
    }

    @Test
    void theSnapshotIsRefusedInALineThatSaysHowTheMemberGoesOn() throws Exception {
        CompletableFuture<Long> running = new CompletableFuture<>();
        List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
        try (InMemoryLogs logs = new InMemoryLogs();
                LogOnDisk log = new LogOnDisk(logs.member("a"), Files.createDirectories(folder.resolve("a")));
                ReplicatedService member = ReplicationProvider.open(
                        settings(), servant(running), log, ended::add, (who, error) -> ended.clear())) {
            await().atMost(BOUND).until(() -> member.status().orderedTimeMillis() > 0);
            submit(member, member.status());
            long position = running.get(30, TimeUnit.SECONDS);
            LogSnapshot snapshot = new LogSnapshot(position + 10, new byte[] {2}, new byte[0]);
            // Whether the operation waits already or begins to, while the snapshot stands behind it.
            OrderedLogException why =
                    assertThrows(OrderedLogException.class, () -> log.listener().onSnapshot(snapshot));
            assertEquals(
                    "member 'a' has taken a snapshot of position " + (position + 10)
                            + " while an earlier request waited"
                            + " for an entry that the others have cut off; start it again, and it continues from there",
                    why.getMessage());
        }
    }

    private static ServantPort servant(CompletableFuture<Long> running) {
        return (position, orderedTimeMillis, request) -> {
            running.complete(position);
            RunningOperation.current()
                    .flatMap(RunningOperation::nestedCalls)
                    .orElseThrow()
                    .call(new UnsentCall());
            return new byte[0];
        };
    }

    private static ReplicaSettings settings() {
        return ReplicaSettings.builder("g", "a", List.of(new Member("a", "memory", 1, 1)))
                .log(ReplicaSettings.Log.MEMORY)
                .nested(ReplicaSettings.Nested.ORDERED)
                .build();
    }

    private static void submit(ReplicatedService member, ReplicaStatus status) {
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        member.submit(
                new Request(RequestId.own(new ClientId(1, 2), 1), timestamp, timestamp + 20_000, 1, false, new byte[0]),
                FinishedNumbers.NONE,
                answer -> {});
    }
}
