package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.portableInterceptor.ClientRequestInfoImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SetOverrideType;
import org.omg.CORBA.portable.ApplicationException;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.RemarshalException;
import org.omg.RTCORBA.CLIENT_PROTOCOL_POLICY_TYPE;
import org.omg.RTCORBA.ClientProtocolPolicy;
import org.omg.RTCORBA.Protocol;

/** A stub that threads share: JacORB moves it for all of them, also while one of them writes a request. */
@Timeout(60)
class SharedStubTest {
    @AfterEach
    void stop() {
        ApplicationInterceptor.reset();
    }

    /** JacORB has taken the stub off its connection, and is about to take the same one again. */
    @Test
    void aRequestThatMeetsAMoveOfItsStubKeepsItsNumber() throws Exception {
        try (FakeGroup group = new FakeGroup(1)) {
            ORB orb = group.client(ApplicationInterceptor.first(), "");
            // It keeps the connection open.
            Counter other = group.counter(orb);
            assertEquals(1, other.add(1));
            HeldMove move = new HeldMove(Thread.currentThread());
            Counter shared = CounterHelper.narrow(
                    group.counter(orb)._set_policy_override(new Policy[] {move}, SetOverrideType.ADD_OVERRIDE));
            assertEquals(2, shared.add(1));
            AtomicBoolean met = new AtomicBoolean();
            ApplicationInterceptor.onRequest(info -> {
                if (info.operation().equals("add")) {
                    met.set(((ClientRequestInfoImpl) info).getConnection() == null);
                }
            });
            assertEquals(3, add(shared, () -> move.begin(shared, other)));
            assertTrue(met.get(), "JacORB moves a stub in another way: the request did not meet it");
            assertEquals(List.of(1L, 2L, 3L), numbers(group));
        }
    }

    /** JacORB says COMPLETED_NO of an attempt whose stub has no connection, but the attempt before it has run. */
    @Test
    void aStubThatLosesItsConnectionUnderACallCostsNoReply() throws Exception {
        try (FakeGroup group = new FakeGroup(2)) {
            Counter shared = group.counter(group.client());
            assertEquals(1, shared.add(1));
            group.member(0).proxy.replies(TcpProxy.Replies.CUT);
            AtomicInteger attempts = new AtomicInteger();
            // These members execute every copy that they get.
            assertEquals(3, add(shared, () -> {
                if (attempts.incrementAndGet() == 2) {
                    group.member(0).proxy.replies(TcpProxy.Replies.PASS);
                    shared._release();
                }
            }));
            assertEquals(List.of(1L, 2L, 2L), numbers(group));
        }
    }

    /** An attempt that cannot leave makes JacORB forget the forward of a plain object, and keep the connection to the next member. */
    @Test
    void aNewCallFollowsTheForwardThatAnotherOneMadeJacorbForget() throws Exception {
        try (FakeGroup group = new FakeGroup(2);
                ForwardingServer elsewhere =
                        new ForwardingServer(0, group.reference(0, Optional.of(FakeGroup.groupTag(7)), false))) {
            ORB orb = group.client(ApplicationInterceptor.first(), "");
            String key = HexFormat.of().withPrefix("%").formatHex(group.member(0).objectKey);
            String reference = "corbaloc:iiop:1.2@127.0.0.1:" + elsewhere.port() + "/" + key;
            Counter moved = CounterHelper.unchecked_narrow(orb.string_to_object(reference));
            CountDownLatch forgotten = new CountDownLatch(1);
            AtomicBoolean goOn = new AtomicBoolean();
            AtomicInteger plain = new AtomicInteger();
            ApplicationInterceptor.onRequest(info -> {
                boolean isPlain = info.operation().equals("add")
                        && JacorbClientAccess.baseReference(info) == JacorbClientAccess.currentReference(info);
                if (isPlain && plain.incrementAndGet() == 2) {
                    forgotten.countDown();
                    await().atMost(Duration.ofSeconds(20)).until(goOn::get);
                }
            });
            group.member(0).proxy.down();
            CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> moved.add(1));
            assertTrue(forgotten.await(20, TimeUnit.SECONDS));
            assertEquals(1, moved.add(1));
            goOn.set(true);
            assertEquals(2, first.get(20, TimeUnit.SECONDS));
            assertEquals(List.of(2L, 1L), numbers(group));
            assertEquals(1, elsewhere.forwarded());
            // Another stub asks the server, which may know of another place by now.
            assertEquals(
                    3,
                    CounterHelper.unchecked_narrow(orb.string_to_object(reference))
                            .add(1));
            assertEquals(2, elsewhere.forwarded());
        }
    }

    private static List<Long> numbers(FakeGroup group) {
        return group.seen("add").stream().map(FakeMember.Seen::number).toList();
    }

    /** Calls as a generated stub does; something happens between the last argument of each attempt and its way out. */
    private static int add(Counter counter, Runnable written) {
        Delegate delegate = delegate(counter);
        while (true) {
            OutputStream out = delegate.request(counter, "add", true);
            out.write_long(1);
            written.run();
            try {
                return delegate.invoke(counter, out).read_long();
            } catch (RemarshalException again) {
                // The next attempt.
            } catch (ApplicationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static Delegate delegate(Counter counter) {
        return (Delegate) ((ObjectImpl) counter)._get_delegate();
    }

    /**
     * Moves a stub in a thread of its own, and holds JacORB while the stub has no connection, until the caller makes a request. JacORB
     * asks for this policy before it lets go of a connection and before it takes the next one.
     */
    private static final class HeldMove extends LocalObject implements ClientProtocolPolicy {
        private static final long serialVersionUID = 1;

        private final transient Thread caller;
        private final transient CountDownLatch between = new CountDownLatch(1);
        private final transient AtomicInteger asked = new AtomicInteger();
        private transient volatile @Nullable Thread mover;

        HeldMove(Thread caller) {
            this.caller = caller;
        }

        void begin(Counter stub, Counter to) {
            Thread thread = new Thread(() -> delegate(stub).forwardToObj(to), "amo-test-move");
            thread.setDaemon(true);
            mover = thread;
            thread.start();
            await().atMost(Duration.ofSeconds(20)).until(() -> between.getCount() == 0);
        }

        @Override
        public Protocol @Nullable [] protocols() {
            if (Thread.currentThread() == mover && asked.incrementAndGet() == 2) {
                between.countDown();
                await().atMost(Duration.ofSeconds(20)).until(this::isCallerBlocked);
            }
            return null;
        }

        /** It has asked which connection the stub has, and waits for the end of the move. */
        private boolean isCallerBlocked() {
            return caller.getState() == Thread.State.BLOCKED
                    && Arrays.stream(caller.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().equals(ClientRequestInfoImpl.class.getName()));
        }

        @Override
        public int policy_type() {
            return CLIENT_PROTOCOL_POLICY_TYPE.value;
        }

        @Override
        public Policy copy() {
            return this;
        }

        @Override
        public void destroy() {
            // Nothing is held.
        }
    }
}
