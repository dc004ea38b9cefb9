package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.amo.core.request.Refusal;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.jacorb.RawCall;
import org.amo.interceptors.jacorb.WriteWatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TIMEOUT;
import org.omg.PortableInterceptor.ForwardRequest;

/** A client whose application has interceptors of its own. */
@Timeout(60)
class OtherInterceptorsTest {
    private static final String COMM_FAILURE = "IDL:omg.org/CORBA/COMM_FAILURE:1.0";

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private FakeGroup group;

    @BeforeEach
    void start() throws Exception {
        group = new FakeGroup(3);
    }

    @AfterEach
    void stop() {
        ApplicationInterceptor.reset();
        pool.shutdownNow();
        group.close();
    }

    private List<Long> numbers() {
        return group.seen("add").stream().map(FakeMember.Seen::number).collect(Collectors.toList());
    }

    @Test
    void anAttemptThatLeftAndIsRedirectedMayHaveRun() {
        ORB orb = group.client(ApplicationInterceptor.last(), "", "amo.deadlineMillis", "1000");
        Counter counter = group.counter(orb);
        assertEquals(1, counter.add(1));
        org.omg.CORBA.Object second =
                orb.string_to_object(group.reference(1, Optional.of(FakeGroup.groupTag(7)), false));
        ApplicationInterceptor.onException(info -> {
            if (info.received_exception_id().equals(COMM_FAILURE)) {
                throw new ForwardRequest(second);
            }
        });
        group.script = seen -> seen.member() == 0 ? Optional.empty() : Optional.of(group.refusal(Refusal.OVERLOADED));
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        TIMEOUT failed = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertTrue(group.value.get() > 1, "the first attempt ran");
        assertEquals(CompletionStatus.COMPLETED_MAYBE, failed.completed);
        assertEquals(Set.of(1L, 2L), Set.copyOf(numbers()));
    }

    @Test
    void aRedirectedAttemptIsAnsweredElsewhereUnderItsNumber() {
        ORB orb = group.client(ApplicationInterceptor.last(), "");
        Counter counter = group.counter(orb);
        counter.add(1);
        org.omg.CORBA.Object second =
                orb.string_to_object(group.reference(1, Optional.of(FakeGroup.groupTag(7)), false));
        ApplicationInterceptor.onException(info -> {
            throw new ForwardRequest(second);
        });
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        counter.add(1);
        group.member(1).proxy.down();
        counter.add(1);
        assertEquals(List.of(1L, 2L, 2L, 3L), numbers());
    }

    /** JacORB writes it again, for the new connection, and tells no interceptor of the end of the first attempt. */
    @Test
    void anAttemptThatWaitedWhileAnotherThreadMovedItsStubNeverLeft() throws Exception {
        Counter counter = group.counter(group.client(ApplicationInterceptor.last(), ""));
        assertEquals(1, counter.add(1));
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch moved = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        ApplicationInterceptor.onRequest(info -> {
            if (info.operation().equals("add") && first.getAndSet(false)) {
                waiting.countDown();
                awaitQuietly(moved);
            }
        });
        Future<Integer> call = pool.submit(() -> counter.add(1));
        assertTrue(waiting.await(20, TimeUnit.SECONDS));
        group.member(0).proxy.down();
        assertEquals("m1", counter.label());
        group.refuseFirst(1, Refusal.STALE);
        moved.countDown();
        assertEquals(2, call.get(20, TimeUnit.SECONDS));
        // The label has number 3. The attempt under number 2 was refused, and no other one had left.
        assertEquals(List.of(1L, 2L, 4L), numbers());
    }

    /** JacORB keeps the context of the first call, and would take the second one for another attempt of it. */
    @Test
    void aCallAfterAReplyThatAnInterceptorDidNotLikeHasANumberOfItsOwn() {
        Counter counter = group.counter(group.client(ApplicationInterceptor.last(), ""));
        AtomicBoolean first = new AtomicBoolean(true);
        ApplicationInterceptor.onReply(info -> {
            if (first.getAndSet(false)) {
                throw new IllegalStateException("not liked");
            }
        });
        counter.note(0);
        assertThrows(IllegalStateException.class, () -> counter.add(1));
        assertEquals(2, counter.add(1));
        assertEquals(List.of(2L, 3L), numbers());
    }

