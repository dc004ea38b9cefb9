package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import everything.CallsPOATie;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.amo.base.RunningOperation;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.interceptors.MinorCodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.omg.CORBA.ARG_IN;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.NVList;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ServerRequest;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TRANSIENT;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.DynamicImplementation;
import org.omg.PortableServer.IdUniquenessPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAPackage.ObjectNotActive;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantLocatorPackage.CookieHolder;
import org.omg.PortableServer.ServantRetentionPolicyValue;
import org.omg.PortableServer._AdapterActivatorLocalBase;
import org.omg.PortableServer._ServantActivatorLocalBase;
import org.omg.PortableServer._ServantLocatorLocalBase;

/** Every way in which an application gives its servants to an object adapter, at two members. */
class AdapterTest {
    private final ORB client = Server.client(Map.of());
    private String group = "";
    private String members = "";
    private Server a;
    private Server b;

    @BeforeEach
    void start(TestInfo test) throws Exception {
        group = test.getTestMethod().orElseThrow().getName();
        members = Server.members(2);
        a = Server.start(group, "a", members);
        b = Server.start(group, "b", members);
    }

    @AfterEach
    void stop() {
        for (ToyGroup.Entry entry : ToyGroup.named(group).log()) {
            assertArrayEquals(entry.replies().get("a"), entry.replies().get("b"));
        }
        client.shutdown(true);
        a.close();
        b.close();
    }

    @FunctionalInterface
    private interface Setup {
        String run(Server server) throws Exception;
    }

    /** Does the same at both members; a's reference, which is b's as well. */
    private Calls both(Setup setup) throws Exception {
        String reference = setup.run(a);
        assertEquals(reference, setup.run(b));
        return CallsHelper.narrow(client.string_to_object(reference));
    }

    @Test
    void tie() throws Exception {
        Calls calls = both(server ->
                server.activate(server.poa(server.root(), "tied"), "one", new CallsPOATie(new CallsServant())));
        assertEquals(3, calls.count(3));
        assertEquals(2, group().log().get(0).replies().size());
    }

    @Test
    void adaptersBelowAdapters() throws Exception {
        Calls calls = both(server -> {
            POA upper = server.poa(server.root(), "upper");
            POA lower = server.poa(upper, "lower/with a slash");
            assertSame(lower, upper.find_POA("lower/with a slash", false));
            assertSame(upper, lower.the_parent());
            assertSame(server.root(), upper.the_parent());
            assertArrayEquals(new POA[] {lower}, upper.the_children());
            assertEquals("lower/with a slash", lower.the_name());
            return server.activate(lower, "an/odd id", new CallsServant());
        });
        assertEquals(3, calls.count(3));
        assertEquals("an/odd id@lower/with a slash", calls.whoAmI());
    }

    @Test
    void theServantsThatTheApplicationGetsBackAreItsOwn() throws Exception {
        both(server -> {
            POA poa = server.poa(server.root(), "calls");
            CallsServant servant = new CallsServant();
            byte[] id = bytes("one");
            poa.activate_object_with_id(id, servant);
            assertSame(servant, poa.id_to_servant(id));
            org.omg.CORBA.Object reference = poa.servant_to_reference(servant);
            assertSame(servant, poa.reference_to_servant(reference));
            assertArrayEquals(id, poa.reference_to_id(reference));
            assertArrayEquals(id, poa.servant_to_id(servant));
            return server.orb().object_to_string(reference);
        });
    }

    @Test
    void anObjectThatWasDeactivatedIsGone() throws Exception {
        List<POA> adapters = new ArrayList<>();
        Calls calls = both(server -> {
            POA poa = server.poa(server.root(), "calls");
            adapters.add(poa);
            return server.activate(poa, "one", new CallsServant());
        });
        calls.count(1);
        for (POA poa : adapters) {
            poa.deactivate_object(bytes("one"));
        }
        // JacORB does it on a thread of its own.
        await().untilAsserted(() -> {
            for (POA poa : adapters) {
                assertThrows(ObjectNotActive.class, () -> poa.id_to_servant(bytes("one")));
            }
        });
        assertThrows(OBJECT_NOT_EXIST.class, () -> calls.count(1));
        CallsServant again = new CallsServant();
        for (POA poa : adapters) {
            poa.activate_object_with_id(bytes("one"), poa == adapters.get(0) ? again : new CallsServant());
        }
        assertEquals(2, calls.count(2));
    }

