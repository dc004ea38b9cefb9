package org.amo.interceptors.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.AMI_CounterHandler;
import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import AmoClientTest.CounterPOA;
import AmoClientTest._CounterStub;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.jacorb.orb.Delegate;
import org.jacorb.orb.ReplyGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SetOverrideType;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.Messaging.SYNC_NONE;
import org.omg.Messaging.SYNC_SCOPE_POLICY_TYPE;
import org.omg.Messaging.SYNC_WITH_SERVER;
import org.omg.Messaging.SYNC_WITH_TARGET;
import org.omg.Messaging.SYNC_WITH_TRANSPORT;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The many ways in which a client of CORBA can call. */
class ClientBreadthTest {
    private FakeGroup group;

    @BeforeEach
    void start() throws Exception {
        group = new FakeGroup(3);
    }

    @AfterEach
    void stop() {
        group.close();
    }

    @Test
    void asynchronousCallsOfTheExecutorSurviveTheLossOfAMember() throws Exception {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        try (AsyncCalls calls = new AsyncCalls(8, 1_000)) {
            for (int i = 0; i < 200; i++) {
                results.add(calls.submit(() -> counter.add(1)));
                if (i == 50) {
                    results.get(10).get(20, TimeUnit.SECONDS);
                    group.member(0).proxy.replies(TcpProxy.Replies.CUT);
                }
            }
            Set<Integer> distinct = new HashSet<>();
            for (CompletableFuture<Integer> result : results) {
                distinct.add(result.get(30, TimeUnit.SECONDS));
            }
            assertEquals(200, distinct.size());
        }
        ClientInterceptor interceptor = interceptor(orb);
        assertEquals(0, interceptor.openCalls());
        assertEquals(
                new ReplicatedGroup.Usage(200, 0),
                interceptor.groups().iterator().next().usage());
        assertTrue(interceptor.observed().redirects() >= 1);
    }

    @Test
    void theExecutorTellsWhatACallThrewAndRefusesWhatItCannotHold() throws Exception {
        Counter counter = group.counter(group.client());
        AsyncCalls calls = new AsyncCalls(1, 1);
        CountDownLatch hold = new CountDownLatch(1);
        CompletableFuture<Boolean> first = calls.submit(() -> hold.await(20, TimeUnit.SECONDS));
        await().until(() -> {
            try {
                CompletableFuture<Integer> unused = calls.submit(() -> counter.fail(3));
                return false;
            } catch (RejectedExecutionException full) {
                return true;
            }
        });
        hold.countDown();
        assertTrue(first.get(20, TimeUnit.SECONDS));
        await().until(() -> !group.seen("fail").isEmpty());
        calls.close();
        assertThrows(RejectedExecutionException.class, () -> calls.submit(() -> counter.add(1)));
        assertThrows(IllegalArgumentException.class, () -> new AsyncCalls(0, 1));
    }