    @Test
    void aCallAfterAnEndThatAnInterceptorDidNotLikeHasANumberOfItsOwn() {
        Counter counter = group.counter(group.client(ApplicationInterceptor.last(), ""));
        ApplicationInterceptor.onException(info -> {
            throw new IllegalStateException("not liked");
        });
        assertEquals(1, counter.add(1));
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        assertThrows(IllegalStateException.class, () -> counter.add(1));
        group.member(0).proxy.replies(TcpProxy.Replies.PASS);
        ApplicationInterceptor.reset();
        // The ORB may not have seen the end of the old connection yet: then the third call takes two attempts.
        assertTrue(counter.add(1) >= 3);
        assertEquals(List.of(1L, 2L, 3L), numbers().stream().distinct().toList());
    }

    @Test
    void aFlushThatAnInterceptorDidNotLikeIsNotTheLastOne() {
        Counter counter = group.counter(group.client(ApplicationInterceptor.last(), ""));
        AtomicBoolean first = new AtomicBoolean(true);
        ApplicationInterceptor.onReply(info -> {
            if (info.operation().equals("_non_existent") && first.getAndSet(false)) {
                throw new IllegalStateException("not liked");
            }
        });
        counter.add(1);
        await().atMost(Duration.ofSeconds(20)).until(() -> !first.get());
        counter.add(1);
        await().atMost(Duration.ofSeconds(20)).until(() -> group.seen("_non_existent").stream()
                .anyMatch(seen -> seen.context().orElseThrow().finished().floor() == 2));
    }

    /** A member sends the calls of its operations past amo's interceptor of clients. */
    @Test
    void aCallThatAnInterceptorMakesInsideACapturedOneHasANumber() {
        ORB orb = group.client(ApplicationInterceptor.first(), "");
        Counter counter = group.counter(orb);
        counter.add(1);
        AtomicBoolean first = new AtomicBoolean(true);
        ApplicationInterceptor.onRequest(info -> {
            if (info.operation().equals("_get_label") && first.getAndSet(false)) {
                counter.add(1);
            }
        });
        CapturedRequest request = new CapturedRequest(false, 2, 0, 0, 0, "_get_label", new byte[0], new byte[0]);
        try (WriteWatch watch = new WriteWatch()) {
            RawCall.Outcome unheard = RawCall.send(group.counter(orb), request, true, List.of(), 10_000, watch);
            assertTrue(unheard.left());
        }
        assertEquals(1, group.seen("_get_label").size());
        assertEquals(List.of(1L, 2L), numbers());
    }

    /** An interceptor that JacORB ends in another thread, and that takes its time. */
    private final class SlowEnd {
        private final CountDownLatch ending = new CountDownLatch(1);
        private final CountDownLatch hold = new CountDownLatch(1);
        private final Future<?> shutdown;

        SlowEnd(ORB orb) throws Exception {
            ApplicationInterceptor.onEnd(() -> {
                ending.countDown();
                awaitQuietly(hold);
            });
            shutdown = pool.submit(() -> orb.shutdown(true));
            assertTrue(ending.await(20, TimeUnit.SECONDS));
        }

        void end() {
            hold.countDown();
            await().atMost(Duration.ofSeconds(20)).until(shutdown::isDone);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(40, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aCallWhileTheOrbShutsDownIsRefused() throws Exception {
        ORB orb = group.client(ApplicationInterceptor.last(), "");
        Counter counter = group.counter(orb);
        counter.add(1);
        SlowEnd slow = new SlowEnd(orb);
        try {
            Future<Integer> late = pool.submit(() -> counter.add(1));
            ExecutionException failed = assertThrows(ExecutionException.class, () -> late.get(20, TimeUnit.SECONDS));
            BAD_INV_ORDER refused = (BAD_INV_ORDER) failed.getCause();
            assertEquals(CompletionStatus.COMPLETED_NO, refused.completed);
        } finally {
            slow.end();
        }
        assertEquals(List.of(1L), numbers());
    }

    /** JacORB has closed its connections by then. It makes another one for this call, and reads no answer from it. */
    @Test
    void aCallThatLeftAsTheOrbBeganToShutDownEnds() throws Exception {
        ORB orb = group.client(
                ApplicationInterceptor.first(), "", "amo.deadlineMillis", "1000", "amo.attemptMillis", "700");
        Counter counter = group.counter(orb);
        counter.add(1);
        Future<Integer> late;
        SlowEnd slow = new SlowEnd(orb);
        try {
            late = pool.submit(() -> counter.add(1));
            await().atMost(Duration.ofSeconds(20)).until(() -> numbers().contains(2L));
        } finally {
            slow.end();
        }
        ExecutionException failed = assertThrows(ExecutionException.class, () -> late.get(20, TimeUnit.SECONDS));
        TIMEOUT unknown = (TIMEOUT) failed.getCause();
        assertEquals(MinorCodes.UNKNOWN, unknown.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, unknown.completed);
    }
}
