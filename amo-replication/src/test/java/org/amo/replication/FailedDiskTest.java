package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose disk fails under its replies or its notes of executions ends, and names the disk. */
@Timeout(60)
class FailedDiskTest {
    @Test
    void theMemberSaysThatItsDiskFailed() {
        List<Member> members = List.of(new Member("a", "memory", 1, 1));
        ReplicaSettings settings = ReplicaSettings.builder("g", "a", members)
                .log(ReplicaSettings.Log.MEMORY)
                .build();
        List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
        try (InMemoryLogs logs = new InMemoryLogs();
                ReplicatedService member = ReplicationProvider.open(
                        settings,
                        (position, time, request) -> {
                            throw new UncheckedIOException(new IOException("No space left on device"));
                        },
                        logs.member("a"),
                        ended::add)) {
            await().atMost(Duration.ofSeconds(20)).until(() -> member.status().orderedTimeMillis() > 0);
            ReplicaStatus status = member.status();
            long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
            RequestId id = RequestId.own(new ClientId(1, 2), 1);
            member.submit(
                    new Request(id, timestamp, timestamp + 10_000, 1, false, new byte[0]),
                    FinishedNumbers.NONE,
                    answer -> {});
            await().atMost(Duration.ofSeconds(20)).until(() -> !ended.isEmpty());
        }
        String message = "" + ended.get(0).getMessage();
        assertTrue(
                message.contains("stops, since its disk failed (")
                        && message.endsWith("No space left on device); make room on it or replace it, then start the"
                                + " member again"),
                message);
        assertEquals(OrderedLogException.Fault.ENVIRONMENT, ended.get(0).fault());
    }
}
