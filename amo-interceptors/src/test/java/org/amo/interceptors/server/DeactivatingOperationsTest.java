package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.amo.interceptors.CapturedReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.omg.CORBA.INV_POLICY;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAPackage.ObjectAlreadyActive;
import org.omg.PortableServer.POAPackage.ObjectNotActive;
import org.omg.PortableServer.POAPackage.ServantAlreadyActive;
import org.omg.PortableServer.POAPackage.ServantNotActive;
import org.omg.PortableServer.Servant;

/** Operations that take away objects of their own server. JacORB does it in a thread of its own, behind its own requests for them. */
class DeactivatingOperationsTest {
    private static final byte[] ONE = "one".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TWO = "two".getBytes(StandardCharsets.UTF_8);

    private final ORB client = Server.client(
            Map.of("org.omg.PortableInterceptor.ORBInitializerClass." + ContextClient.class.getName(), ""));
    private final List<Server> servers = new ArrayList<>();
    private String group = "";

    /** The object with the operation, and one in another adapter. */
    private record Both(Calls one, Calls two) {}

    /** What the operation of the first object does at a member. */
    @FunctionalInterface
    private interface Doing {
        void run(Server server, POA other, boolean connected) throws Exception;
    }

    @BeforeEach
    void start(TestInfo test) throws Exception {
        group = "gone-" + test.getTestMethod().orElseThrow().getName();
        String members = Server.members(2);
        for (String id : List.of("a", "b")) {
            Properties properties = Server.properties(group, id, members);
            // Each request waits in one of JacORB's threads, as it does over SSL.
            properties.setProperty("amo.frontEnd", "off");
            servers.add(Server.start(properties));
        }
    }

    @AfterEach
    void stop() {
        ContextClient.send();
        client.shutdown(true);
        servers.forEach(Server::close);
    }

    /** The same at both members; their references are equal. */
    private Both activate(Doing doing) throws Exception {
        List<Both> made = new ArrayList<>();
        for (Server server : servers) {
            boolean connected = server == servers.get(0);
            POA other = server.poa(server.root(), "other");
            Calls two = calls(server.activate(other, "two", new CallsServant()));
            Calls one = calls(server.activate(server.poa(server.root(), "calls"), "one", new CallsServant() {
                @Override
                public int count(int by) {
                    try {
                        doing.run(server, other, connected);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    return super.count(by);
                }
            }));
            made.add(new Both(one, two));
        }
        return made.get(0);
    }

    private Calls calls(String reference) {
        return CallsHelper.unchecked_narrow(client.string_to_object(reference));
    }

    private ToyGroup toy() {
        return ToyGroup.named(group);
    }

    private static <T> FutureTask<T> inThread(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** The call of the second object stands behind that of the first one in the order, and in a thread of JacORB's at a. */
    private FutureTask<Integer> callBoth(Both both) {
        FutureTask<Integer> first = inThread(() -> both.one().count(1));
        await().until(() -> toy().blocking() == 1);
        FutureTask<Integer> unused = inThread(() -> {
            try {
                return both.two().count(1);
            } catch (SystemException e) {
                return -1;
            }
        });
        return first;
    }

    private void awaitSecond() {
        await().until(() -> toy().blocking() == 2);
    }

    @Test
    void aRequestBehindTheOperationFindsTheObjectGoneAtEveryMember() throws Exception {
        Both both = activate((server, other, connected) -> {
            awaitSecond();
            other.deactivate_object(TWO);
            if (!connected) {
                await().until(() -> isGone(other));
            }
        });
        assertEquals(1, callBoth(both).get(60, TimeUnit.SECONDS));
        await().atMost(Duration.ofSeconds(90)).until(() -> toy().log().size() == 2);
        Map<String, byte[]> replies = toy().log().get(1).replies();
        assertArrayEquals(replies.get("a"), replies.get("b"));
        assertEquals(
                "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0",
                CapturedReply.decode(replies.get("a")).exceptionId());
    }

    private static boolean isGone(POA poa) throws Exception {
        try {
            return poa.id_to_servant(TWO) == null;
        } catch (ObjectNotActive e) {
            return true;
        }
    }

    /** Every member has the reply, though none has the object any more. */
    @Test
    void aRetryOfAnOperationThatTookItsOwnObjectAwayGetsItsReply() throws Exception {
        Both both = activate((server, other, connected) ->
                server.root().find_POA("calls", false).deactivate_object(ONE));
        ContextClient.send(IdentityTest.own(1, 5_000, 65_000));
        assertEquals(10, both.one().count(10));
        assertEquals(10, both.one().count(10));
        assertEquals(1, toy().log().size());
    }

    @Test
    void anObjectThatIsGoneIsGoneForQuestionsAboutItToo() throws Exception {
        Both both = activate((server, other, connected) -> {
            other.deactivate_object(TWO);
            assertThrows(ObjectNotActive.class, () -> other.id_to_servant(TWO));
            assertThrows(ObjectNotActive.class, () -> other.id_to_reference(TWO));
            assertThrows(ObjectNotActive.class, () -> other.deactivate_object(TWO));
            assertTrue(other.create_reference_with_id(TWO, "IDL:everything/Calls:1.0")
                    ._non_existent());
        });
        assertEquals(1, both.one().count(1));
        assertTrue(both.two()._non_existent());
        assertThrows(OBJECT_NOT_EXIST.class, () -> both.two()._is_a("IDL:another:1.0"));
    }

    /** As a server does that renames its objects. */
    @Test
    void aServantComesBackUnderAnotherIdOrItsOwn() throws Exception {
        byte[] three = "three".getBytes(StandardCharsets.UTF_8);
        Both both = activate((server, other, connected) -> {
            Servant servant = other.id_to_servant(TWO);
            other.deactivate_object(TWO);
            assertThrows(ServantNotActive.class, () -> other.servant_to_id(servant));
            other.activate_object_with_id(three, servant);
            assertThrows(ServantAlreadyActive.class, () -> other.activate_object_with_id(TWO, servant));
            assertArrayEquals(three, other.servant_to_id(servant));
            other.deactivate_object(three);
            other.activate_object_with_id(TWO, servant);
            assertThrows(ObjectAlreadyActive.class, () -> other.activate_object_with_id(TWO, new CallsServant()));
            assertThrows(ServantAlreadyActive.class, () -> other.activate_object_with_id(three, servant));
            assertArrayEquals(TWO, other.servant_to_id(servant));
            assertSame(servant, other.id_to_servant(TWO));
        });
        assertEquals(4, both.two().count(4));
        assertEquals(1, both.one().count(1));
        assertEquals(9, both.two().count(5));
        assertTrue(!both.two()._non_existent());
    }

    @Test
    void anObjectIsActivatedAnewWhileRequestsForItWait() throws Exception {
        Both both = activate((server, other, connected) -> {
            awaitSecond();
            other.deactivate_object(TWO);
            other.activate_object_with_id(TWO, new CallsServant());
        });
        assertEquals(1, callBoth(both).get(30, TimeUnit.SECONDS));
    }

    /** Otherwise it ends at a member when JacORB has no request for it, and find_POA and create_POA of its name differ until then. */
    @Test
    void anOperationDestroysNoAdapter() throws Exception {
        Both both = activate((server, other, connected) -> {
            assertThrows(INV_POLICY.class, () -> other.destroy(false, false));
            assertSame(other, server.root().find_POA("other", false));
        });
        assertEquals(1, both.one().count(1));
        assertEquals(1, both.two().count(1));
    }
}
