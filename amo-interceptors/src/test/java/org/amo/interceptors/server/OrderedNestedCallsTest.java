package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.AMI_CounterHandler;
import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import AmoClientTest.Refused;
import AmoClientTest.WithAny;
import AmoClientTest._CounterStub;
import everything.BlobHolder;
import everything.Broken;
import everything.Calls;
import everything.CallsHelper;
import everything.CallsPOATie;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.amo.interceptors.DeafServer;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.client.ApplicationInterceptor;
import org.jacorb.orb.giop.BiDirConnectionInitializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.BAD_CONTEXT;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.DoubleHolder;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ObjectHolder;
import org.omg.CORBA.Policy;
import org.omg.CORBA.Request;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/** Calls that operations of a replicated object make to other objects, sent by one member for all of them. */
@Timeout(60)
class OrderedNestedCallsTest {
    private final List<ORB> orbs = new ArrayList<>();
    private final List<Server> servers = new ArrayList<>();
    private final CounterOfCalls counter = new CounterOfCalls();
    private ORB client;
    private String group = "";

    @BeforeEach
    void start(TestInfo test) {
        group = "ordered-" + Integer.toHexString((test.getDisplayName() + test.getTestMethod()).hashCode());
        client = plain(Map.of());
    }

    @AfterEach
    void stop() {
        ApplicationInterceptor.reset();
        servers.forEach(Server::close);
        orbs.forEach(orb -> orb.shutdown(true));
    }

    private ORB plain(Map<String, String> more) {
        ORB orb = Server.client(more);
        orbs.add(orb);
        return orb;
    }

    private ToyNestedCalls nested() {
        return ToyNestedCalls.of(group);
    }

    /** What an operation does, at each member alike. */
    @FunctionalInterface
    private interface Operation {
        int run(Callee callee) throws Exception;
    }

    /** Another server, as an operation of a member sees it, with a stub that the member keeps. */
    private record Callee(ORB orb, String reference, Counter kept) {
        Counter counter() {
            return CounterHelper.unchecked_narrow(object());
        }

        Calls calls() {
            return CallsHelper.unchecked_narrow(object());
        }

        org.omg.CORBA.Object object() {
            return orb.string_to_object(reference);
        }

        Request request(String operation) {
            Request request = object()._request(operation);
            request.add_in_arg().insert_long(1);
            return request;
        }
    }

    /** A way to make a call, its result, and how often the callee counts it. */
    private record Way(String name, int result, int counted, Operation operation) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Way> ways() {
        return Stream.of(
                new Way("stub", 1, 1, callee -> callee.counter().add(1)),
                new Way("kept stub", 1, 1, callee -> callee.kept().add(1)),
                new Way("several", 6, 3, callee -> {
                    int first = callee.kept().add(1);
                    int second = callee.counter().add(1);
                    return first + second + callee.kept().add(1);
                }),
                new Way("attribute", 7, 2, callee -> {
                    callee.counter().label("new");
                    return callee.counter().label().length();
                }),
                new Way("string", 4, 1, callee -> callee.counter().echo("same").length()),
                new Way("oneway", 0, 0, callee -> {
                    callee.counter().note(1);
                    return 0;
                }),
                new Way("dynamic", 1, 1, callee -> {
                    Request request = callee.request("add");
                    request.set_return_type(callee.orb().get_primitive_tc(TCKind.tk_long));
                    request.invoke();
                    throwFailure(request);
                    return request.return_value().extract_long();
                }),
                new Way("dynamic oneway", 0, 0, callee -> {
                    Request request = callee.request("note");
                    request.send_oneway();
                    throwFailure(request);
                    return 0;
                }),
                new Way("_is_a", 0, 0, callee -> callee.object()._is_a("IDL:another:1.0") ? 1 : 0),
                new Way("_non_existent", 0, 0, callee -> callee.object()._non_existent() ? 1 : 0),
                new Way("narrow", 1, 1, callee -> CounterHelper.narrow(callee.object())
                        .add(1)),
                new Way("user exception", 7, 1, callee -> {
                    try {
                        return callee.counter().fail(7);
                    } catch (Refused refused) {
                        return refused.code;
                    }
                }),
                new Way("user exception with an any", 7, 1, callee -> {
                    WithAny thrown =
                            assertThrows(WithAny.class, () -> callee.counter().failWithAny(7));
                    assertEquals("after", thrown.after);
                    return thrown.content.extract_string().length();
                }),
                new Way("system exception", 1, 1, callee -> {
                    SystemException thrown = assertThrows(
                            BAD_CONTEXT.class, () -> callee.counter().failSystem(1));
                    return thrown.completed.value();
                }));
    }

