package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.Groups;
import org.amo.replication.order.OrderedLogs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A group of one member over a real log, whose servant has timers. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class TimersTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String LOG_BYTES = "amo.snapshotBytes";

    @TempDir
    Path folder = Path.of("unset");

    private final List<Member> members = FreePorts.members(1);
    private volatile Alarm servant = new Alarm();
    private Optional<ReplicatedService> replica = Optional.empty();

    /** A request sets a timer by its first number, in milliseconds from then on; 0 sets none. */
    private static final class Alarm implements ServantPort {
        private final List<String> events = Collections.synchronizedList(new ArrayList<>());
        private volatile long dueMillis = Long.MAX_VALUE;
        private final AtomicInteger states = new AtomicInteger();

        /** Whether each timer overflows the stack. */
        private volatile boolean overflows;

        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            long delay = ByteBuffer.wrap(request.body()).getLong();
            if (delay > 0) {
                dueMillis = orderedTimeMillis + delay;
                events.add("set at " + position);
            }
            return new byte[1];
        }

        @Override
        public boolean hasTimers() {
            return true;
        }

        @Override
        public void fireTimer(Place place, long orderedTimeMillis) {
            assertTrue(dueMillis <= orderedTimeMillis, "not due");
            if (overflows) {
                throw new StackOverflowError();
            }
            dueMillis = Long.MAX_VALUE;
            events.add("fired at " + place);
        }

        @Override
        public void dropTimer() {
            dueMillis = Long.MAX_VALUE;
            events.add("dropped");
        }

        @Override
        public OptionalLong nextTimerMillis() {
            return dueMillis == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(dueMillis);
        }

        @Override
        public Optional<byte[]> takeState() {
            states.incrementAndGet();
            assertTrue(nextTimerMillis().isEmpty(), "a timer is pending");
            return Optional.of(new byte[1]);
        }

        @Override
        public void restoreState(byte[] state) {
            events.add("restored");
        }
    }

    @BeforeAll
    static void cutEarly() {
        System.setProperty(LOG_BYTES, "20000");
    }

    @AfterAll
    static void cutAsUsual() {
        System.clearProperty(LOG_BYTES);
    }

    @AfterEach
    void close() {
        replica.ifPresent(ReplicatedService::close);
    }

    @Test
    void aTimerFiresWithoutACallAndOnceInEachReplay() throws Exception {
        open();
        call(1, 200);
        await().atMost(BOUND).until(() -> servant.events.size() == 2);
        call(2, 0);
        List<String> events = List.copyOf(servant.events);
        assertTrue(events.get(0).startsWith("set at ") && events.get(1).startsWith("fired at "), events.toString());
        replica.orElseThrow().close();

        servant = new Alarm();
        open();
        await().atMost(BOUND).until(() -> servant.events.size() >= 2);
        call(3, 0);
        assertEquals(events, servant.events);
    }

    @Test
    void aMemberThatRestartsHasItsPendingTimerAgain() throws Exception {
        open();
        call(1, 3_000);
        replica.orElseThrow().close();
        assertEquals(1, servant.events.size());
        servant = new Alarm();
        open();
        await().atMost(BOUND).until(() -> servant.events.size() == 2);
        assertTrue(servant.events.get(1).startsWith("fired at "));
    }

    /** The only member dies of it, and is all members. */
    @Test
    void aTimerThatEndsTheMemberIsSkippedAndTheMemberGoesOn() throws Exception {
        CompletableFuture<byte[]> notes = new CompletableFuture<>();
        servant.overflows = true;
        open((member, error) -> notes.complete(executions()));
        call(1, 200);
        byte[] ofADeadProcess = notes.get(30, TimeUnit.SECONDS);
        replica.orElseThrow().close();

        servant = new Alarm();
        servant.overflows = true;
        // Until the member before has closed its folder.
        await().atMost(BOUND)
                .ignoreExceptionsInstanceOf(OrderedLogException.class)
                .until(() -> {
                    Files.write(notes(), ofADeadProcess, StandardOpenOption.WRITE);
                    open();
                    return true;
                });
        await().atMost(BOUND).until(() -> servant.events.contains("dropped"));
        call(2, 0);
        assertEquals(2, servant.events.size(), servant.events.toString());
        assertTrue(servant.events.get(0).startsWith("set at "), servant.events.toString());
    }

    private byte[] executions() {
        try {
            return Files.readAllBytes(notes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path notes() {
        return folder.resolve("one").resolve("a").resolve("executions");
    }

    /** A snapshot would lose it. */
    @Test
    void noStateIsTakenWhileATimerIsPending() throws Exception {
        open();
        call(1, 2_000);
        long number = 1;
        while (servant.events.size() < 2) {
            number++;
            call(number, 0);
            if (servant.dueMillis != Long.MAX_VALUE) {
                assertEquals(0, servant.states.get());
                assertFalse(Files.exists(snapshot()));
            }
        }
        assertTrue(number > 40, "the log was to be cut meanwhile, after calls: " + number);
        while (!Files.exists(snapshot())) {
            number++;
            call(number, 0);
        }
        assertTrue(servant.states.get() > 0);
    }

    private Path snapshot() {
        return folder.resolve("one").resolve("a").resolve("a.log").resolve("snapshot.amo");
    }

    private void open() {
        open(ProcessEnd.atOnce());
    }

    private void open(FatalErrors fatal) {
        ReplicaSettings settings = Groups.settings(
                "one", "a", members, ReplicaSettings.Order.RAFT, ReplicaSettings.Log.FSYNC, folder, Optional.empty());
        OrderedLog log = OrderedLogs.open(settings, InstalledFaultHooks.INSTALLED);
        replica = Optional.of(ReplicationProvider.open(settings, servant, log, why -> {}, fatal));
        await().atMost(BOUND)
                .until(() ->
                        status().orderedTimeMillis() > 0 && !status().leader().isEmpty());
    }

    private ReplicaStatus status() {
        return replica.orElseThrow().status();
    }

    private void call(long number, long delay) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        ReplicaStatus status = status();
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        replica.orElseThrow()
                .submit(
                        new Request(
                                RequestId.own(CLIENT, number),
                                timestamp,
                                timestamp + 60_000,
                                number,
                                false,
                                ByteBuffer.allocate(1_000).putLong(delay).array()),
                        FinishedNumbers.of(number - 1),
                        answer::complete);
        assertEquals(Answer.Kind.REPLY, answer.get(20, TimeUnit.SECONDS).kind());
    }
}