    @Test
    void defaultServant() throws Exception {
        List<CallsServant> servants = new ArrayList<>();
        Calls calls = both(server -> {
            POA poa = server.poa(
                    server.root(),
                    "default",
                    server.root().create_request_processing_policy(RequestProcessingPolicyValue.USE_DEFAULT_SERVANT),
                    server.root().create_id_uniqueness_policy(IdUniquenessPolicyValue.MULTIPLE_ID),
                    server.root().create_servant_retention_policy(ServantRetentionPolicyValue.NON_RETAIN));
            CallsServant servant = new CallsServant();
            servants.add(servant);
            poa.set_servant(servant);
            assertSame(servant, poa.get_servant());
            return server.orb()
                    .object_to_string(poa.create_reference_with_id(bytes("any"), "IDL:everything/Calls:1.0"));
        });
        assertEquals("any@default", calls.whoAmI());
        assertEquals(client.object_to_string(calls), client.object_to_string(calls.myself()));
        assertEquals(servants.get(0).journal(), servants.get(1).journal());
    }

    @Test
    void servantActivator() throws Exception {
        List<String> made = new ArrayList<>();
        Calls calls = both(server -> {
            POA poa = server.poa(
                    server.root(),
                    "activated",
                    server.root().create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER));
            poa.set_servant_manager(new _ServantActivatorLocalBase() {
                private static final long serialVersionUID = 1L;

                @Override
                public Servant incarnate(byte[] id, POA adapter) {
                    assertSame(poa, adapter);
                    synchronized (made) {
                        made.add(new String(id, StandardCharsets.UTF_8));
                    }
                    return new CallsServant();
                }

                @Override
                public void etherealize(byte[] id, POA adapter, Servant servant, boolean cleanup, boolean remaining) {
                    assertTrue(servant instanceof CallsServant);
                }
            });
            return server.orb()
                    .object_to_string(poa.create_reference_with_id(bytes("lazy"), "IDL:everything/Calls:1.0"));
        });
        assertEquals(4, calls.count(4));
        assertEquals(9, calls.count(5));
        assertEquals("lazy@activated", calls.whoAmI());
        assertEquals(List.of("lazy", "lazy"), made);
    }

    /** An adapter whose servants the activator makes, and a reference of this type to one of its objects. */
    private String activated(Server server, _ServantActivatorLocalBase activator, String id, String type)
            throws Exception {
        POA poa = server.poa(
                server.root(),
                "activated",
                server.root().create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER));
        poa.set_servant_manager(activator);
        return server.orb().object_to_string(poa.create_reference_with_id(bytes(id), type));
    }

    /** Tells what it is asked for, and whether inside an operation. Knows no object whose id begins with "no". */
    private static final class Telling extends _ServantActivatorLocalBase {
        private static final long serialVersionUID = 1L;

        private final transient List<String> told;
        private final transient Supplier<Servant> servants;

        Telling(List<String> told, Supplier<Servant> servants) {
            this.told = told;
            this.servants = servants;
        }

        private void tell(String what) {
            told.add(what + (RunningOperation.current().isPresent() ? "" : " outside"));
        }

        @Override
        public Servant incarnate(byte[] id, POA adapter) {
            tell("incarnate");
            if (new String(id, StandardCharsets.UTF_8).startsWith("no")) {
                throw new OBJECT_NOT_EXIST(5, CompletionStatus.COMPLETED_NO);
            }
            return servants.get();
        }

        @Override
        public void etherealize(byte[] id, POA adapter, Servant servant, boolean cleanup, boolean remaining) {
            if (!cleanup) {
                tell("etherealize " + remaining);
            }
        }
    }

    /** Not when a request arrives: the connected member would read another clock, and a refused request would leave a servant there. */
    @Test
    void aServantActivatorIsAskedInsideTheOperationAtEveryMember() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Calls calls = both(
                server -> activated(server, new Telling(told, CallsServant::new), "lazy", "IDL:everything/Calls:1.0"));
        assertEquals(4, calls.count(4));
        assertEquals(9, calls.count(5));
        assertEquals(List.of("incarnate", "incarnate"), told);
    }

    @Test
    void anObjectThatTheActivatorDoesNotKnowDoesNotExist() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Calls calls = both(server ->
                activated(server, new Telling(told, CallsServant::new), "nobody", "IDL:everything/Calls:1.0"));
        OBJECT_NOT_EXIST gone = assertThrows(OBJECT_NOT_EXIST.class, () -> calls.count(4));
        assertEquals(5, gone.minor);
        assertTrue(calls._non_existent());
        assertEquals(List.of("incarnate", "incarnate", "incarnate", "incarnate"), told);
    }

    /** JacORB answers it, and has no servant yet. */
    @Test
    void theTypeOfAnObjectThatNoRequestHasCalledIsThatOfItsServant() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        List<String> references = new ArrayList<>();
        for (Server server : List.of(a, b)) {
            references.add(
                    activated(server, new Telling(told, CallsServant::new), "lazy", "IDL:omg.org/CORBA/Object:1.0"));
        }
        org.omg.CORBA.Object object = client.string_to_object(references.get(0));
        assertTrue(object._is_a("IDL:everything/Calls:1.0"));
        assertTrue(!object._is_a("IDL:another:1.0"));
        assertEquals(List.of("incarnate", "incarnate"), told);
    }

    @Test
    void anObjectThatIsDeactivatedIsEtherealizedBehindItAndMadeAnew() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Calls calls = both(server -> {
            Supplier<Servant> servants = () -> new CallsServant() {
                @Override
                public int count(int by) {
                    POA poa = _poa();
                    try {
                        poa.deactivate_object(_object_id());
                    } catch (UserException e) {
                        throw new IllegalStateException(e);
                    }
                    told.add("end of the operation");
                    return super.count(by);
                }
            };
            return activated(server, new Telling(told, servants), "lazy", "IDL:everything/Calls:1.0");
        });
        assertEquals(4, calls.count(4));
        assertEquals(5, calls.count(5));
        List<String> once = List.of("incarnate", "end of the operation", "etherealize false");
        // Twice at each of two members, which run one after the other.
        assertEquals(Stream.of(once, once, once, once).flatMap(List::stream).toList(), told);
    }

    /** A request has arrived at one member, and JacORB has an entry for its object there; the object is active at none. */
    @Test
    void anObjectIsActiveOnceARequestForItHasRun() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        List<POA> adapters = new ArrayList<>();
        Calls calls = both(server -> {
            String reference =
                    activated(server, new Telling(told, CallsServant::new), "lazy", "IDL:everything/Calls:1.0");
            adapters.add(server.root().find_POA("activated", false));
            return reference;
        });
        group().answerInstead(Optional.of(Answer.overloaded(Budget.ORDER, 0, Answer.NO_BOUND)));
        assertThrows(TRANSIENT.class, () -> calls.count(4));
        group().answerInstead(Optional.empty());
        for (POA poa : adapters) {
            assertThrows(ObjectNotActive.class, () -> poa.id_to_servant(bytes("lazy")));
            assertThrows(ObjectNotActive.class, () -> poa.id_to_reference(bytes("lazy")));
        }
        assertEquals(4, calls.count(4));
        for (POA poa : adapters) {
            assertTrue(poa.id_to_servant(bytes("lazy")) instanceof CallsServant);
            assertArrayEquals(bytes("lazy"), poa.servant_to_id(poa.id_to_servant(bytes("lazy"))));
        }
        assertEquals(List.of("incarnate", "incarnate"), told);
    }

    @Test
    void servantLocator() throws Exception {
        List<String> asked = new ArrayList<>();
        Calls calls = both(server -> {
            POA poa = server.poa(
                    server.root(),
                    "located",
                    server.root().create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER),
                    server.root().create_servant_retention_policy(ServantRetentionPolicyValue.NON_RETAIN));
            Map<String, CallsServant> servants = new HashMap<>();
            poa.set_servant_manager(new _ServantLocatorLocalBase() {
                private static final long serialVersionUID = 1L;

                @Override
                public Servant preinvoke(byte[] id, POA adapter, String operation, CookieHolder cookie) {
                    cookie.value = operation;
                    synchronized (asked) {
                        asked.add("pre " + operation);
                    }
                    return servants.computeIfAbsent(new String(id, StandardCharsets.UTF_8), key -> new CallsServant());
                }

                @Override
                public void postinvoke(byte[] id, POA adapter, String operation, Object cookie, Servant servant) {
                    assertEquals(operation, cookie);
                    synchronized (asked) {
                        asked.add("post " + operation);
                    }
                }
            });
            return server.orb()
                    .object_to_string(poa.create_reference_with_id(bytes("here"), "IDL:everything/Calls:1.0"));
        });
        assertEquals(4, calls.count(4));
        assertEquals(9, calls.count(5));
        // Once at each member, and not where the client is connected besides.
        assertEquals(4, asked.stream().filter("pre count"::equals).count());
        assertEquals(4, asked.stream().filter("post count"::equals).count());
        assertTrue(calls._is_a("IDL:everything/Calls:1.0"));
    }

    @Test
    void dynamicImplementation() throws Exception {
        Calls calls = both(server -> server.activate(server.poa(server.root(), "dynamic"), "one", new Dynamic()));
        assertEquals(4, calls.count(4));
        assertEquals(9, calls.count(5));
        assertThrows(everything.Broken.class, () -> calls.fail(1, "why"));
        assertThrows(org.omg.CORBA.BAD_OPERATION.class, calls::title);
    }

    @Test
    void anAdapterActivatorCreatesBehindTheProxyToo() throws Exception {
        Calls calls = both(server -> {
            POA upper = server.poa(server.root(), "upper");
            upper.the_activator(new _AdapterActivatorLocalBase() {
                private static final long serialVersionUID = 1L;

                @Override
                public boolean unknown_adapter(POA parent, String name) {
                    assertSame(upper, parent);
                    try {
                        server.activate(server.poa(parent, name), "one", new CallsServant());
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    return true;
                }
            });
            POA lower = upper.find_POA("lower", true);
            return server.orb().object_to_string(lower.id_to_reference(bytes("one")));
        });
        assertEquals(3, calls.count(3));
        assertEquals(2, group().log().get(0).replies().size());
    }

    /** The main of one member has made it: the others have to ask their activators when they run the request, and so has each replay. */
    @Test
    void anAdapterThatOneMemberHasIsActivatedAtTheOthers() throws Exception {
        List<Boolean> inside = new CopyOnWriteArrayList<>();
        for (Server server : List.of(a, b)) {
            POA upper = server.poa(server.root(), "upper");
            upper.the_activator(new Lower(server, inside));
        }
        POA lower = a.root().find_POA("upper", false).find_POA("lower", true);
        Calls calls = CallsHelper.unchecked_narrow(
                client.string_to_object(a.orb().object_to_string(lower.id_to_reference(bytes("one")))));
        assertEquals(3, calls.count(3));
        assertEquals(List.of(false, true), inside);
        assertArrayEquals(
                group().log().get(0).replies().get("a"),
                group().log().get(0).replies().get("b"));
    }

    /** JacORB asks for it where a request arrives: there it would be made by the clock of that member alone. */
    @Test
    void anAdapterThatARequestNeedsIsActivatedInsideTheOrderAtEveryMember() throws Exception {
        List<Boolean> inside = new CopyOnWriteArrayList<>();
        for (Server server : List.of(a, b)) {
            POA upper = server.poa(server.root(), "upper");
            // The only thing that main does: it opens the replica, too.
            upper.the_activator(new Lower(server, inside));
        }
        assertEquals(3, lower(0, "one").count(3));
        assertEquals(8, lower(0, "one").count(5));
        assertEquals(List.of(true, true), inside);
        assertEquals(3, group().log().size(), "one for the adapter");
        assertThrows(OBJECT_NOT_EXIST.class, () -> lower(0, "another").count(1));
    }

    @Test
    void anAdapterThatItsActivatorRefusesDoesNotExist() throws Exception {
        for (Server server : List.of(a, b)) {
            POA upper = server.poa(server.root(), "upper");
            upper.the_activator(new _AdapterActivatorLocalBase() {
                private static final long serialVersionUID = 1L;

                @Override
                public boolean unknown_adapter(POA parent, String name) {
                    throw new NO_PERMISSION(7, CompletionStatus.COMPLETED_NO);
                }
            });
        }
        NO_PERMISSION refused =
                assertThrows(NO_PERMISSION.class, () -> lower(0, "one").count(3));
        assertEquals(7, refused.minor);
    }

    /** As when a member that starts runs its log: main makes the adapter, and a request waits for it. */
    @Test
    void mainAndARequestDoNotAskAnActivatorAtTheSameTime() throws Exception {
        List<Boolean> inside = new CopyOnWriteArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Lower slow = new Lower(a, inside);
        POA upper = a.poa(a.root(), "upper");
        upper.the_activator(new _AdapterActivatorLocalBase() {
            private static final long serialVersionUID = 1L;

            @Override
            public boolean unknown_adapter(POA parent, String name) {
                begun.countDown();
                await().until(() -> released.getCount() == 0);
                return slow.unknown_adapter(parent, name);
            }
        });
        POA upperOfB = b.poa(b.root(), "upper");
        upperOfB.the_activator(new Lower(b, inside));
        assertEquals("lower", upperOfB.find_POA("lower", true).the_name());
        FutureTask<POA> main = inThread(() -> upper.find_POA("lower", true));
        assertTrue(begun.await(10, TimeUnit.SECONDS));
        FutureTask<Integer> call = inThread(() -> lower(1, "one").count(3));
        await().until(AdapterTest::isOrderBlocked);
        released.countDown();
        assertEquals(3, call.get(60, TimeUnit.SECONDS));
        assertSame(upper.find_POA("lower", false), main.get(60, TimeUnit.SECONDS));
        assertEquals(List.of(false, false), inside);
    }

    private static <T> FutureTask<T> inThread(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static boolean isOrderBlocked() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread ->
                        thread.getName().equals("amo-toy-order") && thread.getState() == Thread.State.BLOCKED);
    }

    /** An object of the adapter that only an activator makes, called at the member with this number. */
    private Calls lower(int member, String id) {
        int port = Member.parseList(members).get(member).clientPort();
        return CallsHelper.unchecked_narrow(
                client.string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + port + "/everything/upper/lower/" + id));
    }

    /** Makes an adapter with one object. */
    private static final class Lower extends _AdapterActivatorLocalBase {
        private static final long serialVersionUID = 1L;

        private final transient Server server;
        private final transient List<Boolean> inside;

        Lower(Server server, List<Boolean> inside) {
            this.server = server;
            this.inside = inside;
        }

        @Override
        public boolean unknown_adapter(POA parent, String name) {
            inside.add(RunningOperation.current().isPresent());
            try {
                return !server.activate(server.poa(parent, name), "one", new CallsServant())
                        .isEmpty();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void aCallOfTheGroupFromInsideIsRefusedAtOnce() throws Exception {
        Calls calls = both(server -> {
            POA poa = server.poa(server.root(), "calls");
            server.activate(poa, "target", new CallsServant());
            Calls target = CallsHelper.narrow(poa.id_to_reference(bytes("target")));
            return server.activate(poa, "nesting", new CallsPOATie(new CallsServant() {
                @Override
                public int count(int by) {
                    return target.count(by);
                }
            }));
        });
        BAD_INV_ORDER refused = assertThrows(BAD_INV_ORDER.class, () -> calls.count(1));
        assertEquals(MinorCodes.NESTED_CALL, refused.minor);
    }

    /** As a factory does that narrows the reference which it returns. */
    @Test
    void anOperationMayAskOtherObjectsOfItsProcessForTheirType() throws Exception {
        Calls calls = both(server -> {
            POA poa = server.poa(server.root(), "calls");
            String other = server.activate(poa, "another", new CallsServant());
            return server.activate(poa, "one", new CallsServant() {
                @Override
                public int count(int by) {
                    org.omg.CORBA.Object found = server.orb().string_to_object(other);
                    if (found._is_a("IDL:another:1.0") || found._non_existent()) {
                        return 0;
                    }
                    // Afterwards it is still the operation of this object.
                    return _object_id()[0];
                }
            });
        });
        assertEquals('o', calls.count(1));
        assertEquals("one@calls", calls.whoAmI());
    }

    @Test
    void aMainThatCallsItsOwnObjectGoesThroughTheGroup() throws Exception {
        both(server -> server.activate(server.poa(server.root(), "calls"), "one", new CallsServant()));
        POA poa = a.root().find_POA("calls", false);
        Calls own = CallsHelper.narrow(poa.id_to_reference(bytes("one")));
        assertEquals(3, own.count(3));
        assertEquals(2, group().log().get(0).replies().size());
    }

    private ToyGroup group() {
        return ToyGroup.named(group);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A servant without a skeleton. */
    private static final class Dynamic extends DynamicImplementation {
        private int total;

        @Override
        public void invoke(ServerRequest request) {
            ORB orb = _orb();
            NVList arguments = orb.create_list(0);
            Any result = orb.create_any();
            if (request.operation().equals("count")) {
                Any by = orb.create_any();
                by.type(orb.get_primitive_tc(TCKind.tk_long));
                arguments.add_value("by", by, ARG_IN.value);
                request.arguments(arguments);
                total += by.extract_long();
                result.insert_long(total);
                request.set_result(result);
            } else if (request.operation().equals("fail")) {
                request.arguments(arguments);
                everything.BrokenHelper.insert(result, new everything.Broken(1, "why", new int[0]));
                request.set_exception(result);
            } else {
                throw new org.omg.CORBA.BAD_OPERATION();
            }
        }

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:everything/Calls:1.0"};
        }
    }
}
