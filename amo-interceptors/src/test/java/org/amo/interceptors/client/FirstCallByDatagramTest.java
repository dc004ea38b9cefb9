package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import AmoClientTest.Refused;
import AmoClientTest.RefusedHelper;
import AmoClientTest.WithAny;
import AmoClientTest.WithAnyHelper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.MinorCodes;
import org.jacorb.orb.CDROutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SetOverrideType;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.IOP.ServiceContext;
import org.omg.Messaging.RELATIVE_RT_TIMEOUT_POLICY_TYPE;
import org.omg.PortableInterceptor.ForwardRequest;

/** The first call of a client without a connection, before members that answer as a test says. */
@Timeout(60)
class FirstCallByDatagramTest {
    @TempDir
    Path folder;

    private FakeGroup group;
    private FakeDatagrams first;

    @BeforeEach
    void start() throws Exception {
        group = new FakeGroup(3);
        group.datagrams = Optional.of(FakeDatagrams.GROUP);
        first = new FakeDatagrams(group.member(0), came -> FakeDatagrams.reply(came, number(41)));
        ApplicationInterceptor.reset();
    }

    @AfterEach
    void stop() {
        ApplicationInterceptor.reset();
        first.close();
        group.close();
    }

    private ORB client(String... more) throws Exception {
        return clientWith(FakeDatagrams.SECRET, more);
    }