    private static void throwFailure(Request request) throws Exception {
        Exception thrown = request.env().exception();
        if (thrown != null) {
            throw thrown;
        }
    }

    static Stream<Way> refusedWays() {
        return Stream.of(
                new Way("deferred", 0, 0, callee -> {
                    Request request = callee.request("add");
                    request.send_deferred();
                    request.get_response();
                    throwFailure(request);
                    return 0;
                }),
                new Way("asynchronous", 0, 0, callee -> {
                    ((_CounterStub) callee.counter()).sendc_add((AMI_CounterHandler) null, 1);
                    return 0;
                }),
                new Way("policy of the server", 0, 0, callee -> callee.object()._get_policy(77) == null ? 0 : 1),
                new Way(
                        "thread of the operation",
                        0,
                        0,
                        callee -> inThread(() -> callee.counter().add(1))));
    }

    private static int inThread(java.util.concurrent.Callable<Integer> work) {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(work.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        try {
            return result.get(30, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw (RuntimeException) e.getCause();
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new CompletionException(e);
        }
    }

    private Calls front(String back, Operation operation) throws Exception {
        return front(new Properties(), back, operation);
    }

    /** The front object of a group of three, whose operation is the given one. */
    private Calls front(Properties more, String back, Operation operation) throws Exception {
        String members = Server.members(3);
        String reference = "";
        for (String id : List.of("a", "b", "c")) {
            Properties properties = Server.properties(group, id, members);
            properties.setProperty("amo.nested", "ordered");
            properties.putAll(more);
            Server server = Server.start(properties);
            servers.add(server);
            Counter kept = CounterHelper.unchecked_narrow(server.orb().string_to_object(back));
            Callee callee = new Callee(server.orb(), back, kept);
            reference =
                    server.activate(server.poa(server.root(), "front"), "front", new CallsPOATie(new CallsServant() {
                        @Override
                        public int count(int by) {
                            try {
                                return operation.run(callee);
                            } catch (RuntimeException | Error e) {
                                throw e;
                            } catch (Exception e) {
                                throw new CompletionException(e);
                            }
                        }
                    }));
        }
        return CallsHelper.narrow(client.string_to_object(reference));
    }

    private void assertEqualReplies(int requests) {
        List<ToyGroup.Entry> log = ToyGroup.named(group).log();
        assertEquals(requests, log.size());
        for (ToyGroup.Entry entry : log) {
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("b"));
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("c"));
        }
    }

    private String plainServer(Servant servant) throws Exception {
        return plainServer(plain(Map.of("OAIAddr", "127.0.0.1")), servant);
    }

    private static String plainServer(ORB orb, Servant servant) throws Exception {
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        root.activate_object(servant);
        return orb.object_to_string(root.servant_to_reference(servant));
    }

