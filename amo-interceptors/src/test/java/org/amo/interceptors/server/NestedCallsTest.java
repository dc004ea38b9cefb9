package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import AmoClientTest.AMI_CounterHandler;
import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import AmoClientTest._CounterStub;
import everything.Calls;
import everything.CallsHelper;
import everything.CallsPOATie;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.amo.base.NestedCallException;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.client.AsyncCalls;
import org.jacorb.orb.giop.BiDirConnectionInitializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.PolicyListHolder;
import org.omg.CORBA.Request;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CosNaming.NamingContextExtHelper;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** Calls that operations of a replicated object make to other objects: all of its members would make them. */
@Timeout(60)
class NestedCallsTest {
    private final List<ORB> orbs = new ArrayList<>();
    private final List<Server> servers = new ArrayList<>();
    private ORB client;
    private String group = "";
    private String members = "";

    @BeforeEach
    void start(TestInfo test) throws Exception {
        group = "nested-" + Integer.toHexString((test.getDisplayName() + test.getTestMethod()).hashCode());
        members = Server.members(2);
        client = plain(Map.of());
    }

    @AfterEach
    void stop() {
        servers.forEach(Server::close);
        orbs.forEach(orb -> orb.shutdown(true));
    }

    private ORB plain(Map<String, String> more) {
        ORB orb = Server.client(more);
        orbs.add(orb);
        return orb;
    }

    /** What an operation does, at each member alike. */
    @FunctionalInterface
    private interface Operation {
        int run(Callee callee) throws Exception;
    }

    /** Another server, as an operation of a member sees it. */
    private record Callee(ORB orb, String address) {
        Counter counter() {
            return CounterHelper.unchecked_narrow(object());
        }

        org.omg.CORBA.Object object() {
            return orb.string_to_object(address);
        }

        Request request() {
            Request request = object()._request("add");
            Any delta = request.add_in_arg();
            delta.insert_long(1);
            request.set_return_type(orb.get_primitive_tc(TCKind.tk_long));
            return request;
        }
    }

    /** A way to make a call. */
    private record Way(String name, Operation operation) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Way> ways() {
        return Stream.of(
                new Way("stub", callee -> callee.counter().add(1)),
                new Way("attribute", callee -> callee.counter().label().length()),
                new Way("oneway", callee -> {
                    callee.counter().note(1);
                    return 0;
                }),
                new Way("dynamic", callee -> {
                    Request request = callee.request();
                    request.invoke();
                    return outcome(request);
                }),
                new Way("dynamic oneway", callee -> {
                    Request request = callee.request();
                    request.send_oneway();
                    return outcome(request);
                }),
                new Way("deferred", callee -> {
                    Request request = callee.request();
                    request.send_deferred();
                    request.get_response();
                    return outcome(request);
                }),
                new Way("asynchronous", callee -> {
                    ((_CounterStub) callee.counter()).sendc_add((AMI_CounterHandler) null, 1);
                    return 0;
                }),
                new Way("_is_a", callee -> callee.object()._is_a("IDL:another:1.0") ? 1 : 0),
                new Way("_non_existent", callee -> callee.object()._non_existent() ? 1 : 0),
                new Way("_get_interface_def", callee -> callee.object()._get_interface_def() == null ? 1 : 0),
                new Way(
                        "_validate_connection",
                        callee -> ((org.omg.CORBA.portable.ObjectImpl) callee.object())
                                        ._validate_connection(new PolicyListHolder())
                                ? 1
                                : 0),
                new Way(
                        "naming service",
                        callee -> NamingContextExtHelper.unchecked_narrow(callee.object())
                                                .resolve_str("a")
                                        == null
                                ? 1
                                : 0),
                new Way(
                        "thread of the operation",
                        callee -> inThread(() -> callee.counter().add(1))));
    }