    private ORB clientWith(String secret, String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), secret + "\n");
        List<String> properties = new ArrayList<>(List.of(more));
        properties.addAll(List.of("amo.firstCall", "udp", "amo.secretFile", file.toString()));
        return group.client(properties.toArray(new String[0]));
    }

    private static CapturedReply number(int value) {
        return CapturedReply.normal(ByteBuffer.allocate(4).putInt(value).array());
    }

    private static void text(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        while (out.position() % 4 != 0) {
            out.put((byte) 0);
        }
        out.putInt(bytes.length + 1).put(bytes).put((byte) 0);
        while (out.position() % 4 != 0) {
            out.put((byte) 0);
        }
    }

    private static CapturedReply refused(String why, int code) {
        ByteBuffer out = ByteBuffer.allocate(200);
        text(out, RefusedHelper.id());
        text(out, why);
        out.putInt(code);
        byte[] body = new byte[out.position()];
        out.flip().get(body);
        return CapturedReply.userException(body);
    }

    private List<FakeMember.Seen> seen() {
        return group.seen.stream()
                .filter(each -> !each.operation().startsWith("_"))
                .toList();
    }

    // ---- the reply

    @Test
    void theFirstCallIsADatagramAndTheSecondGoesOverIiopAndAcknowledgesIt() throws Exception {
        Counter counter = group.counter(client());
        assertEquals(41, counter.add(7));
        FakeDatagrams.Came came = first.calls.remove();
        assertEquals("add", came.request().operation());
        assertArrayEquals(new byte[] {0, 0, 0, 7}, came.request().body());
        assertArrayEquals(group.member(0).objectKey, came.request().objectKey());
        assertEquals(1, came.number());
        assertEquals(List.of(), List.copyOf(group.seen), "no connection was made");

        counter.add(1);
        counter.add(1);
        assertEquals(2, seen().size());
        assertEquals(
                List.of(2L, 3L), seen().stream().map(FakeMember.Seen::number).toList());
        RequestContext second = seen().get(0).context().orElseThrow();
        assertEquals(came.head().client(), second.client());
        assertEquals(1, second.finished().floor(), "the first call is acknowledged");
        assertEquals(0, first.calls.size());
    }

    /** The alignment of arguments and results, and their code sets, are those of a connection. */
    @Test
    void aTextIsReadAsIfItCameOverAConnection() throws Exception {
        first.answers = came -> {
            // The arguments of the operation are those of its result.
            byte[] text = came.request().body();
            return FakeDatagrams.reply(came, CapturedReply.normal(text));
        };
        assertEquals("Grüße", group.counter(client()).echo("Grüße"));
        assertEquals(1, first.calls.size());
    }

    @Test
    void exceptionsOfTheServantComeAsOverAConnectionAndEndTheCall() throws Exception {
        first.answers = came -> FakeDatagrams.reply(came, refused("because", 5));
        Counter counter = group.counter(client());
        Refused refused = assertThrows(Refused.class, () -> counter.fail(5));
        assertEquals("because 5", refused.why + " " + refused.code);
        counter.add(1);
        assertEquals(1, seen().get(0).context().orElseThrow().finished().floor());

        first.answers = came -> FakeDatagrams.reply(
                came, CapturedReply.systemException(new NO_PERMISSION("", 3, CompletionStatus.COMPLETED_YES)));
        SystemException denied =
                assertThrows(NO_PERMISSION.class, () -> group.counter(client()).failSystem(3));
        assertEquals(3, denied.minor);
        assertEquals(CompletionStatus.COMPLETED_YES, denied.completed);

        // JacORB answers it from a forwarded reference by trying the original one.
        first.answers = came -> FakeDatagrams.reply(
                came, CapturedReply.systemException(new OBJECT_NOT_EXIST("", 17, CompletionStatus.COMPLETED_YES)));
        SystemException missing = assertThrows(
                OBJECT_NOT_EXIST.class, () -> group.counter(client()).failSystem(1));
        assertEquals(17, missing.minor);
        assertEquals(3, first.calls.size());
        assertEquals(1, seen().size(), "nothing ran again over IIOP");
    }

    /** JacORB reads such an exception for its interceptors first, and would read it from the wrong place then. */
    @Test
    void anExceptionWithAnAnyInItIsReadOnce() throws Exception {
        ORB orb = client();
        Any content = orb.create_any();
        content.insert_long(7);
        Any nested = orb.create_any();
        RefusedHelper.insert(nested, new Refused("inner", 7));
        CDROutputStream out = new CDROutputStream(orb);
        WithAnyHelper.write(out, new WithAny("before", 0.5, content, nested, "after"));
        byte[] body = out.getBufferCopy();
        first.answers = came -> FakeDatagrams.reply(came, CapturedReply.userException(body));
        WithAny thrown = assertThrows(WithAny.class, () -> group.counter(orb).failWithAny(7));
        assertEquals(7, thrown.content.extract_long());
        assertEquals("inner", RefusedHelper.extract(thrown.nested).why);
        assertEquals("before 0.5 after", thrown.before + " " + thrown.number + " " + thrown.after);
        assertEquals(1, first.calls.size());
    }

    // ---- ways back to IIOP, under the same number

    @Test
    void aReplyThatDoesNotFitIsAskedForOverIiopAtTheSameMember() throws Exception {
        first.answers =
                came -> Optional.of(CallDatagrams.byConnection(came.called().copy()));
        Counter counter = group.counter(client());
        assertEquals(1, counter.add(1));
        assertGoesOn(first.calls.remove(), 0);
    }

    @Test
    void aMemberThatStopsSendsTheCallToTheNextOne() throws Exception {
        first.answers =
                came -> Optional.of(CallDatagrams.elsewhere(came.called().copy()));
        assertEquals(1, group.counter(client()).add(1));
        assertGoesOn(first.calls.remove(), 1);
    }

    @Test
    void aSilentMemberGetsTheSameAttemptAgainAndThenTheNextOneGetsItOverIiop() throws Exception {
        first.answers = came -> Optional.empty();
        assertEquals(1, group.counter(client()).add(1));
        FakeDatagrams.Came one = first.calls.remove();
        FakeDatagrams.Came two = first.calls.remove();
        assertEquals(one.called().context().call(), two.called().context().call());
        assertEquals(one.called().copy(), two.called().copy());
        assertNotEquals(one.head().number(), two.head().number(), "no number is sealed twice");
        assertGoesOn(one, 1);
    }

    @Test
    void anotherSecretCostsAWaitAndNoCall() throws Exception {
        assertEquals(1, group.counter(clientWith("ff".repeat(32))).add(1));
        assertTrue(first.forged.size() >= 1);
        assertEquals(0, first.calls.size());
        assertEquals(1, seen().size());
        assertEquals(1, seen().get(0).member());
    }

    @Test
    void aClosedPortCostsNoWait() throws Exception {
        first.close();
        group.member(0).proxy.down();
        assertEquals(1, group.counter(client()).add(1));
        assertEquals(1, seen().get(0).member());
        assertEquals(1, seen().get(0).number());
    }

    /** The network may deliver the datagram again, so a refusal says nothing of the number: it is not given up for a new one. */
    @Test
    void aRefusedFirstCallKeepsItsNumber() throws Exception {
        first.answers = came -> refusal(came, Refusal.OVERLOADED);
        assertEquals(1, group.counter(client()).add(1));
        assertGoesOn(first.calls.remove(), 1);
    }

    @Test
    void anOldTimestampEndsAsUnknown() throws Exception {
        first.answers = came -> refusal(came, Refusal.STALE);
        Counter counter = group.counter(client());
        TIMEOUT unknown = assertThrows(TIMEOUT.class, () -> counter.add(1));
        assertEquals(MinorCodes.UNKNOWN, unknown.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, unknown.completed);
        assertEquals(0, seen().size());
        assertEquals(1, counter.add(1), "the next call is another one");
        assertEquals(2, seen().get(0).number());
    }

    private static Optional<byte[]> refusal(FakeDatagrams.Came came, Refusal reason) {
        long now = System.currentTimeMillis();
        return Optional.of(CallDatagrams.answer(came.called().copy(), Answer.refused(reason, now, now - 300_000)));
    }

    private void assertGoesOn(FakeDatagrams.Came came, int member) {
        assertEquals(1, seen().size());
        assertEquals(member, seen().get(0).member());
        RequestContext over = seen().get(0).context().orElseThrow();
        assertEquals(came.called().context().client(), over.client());
        assertEquals(came.called().context().call(), over.call(), "number, timestamp and deadline are the same");
    }

    // ---- calls that go over IIOP from the start

    @Test
    void largeRequestsGoOverIiop() throws Exception {
        String text = "x".repeat(1_000);
        Counter counter = group.counter(client());
        assertEquals(text, counter.echo(text));
        assertEquals(1, counter.add(1), "there is a connection by now");
        assertEquals(0, first.calls.size());
    }

    @Test
    void withoutAPortOrASecretTheFirstCallGoesOverIiop() throws Exception {
        group.datagrams = Optional.empty();
        assertEquals(1, group.counter(client()).add(1));
        group.datagrams = Optional.of(FakeDatagrams.GROUP);
        assertEquals(2, group.counter(group.client("amo.firstCall", "udp")).add(1));
        assertEquals(3, group.counter(group.client()).add(1));
        assertEquals(0, first.calls.size() + first.forged.size());
    }

    @Test
    void onewaysAndCallsWithContextsOfTheApplicationGoOverIiop() throws Exception {
        Counter counter = group.counter(client());
        counter.note(1);
        await().until(() -> group.notes.get() == 1);
        ApplicationInterceptor.onRequest(
                info -> info.add_request_service_context(new ServiceContext(77, new byte[1]), true));
        assertEquals(
                1, group.counter(client(ApplicationInterceptor.first(), "")).add(1));
        assertEquals(0, first.calls.size());
    }

    // ---- what the stub and the application do beside it

    /** JacORB repeats that request in the bytes that it wrote for its first connection: with another one, for ever. */
    @Test
    void behindTheFirstCallTheStubIsBoundToAMember() throws Exception {
        Counter counter = group.counter(client());
        assertEquals(41, counter.add(1));
        assertThrows(BAD_OPERATION.class, () -> counter._get_policy(77));
        assertEquals(1, counter.add(1));
    }

    /** JacORB would say COMPLETED_NO of a call that ran. */
    @Test
    void aLimitThatPassesBetweenTheReplyAndItsUseEndsNoCall() throws Exception {
        ORB orb = client(ApplicationInterceptor.first(), "");
        Any timeout = orb.create_any();
        timeout.insert_ulonglong(300 * 10_000L);
        Policy limit = orb.create_policy(RELATIVE_RT_TIMEOUT_POLICY_TYPE.value, timeout);
        Counter counter = CounterHelper.narrow(
                group.counter(orb)._set_policy_override(new Policy[] {limit}, SetOverrideType.ADD_OVERRIDE));
        // JacORB tells it that the call was forwarded, before it marshals it again.
        AtomicInteger forwards = new AtomicInteger();
        ApplicationInterceptor.onOther(info -> {
            forwards.incrementAndGet();
            Clock.pause(400);
        });
        assertEquals(41, counter.add(1));
        assertEquals(1, forwards.get());
    }

    @Test
    void anInterceptorThatRedirectsTheRequestDoesNotLoseTheReply() throws Exception {
        ORB orb = client(ApplicationInterceptor.last(), "");
        Counter counter = group.counter(orb);
        Counter elsewhere = group.other(orb);
        AtomicBoolean redirects = new AtomicBoolean(true);
        ApplicationInterceptor.onRequest(info -> {
            if (redirects.getAndSet(false)) {
                throw new ForwardRequest(elsewhere);
            }
        });
        assertEquals(41, counter.add(1));
        assertEquals(1, first.calls.size());
        assertEquals(List.of(), List.copyOf(group.seen));
        assertEquals(1, counter.add(1));
        assertEquals(1, seen().get(0).context().orElseThrow().finished().floor());
    }

    /** The stub stands at the connection without a peer for a moment, where no other request is answered. */
    @Test
    void aThreadThatMeetsTheStubOnItsWayGoesToAMember() throws Exception {
        ORB orb = client(ApplicationInterceptor.last(), "");
        Counter counter = group.counter(orb);
        Thread main = Thread.currentThread();
        CountDownLatch there = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        AtomicBoolean once = new AtomicBoolean(true);
        ApplicationInterceptor.onRequest(info -> {
            if (Thread.currentThread() == main && once.getAndSet(false)) {
                there.countDown();
                try {
                    assertTrue(released.await(20, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> other = threads.submit(() -> {
                assertTrue(there.await(20, TimeUnit.SECONDS));
                // JacORB would repeat this one at the same connection for ever.
                TRANSIENT again = assertThrows(TRANSIENT.class, () -> counter._get_policy(77));
                assertEquals(MinorCodes.NO_MEMBER, again.minor);
                assertThrows(BAD_OPERATION.class, () -> counter._get_policy(77));
                int value = counter.add(1);
                released.countDown();
                return value;
            });
            assertEquals(41, counter.add(1), "it hands its reply in once more");
            assertEquals(1, other.get(20, TimeUnit.SECONDS));
            assertEquals(1, first.calls.size());
            assertEquals(2, counter.add(1));
        } finally {
            threads.shutdownNow();
        }
    }

    // ---- acknowledgements

    @Test
    void anIdleClientAcknowledgesByADatagramAndAnEndingOneToo() throws Exception {
        group.counter(client()).add(1);
        await().until(() -> first.acknowledged.size() == 1);
        assertEquals(1, first.acknowledged.remove().context().finished().floor());

        ORB ending = client();
        group.counter(ending).add(1);
        ending.shutdown(true);
        await().until(() -> first.acknowledged.size() == 1);
        assertEquals(List.of(), List.copyOf(group.seen), "no connection was made for them");
    }

    @Test
    void behindAConnectionAcknowledgementsGoOverIt() throws Exception {
        Counter counter = group.counter(client());
        counter.add(1);
        counter.add(1);
        await().until(() -> group.seen("_non_existent").size() == 1);
        assertEquals(0, first.acknowledged.size());
    }

    // ---- one stub, many threads

    @Test
    void otherThreadsOfTheStubGoOverIiopMeanwhileAndEachCallRunsOnce() throws Exception {
        CountDownLatch came = new CountDownLatch(1);
        CompletableFuture<Optional<byte[]>> released = new CompletableFuture<>();
        first.answers = call -> {
            came.countDown();
            return released.thenApply(any -> FakeDatagrams.reply(call, number(41)))
                    .completeOnTimeout(Optional.empty(), 5, TimeUnit.SECONDS)
                    .join();
        };
        Counter counter = group.counter(client());
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Future<Integer> one = threads.submit(() -> counter.add(1));
            assertTrue(came.await(10, TimeUnit.SECONDS));
            List<Future<Integer>> others = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                others.add(threads.submit(() -> counter.add(1)));
            }
            released.complete(Optional.empty());
            for (Future<Integer> each : others) {
                assertTrue(each.get(20, TimeUnit.SECONDS) <= 9);
            }
            int answer = one.get(20, TimeUnit.SECONDS);
            // On a busy machine the answer may come too late, and the call goes over IIOP.
            assertEquals(answer == 41 ? 8 : 9, group.value.get());
        } finally {
            threads.shutdownNow();
        }
        assertEquals(group.value.get() + 1, counter.add(1));
    }
}