    /** One group for all of them: three servers take more time to start than to call. */
    @Test
    void eachWayToCallIsSentOnceForAllMembersOfAGroup() throws Exception {
        AtomicReference<Way> way = new AtomicReference<>();
        Calls front =
                front(plainServer(counter), callee -> way.get().operation().run(callee));
        int requests = 0;
        for (Way each : ways().toList()) {
            way.set(each);
            counter.forget();
            assertEquals(each.result(), front.count(1), each::name);
            assertEquals(each.counted(), counter.calls(), each::name);
            requests++;
            assertEqualReplies(requests);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @Tag("slow")
    void eachWayToCallIsSentOnceForAllMembers(Way way) throws Exception {
        Calls front = front(plainServer(counter), way.operation());
        assertEquals(way.result(), front.count(1));
        assertEquals(way.counted(), counter.calls());
        assertEqualReplies(1);
    }

    @Test
    void whatCannotBeOrderedIsRefused() throws Exception {
        AtomicReference<Way> way = new AtomicReference<>();
        Calls front =
                front(plainServer(counter), callee -> way.get().operation().run(callee));
        int requests = 0;
        for (Way each : refusedWays().toList()) {
            way.set(each);
            for (int i = 0; i < 2; i++) {
                BAD_INV_ORDER refused = assertThrows(BAD_INV_ORDER.class, () -> front.count(1), each::name);
                assertEquals(MinorCodes.NESTED_CALL, refused.minor, each::name);
                assertEquals(CompletionStatus.COMPLETED_MAYBE, refused.completed, each::name);
                requests++;
            }
            assertEquals(0, counter.calls(), each::name);
            assertEquals(0, nested().sends(), each::name);
            assertEqualReplies(requests);
        }
    }

    @Test
    void manyCallsOverOneStub() throws Exception {
        Calls front = front(plainServer(counter), callee -> callee.kept().add(1));
        for (int i = 1; i <= 50; i++) {
            assertEquals(i, front.count(1));
        }
        assertEquals(50, counter.calls());
        assertEqualReplies(50);
    }

    @Test
    void valuesOfAllKindsComeThrough() throws Exception {
        CallsServant back = new CallsServant();
        byte[] blob = new byte[100_000];
        Arrays.fill(blob, (byte) 5);
        Calls front = front(plainServer(back), callee -> {
            Calls calls = callee.calls();
            StringHolder inout = new StringHolder("before");
            StringHolder out = new StringHolder();
            assertEquals("before", calls.aString("text", inout, out));
            assertEquals("text", inout.value);
            assertEquals("text", out.value);
            StringHolder wide = new StringHolder("\u00e9\ud83d\ude00");
            assertEquals("\u00e9\ud83d\ude00", calls.aWstring("w\u4e2d", wide, out));
            assertEquals("w\u4e2d", out.value);
            DoubleHolder number = new DoubleHolder(1.5);
            assertEquals(1.5, calls.aDouble(2.5, number, new DoubleHolder()));
            assertEquals(2.5, number.value);
            BlobHolder bytes = new BlobHolder(blob);
            assertEquals(100_000, calls.aBlob(new byte[] {1}, bytes, new BlobHolder()).length);
            assertArrayEquals(new byte[] {1}, bytes.value);
            Any any = callee.orb().create_any();
            any.insert_string("in an any");
            Any other = callee.orb().create_any();
            other.insert_long(9);
            AnyHolder anys = new AnyHolder(other);
            assertEquals(9, calls.anAny(any, anys, new AnyHolder()).extract_long());
            assertEquals("in an any", anys.value.extract_string());
            ObjectHolder objects = new ObjectHolder(callee.object());
            calls.anObject(callee.kept(), objects, new ObjectHolder());
            assertTrue(objects.value._is_equivalent(callee.kept()));
            assertThrows(Broken.class, () -> calls.fail(1, "why"));
            return calls.count(3);
        });
        assertEquals(3, front.count(1));
        assertEquals(8, back.journal().size(), back.journal().toString());
        assertEqualReplies(1);
    }

    @Test
    void anObjectThatIsGoneIsAResult() throws Exception {
        ORB orb = plain(Map.of("OAIAddr", "127.0.0.1"));
        String reference = plainServer(orb, counter);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.deactivate_object(root.servant_to_id(counter));
        Calls front = front(reference, callee -> {
            OBJECT_NOT_EXIST gone =
                    assertThrows(OBJECT_NOT_EXIST.class, () -> callee.counter().add(1));
            return gone.completed.value() + (callee.object()._non_existent() ? 10 : 0);
        });
        await().untilAsserted(() -> assertTrue(
                client.string_to_object(reference)._non_existent(), "JacORB deactivates it in a thread of its own"));
        assertEquals(10 + CompletionStatus._COMPLETED_NO, front.count(1));
        assertEqualReplies(1);
    }

    @Test
    void aServerThatIsAwayIsAResult() throws Exception {
        Calls front = front("corbaloc:iiop:1.2@127.0.0.1:1/back", callee -> {
            TRANSIENT away =
                    assertThrows(TRANSIENT.class, () -> callee.counter().add(1));
            return away.completed.value();
        });
        assertEquals(CompletionStatus._COMPLETED_NO, front.count(1));
        assertEquals(1, nested().sends());
        assertEqualReplies(1);
    }

    @Test
    void aConnectionThatBreaksInACallIsAResult() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> breaking = CompletableFuture.runAsync(() -> {
                try (Socket connection = listener.accept()) {
                    connection.getInputStream().readNBytes(12);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Calls front = front("corbaloc:iiop:1.2@127.0.0.1:" + listener.getLocalPort() + "/back", callee -> {
                COMM_FAILURE lost =
                        assertThrows(COMM_FAILURE.class, () -> callee.counter().add(1));
                return lost.completed.value();
            });
            assertEquals(CompletionStatus._COMPLETED_MAYBE, front.count(1));
            breaking.get(10, TimeUnit.SECONDS);
            assertEquals(1, nested().sends());
        }
        assertEqualReplies(1);
    }

    /** Counts the requests, and answers none. */
    private static void breakEach(ServerSocket listener, AtomicInteger requests) {
        try {
            while (true) {
                try (Socket connection = listener.accept()) {
                    if (connection.getInputStream().readNBytes(12).length == 12) {
                        requests.incrementAndGet();
                    }
                }
            }
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private void breaksOnce(Properties more) throws Exception {
        AtomicInteger requests = new AtomicInteger();
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> breakEach(listener, requests));
            String reference = "corbaloc:iiop:1.2@127.0.0.1:" + listener.getLocalPort() + "/back";
            org.omg.CORBA.Object same = client.string_to_object(reference);
            ApplicationInterceptor.onException(info -> {
                if (info.received_exception_id().equals("IDL:omg.org/CORBA/COMM_FAILURE:1.0")) {
                    throw new ForwardRequest(same);
                }
            });
            Calls front = front(more, reference, callee -> {
                COMM_FAILURE lost =
                        assertThrows(COMM_FAILURE.class, () -> callee.counter().add(1));
                return lost.completed.value();
            });
            assertEquals(CompletionStatus._COMPLETED_MAYBE, front.count(1));
        }
        assertEquals(1, requests.get(), "the first one may have run");
        assertEqualReplies(1);
    }

    @Test
    void jacorbsPropertyForRetriesDoesNotCallAgain() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("jacorb.connection.client.retry_on_failure", "on");
        breaksOnce(properties);
    }

    @Test
    void anInterceptorThatRedirectsDoesNotCallAgain() throws Exception {
        Properties properties = new Properties();
        properties.setProperty(ApplicationInterceptor.last(), "");
        breaksOnce(properties);
    }

    @Test
    void aServerThatReadsNothingHoldsNoSender() throws Exception {
        try (DeafServer deaf = new DeafServer()) {
            nested().deadline(500);
            Calls front = front("corbaloc:iiop:1.2@127.0.0.1:" + deaf.port() + "/back", callee -> {
                BlobHolder blob = new BlobHolder(new byte[0]);
                COMM_FAILURE broken = assertThrows(
                        COMM_FAILURE.class, () -> callee.calls().aBlob(new byte[8 << 20], blob, new BlobHolder()));
                return broken.completed.value();
            });
            assertEquals(CompletionStatus._COMPLETED_MAYBE, front.count(1));
            assertEquals(1, nested().sends());
            deaf.awaitEnds();
        }
        assertEqualReplies(1);
    }

    @Test
    void aCallThatIsNotAnsweredIsUnknownAtItsDeadline() throws Exception {
        CompletableFuture<Integer> never = new CompletableFuture<>();
        String reference = plainServer(new CounterOfCalls() {
            @Override
            public int slow(int millis) {
                return never.join();
            }
        });
        nested().deadline(500);
        Calls front = front(reference, callee -> {
            TIMEOUT unknown = assertThrows(TIMEOUT.class, () -> callee.counter().slow(1));
            assertEquals(MinorCodes.UNKNOWN, unknown.minor);
            return unknown.completed.value();
        });
        assertEquals(CompletionStatus._COMPLETED_MAYBE, front.count(1));
        never.complete(1);
        assertEqualReplies(1);
    }

    @Test
    void theSameStubServesOperationsAndOtherThreads() throws Exception {
        List<Counter> stubs = new ArrayList<>();
        Calls front = front(plainServer(counter), callee -> {
            synchronized (stubs) {
                if (stubs.stream().noneMatch(stub -> stub == callee.kept())) {
                    stubs.add(callee.kept());
                }
            }
            return callee.kept().add(1);
        });
        front.count(1);
        assertEquals(1, counter.calls());
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> outside = CompletableFuture.supplyAsync(() -> {
            int made = 0;
            while (!over.get()) {
                for (Counter stub : stubs) {
                    stub.add(1);
                    made++;
                }
            }
            return made;
        });
        for (int i = 0; i < 100; i++) {
            front.count(1);
        }
        over.set(true);
        int made = outside.get(20, TimeUnit.SECONDS);
        assertEquals(101 + made, counter.calls());
        assertEqualReplies(101);
    }

    @Test
    void aCallOfTheOwnGroupIsRefused() throws Exception {
        List<String> own = new ArrayList<>();
        Calls front = front("corbaloc:iiop:127.0.0.1:1/nowhere", callee -> CallsHelper.unchecked_narrow(
                        callee.orb().string_to_object(own.get(0)))
                .count(1));
        own.add(client.object_to_string(front));
        BAD_INV_ORDER refused = assertThrows(BAD_INV_ORDER.class, () -> front.count(1));
        assertEquals(MinorCodes.NESTED_CALL, refused.minor);
        assertEquals(0, nested().sends());
        assertEqualReplies(1);
    }

    /** A second group, whose members are in this process too. */
    private String backGroup(List<CallsServant> servants) throws Exception {
        return backGroup(orb -> {
            CallsServant servant = new CallsServant();
            servants.add(servant);
            return servant;
        });
    }

    private String backGroup(Function<ORB, CallsServant> maker) throws Exception {
        String members = Server.members(2);
        String reference = "";
        for (String id : List.of("a", "b")) {
            Properties properties = Server.properties(group + "-back", id, members);
            properties.setProperty("amo.nested", "ordered");
            Server server = Server.start(properties);
            servers.add(server);
            CallsServant servant = maker.apply(server.orb());
            reference = server.activate(server.poa(server.root(), "back"), "back", servant);
        }
        return reference;
    }

    /** Front, back, front: refused by each member of the back group, as a result that the front group orders. */
    @Test
    void aCallBackIntoAGroupThatWaitsIsRefusedAtOnce() throws Exception {
        List<String> first = new CopyOnWriteArrayList<>();
        String reference = backGroup(orb -> new CallsServant() {
            @Override
            public int count(int by) {
                if (by == 1) {
                    return 1;
                }
                return CallsHelper.unchecked_narrow(orb.string_to_object(first.get(0)))
                        .count(1);
            }
        });
        Calls front = front(reference, callee -> {
            BAD_INV_ORDER refused =
                    assertThrows(BAD_INV_ORDER.class, () -> callee.calls().count(2));
            assertEquals(CompletionStatus.COMPLETED_MAYBE, refused.completed, "its operation has begun");
            return refused.minor + callee.calls().count(1);
        });
        first.add(client.object_to_string(front));
        assertEquals(MinorCodes.CALL_CYCLE + 1, front.count(1));
        assertEquals(2, nested().sends());
        assertEquals(0, ToyNestedCalls.of(group + "-back").sends(), "nothing was sent back");
        assertEquals(
                List.of(List.of(group), List.of(group)),
                ToyGroup.named(group + "-back").log().stream()
                        .map(entry -> entry.request().path().groups())
                        .toList());
        assertEqualReplies(1);
    }

    @Test
    void aCallOfAnotherGroupHasOneIdAtAllMembers() throws Exception {
        List<CallsServant> back = new ArrayList<>();
        String reference = backGroup(back);
        nested().everyMemberSends();
        Calls front = front(reference, callee -> callee.calls().count(2));
        for (int i = 1; i <= 5; i++) {
            assertEquals(2 * i, front.count(1));
        }
        assertEquals(15, nested().sends());
        assertEquals(5, ToyGroup.named(group + "-back").log().size());
        assertEquals(5, back.get(0).journal().size());
        assertEquals(5, back.get(1).journal().size());
        assertEqualReplies(5);
    }

    @Test
    void theNumbersOfCallsOfAnotherGroupAreAcknowledged() throws Exception {
        String reference = backGroup(new ArrayList<>());
        Calls front = front(reference, callee -> callee.calls().count(1));
        for (int i = 1; i <= 3; i++) {
            assertEquals(i, front.count(1));
        }
        List<org.amo.core.sack.FinishedNumbers> finished =
                ToyGroup.named(group + "-back").finished();
        assertEquals(2, finished.get(finished.size() - 1).floor());
        int calls = ToyGroup.named(group + "-back").log().size();
        await().untilAsserted(
                        () -> assertEquals(3, finished.get(finished.size() - 1).floor(), "without another call"));
        assertEquals(calls, ToyGroup.named(group + "-back").log().size());
    }

    @Test
    void theLastAcknowledgementsGoToAnotherMemberIfTheFirstIsAway() throws Exception {
        String reference = backGroup(new ArrayList<>());
        Calls front = front(reference, callee -> callee.calls().count(1));
        assertEquals(1, front.count(1));
        servers.remove(0).close();
        List<org.amo.core.sack.FinishedNumbers> finished =
                ToyGroup.named(group + "-back").finished();
        await().atMost(30, TimeUnit.SECONDS)
                .untilAsserted(
                        () -> assertEquals(1, finished.get(finished.size() - 1).floor()));
    }

    @Test
    void aMemberOfTheOtherGroupThatDoesNotAnswerIsLeft() throws Exception {
        List<CallsServant> back = new ArrayList<>();
        String reference = backGroup(back);
        Calls front = front(reference, callee -> callee.calls().count(1));
        assertEquals(1, front.count(1));
        servers.remove(0).close();
        assertEquals(2, front.count(1));
        assertEquals(3, front.count(1));
        assertEqualReplies(3);
    }

    @Test
    void aCallbackOverTheClientsOwnConnectionRunsOnce() throws Exception {
        String initializer =
                "org.omg.PortableInterceptor.ORBInitializerClass." + BiDirConnectionInitializer.class.getName();
        Properties properties = new Properties();
        properties.setProperty(initializer, "");
        ORB caller = plain(Map.of(initializer, "", "OAIAddr", "127.0.0.1"));
        Any both = caller.create_any();
        BidirectionalPolicyValueHelper.insert(both, BOTH.value);
        POA root = POAHelper.narrow(caller.resolve_initial_references("RootPOA"));
        POA poa = root.create_POA("callbacks", root.the_POAManager(), new Policy[] {
            root.create_lifespan_policy(LifespanPolicyValue.TRANSIENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.SYSTEM_ID),
            caller.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)
        });
        poa.activate_object(counter);
        root.the_POAManager().activate();
        String callback = caller.object_to_string(poa.servant_to_reference(counter));
        Calls front = front(properties, callback, callee -> callee.counter().add(1));
        Calls seen = CallsHelper.narrow(caller.string_to_object(client.object_to_string(front)));
        for (int i = 1; i <= 3; i++) {
            assertEquals(i, seen.count(1));
        }
        assertEquals(3, counter.calls());
        assertEqualReplies(3);
    }
}
