package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
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

/** A member whose disk fails under its replies or its notes of executions ends, and names the disk. */
@Timeout(120)
class FailedDiskTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();

    @Test
    void theMemberSaysThatItsDiskFailed() {
        try (InMemoryLogs logs = new InMemoryLogs();
                ReplicatedService member = open(
                        (position, time, request) -> {
                            throw new UncheckedIOException(new IOException("No space left on device"));
                        },
                        logs.member("a"))) {
            submit(member);
            await().atMost(BOUND).until(() -> !ended.isEmpty());
        }
        String message = "" + ended.get(0).getMessage();
        assertTrue(
                message.contains("stops, since its disk failed (")
                        && message.endsWith("No space left on device); make room on it or replace it, then start the"
                                + " member again"),
                message);
        assertEquals(OrderedLogException.Fault.ENVIRONMENT, ended.get(0).fault());
    }

    /** The core holds the gate while it waits for a write of the notes. Neither the watch nor a close waits for the gate. */
    @Test
    void aCoreThatHangsInAWriteOfTheNotesEndsTheMember(@TempDir Path folder) throws Exception {
        CountDownLatch hung = new CountDownLatch(1);
        try {
            openHangAndClose(folder, hung);
            assertEquals(1, hung.getCount(), "it still hangs");
        } finally {
            hung.countDown();
        }
        String message = "" + ended.get(0).getMessage();
        assertTrue(message.contains("made no progress"), message);
    }

    private void openHangAndClose(Path folder, CountDownLatch hung) throws ReflectiveOperationException {
        try (InMemoryLogs logs = new InMemoryLogs();
                LogOnDisk log = new LogOnDisk(logs.member("a"), folder);
                ReplicatedService member = open((position, time, request) -> new byte[0], log)) {
            Object gate = gate(member);
            log.disk(none -> {
                synchronized (gate) {
                    hang(hung);
                }
            });
            // Perhaps this thread would own the core, and hang.
            DaemonThreads.start("amo-test-submit", () -> submit(member));
            await().atMost(BOUND).until(() -> !ended.isEmpty());
        }
    }

    private ReplicatedService open(ServantPort servant, OrderedLog log) {
        ReplicaSettings settings = ReplicaSettings.builder("g", "a", List.of(new Member("a", "memory", 1, 1)))
                .log(ReplicaSettings.Log.MEMORY)
                .build();
        return ReplicationProvider.open(settings, servant, log, ended::add);
    }

    private static void submit(ReplicatedService member) {
        await().atMost(BOUND).until(() -> member.status().orderedTimeMillis() > 0);
        ReplicaStatus status = member.status();
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        RequestId id = RequestId.own(new ClientId(1, 2), 1);
        member.submit(
                new Request(id, timestamp, timestamp + 10_000, 1, false, new byte[0]),
                FinishedNumbers.NONE,
                answer -> {});
    }

    private static Object gate(ReplicatedService member) throws ReflectiveOperationException {
        Field field = RunningReplica.class.getDeclaredField("gate");
        field.setAccessible(true);
        return field.get(member);
    }

    /** Ends itself, so that a member that waits for it fails this test. */
    private static void hang(CountDownLatch hung) {
        try {
            if (!hung.await(50, TimeUnit.SECONDS)) {
                hung.countDown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
