package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.order.Groups;
import org.amo.replication.order.Recorder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot that a disk takes slowly, when the member is closed and started again in the same process. */
@Timeout(120)
final class SlowSnapshotTest {
    private static final Duration BOUND = Duration.ofSeconds(40);

    @TempDir
    private Path data = Path.of("unset");

    private final List<Member> members = FreePorts.members(1);
    private final String group = Groups.freshName();

    @Test
    void theFolderIsGivenBackWhenTheSnapshotIsWritten() throws Exception {
        Recorder recorder = new Recorder();
        RaftLog log = open();
        log.start(recorder);
        await().atMost(BOUND).until(() -> recorder.leader().equals("a"));
        log.submit(1, "x".getBytes(UTF_8));
        await().atMost(BOUND).until(() -> recorder.count() == 1);
        // Nothing can be written to a pipe before another end is open.
        Path pipe = data.resolve(group).resolve("a/a.log/snapshot.next");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        LogSnapshot snapshot = recorder.snapshot();
        CountDownLatch written = new CountDownLatch(1);
        Thread writer = new Thread(
                () -> {
                    // A pipe cannot be forced.
                    assertThrows(OrderedLogException.class, () -> log.compact(snapshot));
                    written.countDown();
                },
                "writer");
        writer.start();
        await().atMost(BOUND).until(() -> isIn(writer, "FileDispatcherImpl", "UnixNativeDispatcher"));
        log.close();
        try {
            OrderedLogException refused = assertThrows(OrderedLogException.class, () -> open().start(new Recorder()));
            assertTrue(String.valueOf(refused.getMessage()).contains("another process is already"), refused::toString);
        } finally {
            try (InputStream other = Files.newInputStream(pipe)) {
                assertTrue(other.readAllBytes().length > 0);
            }
        }
        written.await();
        RaftLog next = open();
        next.start(new Recorder());
        next.close();
    }

    private static boolean isIn(Thread thread, String... classes) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0
                && List.of(classes).stream()
                        .anyMatch(each -> stack[0].getClassName().contains(each));
    }

    private RaftLog open() {
        ReplicaSettings settings = Groups.settings(
                group, "a", members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FSYNC, data, Optional.empty());
        return new RaftLog(settings, FaultHooks.NONE);
    }
}