    @Test
    void onewaysOfEverySyncScopeRunOnceAndHaveNumbersOfTheirOwn() throws Exception {
        ORB orb = group.client("amo.deadlineMillis", "500");
        int sum = 0;
        for (short scope :
                new short[] {SYNC_NONE.value, SYNC_WITH_TRANSPORT.value, SYNC_WITH_SERVER.value, SYNC_WITH_TARGET.value
                }) {
            Any value = orb.create_any();
            value.insert_short(scope);
            Policy policy = orb.create_policy(SYNC_SCOPE_POLICY_TYPE.value, value);
            Counter counter = CounterHelper.narrow(
                    group.counter(orb)._set_policy_override(new Policy[] {policy}, SetOverrideType.ADD_OVERRIDE));
            counter.note(1 + scope);
            sum += 1 + scope;
            int expected = sum;
            await("scope " + scope).atMost(Duration.ofSeconds(5)).until(() -> group.notes.get() == expected);
        }
        assertEquals(
                List.of(1L, 2L, 3L, 4L),
                group.seen("note").stream().map(FakeMember.Seen::number).collect(Collectors.toList()));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> interceptor(orb).openCalls() == 0
                        && interceptor(orb).groups().iterator().next().usage().ranges() == 0);
    }

    @Test
    void eachOrbOfAProcessIsAClientOfItsOwn() {
        List<ORB> orbs = List.of(group.client(), group.client(), group.client());
        for (int call = 0; call < 3; call++) {
            for (ORB orb : orbs) {
                group.counter(orb).add(1);
            }
        }
        assertEquals(
                List.of(1L, 1L, 1L, 2L, 2L, 2L, 3L, 3L, 3L),
                group.seen("add").stream().map(FakeMember.Seen::number).collect(Collectors.toList()));
        assertEquals(
                3,
                group.seen("add").stream()
                        .map(seen -> seen.context().orElseThrow().client())
                        .distinct()
                        .count());
    }

    @Test
    void sendsThatNoInterceptionPointEndsLeaveNothing() throws Exception {
        ORB orb = group.client("amo.deadlineMillis", "300", "amo.attemptMillis", "50");
        _CounterStub stub = (_CounterStub) group.counter(orb);
        // JacORB ends no interception point of an asynchronous call, whatever becomes of it.
        for (int i = 0; i < 200; i++) {
            stub.sendc_add((AMI_CounterHandler) null, 1);
        }
        assertTrue(interceptor(orb).openCalls() > 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> interceptor(orb).openCalls() == 0);
        ReplicatedGroup.Usage usage =
                interceptor(orb).groups().iterator().next().usage();
        assertEquals(new ReplicatedGroup.Usage(200, 0), usage);
        stub.add(1);
        assertEquals(0, interceptor(orb).openCalls());
    }

    @Test
    void aPlainObjectThatForwardsLeadsToTheGroup() throws Exception {
        ORB orb = group.client();
        String target = group.reference(0, Optional.of(FakeGroup.groupTag(7)), false);
        try (ForwardingServer elsewhere = new ForwardingServer(0, target)) {
            Counter moved = CounterHelper.unchecked_narrow(
                    orb.string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + elsewhere.port() + "/moved"));
            assertEquals(1, moved.add(1));
            group.member(0).proxy.replies(TcpProxy.Replies.CUT);
            // These members execute every copy that they get.
            assertEquals(3, moved.add(1));
            assertTrue(elsewhere.forwarded() >= 1);
        }
        assertEquals(
                List.of(1L, 2L, 2L),
                group.seen("add").stream().map(FakeMember.Seen::number).collect(Collectors.toList()));
        assertEquals(0, interceptor(orb).openCalls());
    }

    /** An attempt that cannot leave makes JacORB forget where the plain object was forwarded to. */
    @Test
    void aPlainObjectThatForwardsStaysAtTheGroupWhenAMemberIsGone() throws Exception {
        ORB orb = group.client("amo.sack", "off");
        String target = group.reference(0, Optional.of(FakeGroup.groupTag(7)), false);
        try (ForwardingServer elsewhere = new ForwardingServer(0, target)) {
            Counter moved = CounterHelper.unchecked_narrow(
                    orb.string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + elsewhere.port() + "/moved"));
            assertEquals(1, moved.add(1));
            group.member(0).proxy.down();
            assertEquals(2, moved.add(1));
            group.member(1).proxy.down();
            assertFalse(moved._non_existent());
            assertEquals(3, moved.add(1));
            assertEquals(1, elsewhere.forwarded());
        }
        assertEquals(
                List.of(1L, 2L, 3L),
                group.seen("add").stream().map(FakeMember.Seen::number).collect(Collectors.toList()));
        assertEquals(0, interceptor(orb).openCalls());
    }

    @Test
    void aMemberThatForwardsACallSendsItOnUnderItsNumber() throws Exception {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        counter.add(1);
        group.member(0).proxy.down();
        String others = group.reference(1, Optional.of(FakeGroup.groupTag(7)), false);
        try (ForwardingServer instead =
                new ForwardingServer(group.member(0).proxy.port(), others)) {
            assertEquals(2, counter.add(1));
            assertEquals(3, counter.add(1));
            assertTrue(instead.forwarded() >= 1);
        }
        assertEquals(
                List.of(1L, 2L, 3L),
                group.seen("add").stream().map(FakeMember.Seen::number).collect(Collectors.toList()));
        assertEquals(
                new ReplicatedGroup.Usage(3, 0),
                interceptor(orb).groups().iterator().next().usage());
    }

    /** A defect of JacORB 3.9: it forgets to take a call off the list of its connection when an interceptor redirects it. */
    @Test
    void jacorbKeepsOneSmallObjectARedirectOnAStub() throws Exception {
        ORB orb = group.client();
        Counter counter = group.counter(orb);
        int redirects = 0;
        for (int round = 0; round < 9; round++) {
            TcpProxy serving = group.member(round % 3).proxy;
            serving.replies(TcpProxy.Replies.CUT);
            counter.add(1);
            serving.replies(TcpProxy.Replies.PASS);
            redirects++;
        }
        assertEquals(redirects, interceptor(orb).observed().redirects());
        assertTrue(repliesWaitedFor(counter) <= redirects, () -> "waits for " + repliesWaitedFor(counter));
        assertTrue(repliesWaitedFor(counter) > 0, "JacORB forgets them: take the row out of docs/reference/jacorb.md");
        assertEquals(0, interceptor(orb).openCalls());
        // Without a redirect nothing is kept.
        int before = repliesWaitedFor(counter);
        for (int i = 0; i < 50; i++) {
            counter.add(1);
        }
        assertEquals(before, repliesWaitedFor(counter));
    }

    /** Replies for which JacORB's delegate of a stub thinks that somebody waits. */
    private static int repliesWaitedFor(Counter stub) {
        try {
            Delegate delegate = (Delegate) ((ObjectImpl) stub)._get_delegate();
            Field field = Delegate.class.getDeclaredField("groups");
            field.setAccessible(true);
            return ((Map<?, ?>) field.get(delegate))
                    .values().stream()
                            .mapToInt(replies ->
                                    ((ReplyGroup) replies).getReplies().size())
                            .sum();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("another JacORB: look whether it still keeps them", e);
        }
    }

    @Test
    void aCorbalocWithSeveralAddressesOfConfiguredMembers() {
        int first = group.member(0).proxy.port();
        int second = group.member(1).proxy.port();
        ORB orb = group.client("amo.members", "a=127.0.0.1:1/" + first + ",b=127.0.0.1:1/" + second);
        StringBuilder key = new StringBuilder();
        for (byte octet : group.member(0).objectKey) {
            key.append(String.format("%%%02x", octet));
        }
        Counter counter = CounterHelper.unchecked_narrow(orb.string_to_object(
                "corbaloc:iiop:1.2@127.0.0.1:" + first + ",iiop:1.2@127.0.0.1:" + second + "/" + key));
        failsOver(counter);
    }

    @Test
    void nonblockingConnectionsReachAMemberAndTheNextOne() {
        Counter counter = group.counter(group.client("jacorb.connection.nonblocking", "on"));
        failsOver(counter);
    }

    /** A reply is lost with its connection, then the member is gone. */
    private void failsOver(Counter counter) {
        counter.add(1);
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        counter.add(1);
        group.member(0).proxy.down();
        counter.add(1);
        assertEquals(
                List.of(1L, 2L, 2L, 3L),
                group.seen("add").stream().map(FakeMember.Seen::number).collect(Collectors.toList()));
    }

    @Test
    void collocatedCallsAreLeftAlone() throws Exception {
        ORB orb = group.client();
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        Local local = new Local();
        Counter collocated = CounterHelper.narrow(root.servant_to_reference(local));
        assertEquals(5, collocated.add(5));
        collocated.note(1);
        assertEquals(0, interceptor(orb).groups().size());
        assertEquals(0, interceptor(orb).openCalls());
    }

    @Test
    void theClientsNumbersAreThereByJmx() throws Exception {
        ORB orb = group.client("amo.clientName", "watched");
        group.counter(orb).add(1);
        ObjectName name = new ObjectName("org.amo:type=client,group=\"\",id=\"watched\"");
        assertEquals(1L, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "amo_client_calls_total"));
        orb.shutdown(true);
        await().until(() -> !ManagementFactory.getPlatformMBeanServer().isRegistered(name));
    }

    private static ClientInterceptor interceptor(ORB orb) throws Exception {
        return (ClientInterceptor) orb.resolve_initial_references(AmoClientInitializer.INITIAL_REFERENCE);
    }

    /** An object of the client's own process. */
    private static final class Local extends CounterPOA {
        @Override
        public String label() {
            return "";
        }

        @Override
        public void label(String value) {
            // It has none.
        }

        @Override
        public int add(int delta) {
            return delta;
        }

        @Override
        public int fail(int code) {
            return code;
        }

        @Override
        public void failWithAny(int code) {
            // It does not fail.
        }

        @Override
        public void failSystem(int code) {
            // It does not fail.
        }

        @Override
        public void note(int value) {
            // Nothing is kept.
        }

        @Override
        public String echo(String text) {
            return text;
        }

        @Override
        public int slow(int millis) {
            return millis;
        }
    }
}