    private static int outcome(Request request) throws Exception {
        Exception thrown = request.env().exception();
        if (thrown != null) {
            throw thrown;
        }
        return 1;
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

    /** The front object of a group of two, whose operation is the given one. */
    private Calls front(Properties more, String back, Operation operation) throws Exception {
        String reference = "";
        for (String id : List.of("a", "b")) {
            Properties properties = Server.properties(group, id, members);
            properties.putAll(more);
            Server server = Server.start(properties);
            servers.add(server);
            Callee callee = new Callee(server.orb(), back);
            reference =
                    server.activate(server.poa(server.root(), "front"), "front", new CallsPOATie(new CallsServant() {
                        @Override
                        public int count(int by) {
                            try {
                                return operation.run(callee);
                            } catch (RuntimeException e) {
                                throw e;
                            } catch (Exception e) {
                                throw new CompletionException(e);
                            }
                        }
                    }));
        }
        return CallsHelper.narrow(client.string_to_object(reference));
    }

    private static void assertRefused(Calls front) {
        BAD_INV_ORDER refused = assertThrows(BAD_INV_ORDER.class, () -> front.count(1));
        assertEquals(MinorCodes.NESTED_CALL, refused.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, refused.completed, "the operation has begun");
    }

    private void assertEqualReplies(int requests) {
        List<ToyGroup.Entry> log = ToyGroup.named(group).log();
        assertEquals(requests, log.size());
        for (ToyGroup.Entry entry : log) {
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("b"));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void noWayToCallLeavesTheProcess(Way way) throws Exception {
        assertNothingLeaves(way.operation(), front -> {
            assertRefused(front);
            assertRefused(front);
        });
        assertEqualReplies(2);
    }

    /** JacORB makes an exception of its own of the refusal. */
    @Test
    void aNameInAReferenceIsNotLookedUp() throws Exception {
        assertNothingLeaves(
                callee -> callee.orb().string_to_object(callee.address().replace("corbaloc:iiop", "corbaname:") + "#a")
                                == null
                        ? 1
                        : 0,
                front -> assertThrows(SystemException.class, () -> front.count(1)));
        assertEqualReplies(1);
    }

    private void assertNothingLeaves(Operation operation, Consumer<Calls> calls) throws Exception {
        Properties located = new Properties();
        located.setProperty("jacorb.locate_on_bind", "on");
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.configureBlocking(false);
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            calls.accept(front(located, "corbaloc:iiop:127.0.0.1:" + port + "/back", operation));
            assertNull(listener.accept(), "a connection was made");
        }
    }

    @Test
    void theCalleeOfTenCallsRanNothingUntilTheMembersAllowIt() throws Exception {
        CounterOfCalls counter = new CounterOfCalls();
        String back = plainServer(counter);
        Calls front = front(new Properties(), back, callee -> callee.counter().add(1));
        for (int i = 0; i < 10; i++) {
            assertRefused(front);
        }
        assertEquals(0, counter.calls());
        assertEqualReplies(10);
    }

    @Test
    void membersThatAllowItCallOnceEach() throws Exception {
        CounterOfCalls counter = new CounterOfCalls();
        String back = plainServer(counter);
        Properties allow = new Properties();
        allow.setProperty("amo.nested", "allow");
        Calls front = front(allow, back, callee -> {
            callee.counter().note(1);
            return callee.counter().echo("same").length();
        });
        assertEquals(4, front.count(1));
        assertEquals(2, counter.calls());
        assertEqualReplies(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"refuse", "allow"})
    void aCallOfTheOwnGroupOverTheNetworkIsRefusedWhateverIsAllowed(String nested) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("amo.nested", nested);
        List<String> own = new ArrayList<>();
        // The same object by another ORB's eyes: JacORB does not know that it is at home.
        ORB other = plain(Map.of(
                "org.omg.PortableInterceptor.ORBInitializerClass."
                        + org.amo.interceptors.client.AmoClientInitializer.class.getName(),
                ""));
        Calls front = front(properties, "corbaloc:iiop:127.0.0.1:1/nowhere", callee -> CallsHelper.unchecked_narrow(
                        other.string_to_object(own.get(0)))
                .count(1));
        own.add(client.object_to_string(front));
        assertRefused(front);
        assertEqualReplies(1);
    }

    @Test
    void whatRunsOutsideOfOperationsCallsAsEver() throws Exception {
        CounterOfCalls counter = new CounterOfCalls();
        String back = plainServer(counter);
        Calls front = front(new Properties(), back, callee -> callee.counter().add(1));
        assertRefused(front);
        for (Server server : servers) {
            Counter own = CounterHelper.narrow(server.orb().string_to_object(back));
            own.add(1);
            assertThrows(AmoClientTest.WithAny.class, () -> own.failWithAny(7));
        }
        assertEquals(4, counter.calls());
    }

    @Test
    void aTaskForAsyncCallsIsRefusedWhereItIsHandedOver() throws Exception {
        try (AsyncCalls pool = new AsyncCalls(1, 1)) {
            assertEquals(1, pool.submit(() -> 1).get(10, TimeUnit.SECONDS));
            Calls front = front(new Properties(), "corbaloc:iiop:127.0.0.1:1/nowhere", callee -> {
                assertThrows(NestedCallException.class, () -> pool.submit(() -> 1));
                return 5;
            });
            assertEquals(5, front.count(1));
        }
    }

    @Test
    void aCallbackOverTheClientsOwnConnectionIsRefused() throws Exception {
        String initializer =
                "org.omg.PortableInterceptor.ORBInitializerClass." + BiDirConnectionInitializer.class.getName();
        Properties properties = new Properties();
        properties.setProperty(initializer, "");
        ORB caller = plain(Map.of(initializer, "", "OAIAddr", "127.0.0.1"));
        CounterOfCalls listener = new CounterOfCalls();
        Any both = caller.create_any();
        BidirectionalPolicyValueHelper.insert(both, BOTH.value);
        POA root = POAHelper.narrow(caller.resolve_initial_references("RootPOA"));
        POA poa = root.create_POA("callbacks", root.the_POAManager(), new Policy[] {
            root.create_lifespan_policy(LifespanPolicyValue.TRANSIENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.SYSTEM_ID),
            caller.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)
        });
        poa.activate_object(listener);
        root.the_POAManager().activate();
        String callback = caller.object_to_string(poa.servant_to_reference(listener));
        Calls front = front(properties, callback, callee -> callee.counter().add(1));
        Calls seen = CallsHelper.narrow(caller.string_to_object(client.object_to_string(front)));
        for (int i = 0; i < 3; i++) {
            assertRefused(seen);
        }
        assertEquals(0, listener.calls());
        assertEqualReplies(3);
    }

    private String plainServer(CounterOfCalls servant) throws Exception {
        ORB orb = plain(Map.of("OAIAddr", "127.0.0.1"));
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        root.activate_object(servant);
        return orb.object_to_string(root.servant_to_reference(servant));
    }
}
