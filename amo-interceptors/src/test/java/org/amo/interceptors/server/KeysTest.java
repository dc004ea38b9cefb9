package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import everything.CallsPOATie;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.omg.CORBA.INV_POLICY;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdUniquenessPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAPackage.ObjectNotActive;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantRetentionPolicyValue;
import org.omg.PortableServer.ThreadPolicyValue;
import org.omg.PortableServer._ServantActivatorLocalBase;

/** The servants that a request may touch, by which a member runs operations at the same time. */
class KeysTest {
    private final ORB client = Server.client(Map.of());
    private String group = "";
    private Server server;

    @BeforeEach
    void start(TestInfo test) throws Exception {
        group = "keys-" + test.getTestMethod().orElseThrow().getName();
        Properties properties = Server.properties(group, "a", Server.members(1));
        properties.setProperty("amo.execute", "parallel=4");
        server = Server.start(properties);
    }

    @AfterEach
    void stop() {
        client.shutdown(true);
        server.close();
    }

    private Calls calls(String reference) {
        return CallsHelper.unchecked_narrow(client.string_to_object(reference));
    }

    private Calls activate(POA poa, String id, Servant servant) throws Exception {
        return calls(server.activate(poa, id, servant));
    }

    /** The keys of a call of the object. */
    private Set<Object> keys(Calls object) throws Exception {
        object.count(1);
        List<ToyGroup.Entry> log = ToyGroup.named(group).log();
        return ToyGroup.named(group).keys("a", log.get(log.size() - 1).request());
    }

    @Test
    void eachServantIsAKeyOfItsOwn() throws Exception {
        POA poa = server.poa(
                server.root(), "calls", server.root().create_id_uniqueness_policy(IdUniquenessPolicyValue.MULTIPLE_ID));
        CallsServant shared = new CallsServant();
        Set<Object> one = keys(activate(poa, "one", new CallsServant()));
        Set<Object> two = keys(activate(poa, "two", new CallsServant()));
        Set<Object> three = keys(activate(poa, "three", shared));
        Set<Object> four = keys(activate(poa, "four", shared));
        assertEquals(1, one.size());
        assertTrue(Collections.disjoint(one, two));
        assertEquals(three, four, "objects with one servant share its fields");
        POA other = server.poa(server.root(), "other");
        assertEquals(three, keys(activate(other, "five", shared)));
    }

    /** Facets of one servant: its fields are those of the delegate. */
    @Test
    void objectsOfTiesWithOneDelegateShareItsKey() throws Exception {
        POA poa = server.poa(server.root(), "calls");
        CallsServant delegate = new CallsServant();
        Set<Object> one = keys(activate(poa, "one", new CallsPOATie(delegate)));
        assertEquals(one, keys(activate(poa, "two", new CallsPOATie(delegate))));
        assertEquals(one, keys(activate(poa, "three", delegate)));
    }

    @Test
    void objectsOfASingleThreadedAdapterHaveACommonKey() throws Exception {
        POA poa = server.poa(
                server.root(), "single", server.root().create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL));
        Set<Object> one = keys(activate(poa, "one", new CallsServant()));
        Set<Object> two = keys(activate(poa, "two", new CallsServant()));
        assertTrue(!one.equals(two) && !Collections.disjoint(one, two), () -> one + " " + two);
    }

    @Test
    void objectsOfADefaultServantHaveItsKey() throws Exception {
        POA poa = server.poa(server.root(), "default", defaultServant());
        poa.set_servant(new CallsServant());
        Set<Object> one = keys(calls(reference(poa, "one")));
        assertEquals(1, one.size());
        assertEquals(one, keys(calls(reference(poa, "two"))));
    }

    private Policy[] defaultServant() throws Exception {
        POA root = server.root();
        return new Policy[] {
            root.create_request_processing_policy(RequestProcessingPolicyValue.USE_DEFAULT_SERVANT),
            root.create_id_uniqueness_policy(IdUniquenessPolicyValue.MULTIPLE_ID),
            root.create_servant_retention_policy(ServantRetentionPolicyValue.NON_RETAIN)
        };
    }

    private String reference(POA poa, String id) throws Exception {
        return server.orb().object_to_string(poa.create_reference_with_id(bytes(id), "IDL:everything/Calls:1.0"));
    }

    @Test
    void aRequestWhoseServantIsNotKnownRunsAlone() throws Exception {
        POA managed = server.poa(
                server.root(),
                "managed",
                server.root().create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER));
        managed.set_servant_manager(new _ServantActivatorLocalBase() {
            private static final long serialVersionUID = 1L;

            @Override
            public Servant incarnate(byte[] id, POA adapter) {
                return new CallsServant();
            }

            @Override
            public void etherealize(byte[] id, POA adapter, Servant servant, boolean cleanup, boolean remaining) {}
        });
        Calls object = calls(reference(managed, "one"));
        assertEquals(Set.of(), keys(object));
        assertEquals(Set.of(), keys(object), "its manager may still take it away");

        POA poa = server.poa(server.root(), "calls");
        assertEquals(1, keys(activate(poa, "gone", new CallsServant())).size());
        poa.deactivate_object(bytes("gone"));
        await().until(() -> isGone(poa));
        List<ToyGroup.Entry> log = ToyGroup.named(group).log();
        assertEquals(
                Set.of(),
                ToyGroup.named(group).keys("a", log.get(log.size() - 1).request()));
        assertEquals(
                Set.of(),
                ToyGroup.named(group)
                        .keys("a", new Request(RequestId.own(new ClientId(1, 1), 1), 1, 2, 3, false, new byte[] {1})));
    }

    private static boolean isGone(POA poa) throws Exception {
        try {
            poa.id_to_servant(bytes("gone"));
            return false;
        } catch (ObjectNotActive e) {
            return true;
        }
    }

    /** A request for the object may run before that or behind it. */
    @Test
    void anOperationChangesNoSetOfObjects() throws Exception {
        POA poa = server.poa(server.root(), "calls");
        Calls activating = activate(poa, "activates", new ChangingServant() {
            @Override
            void change() throws UserException {
                poa.activate_object_with_id(bytes("new"), new CallsServant());
            }
        });
        Calls deactivating = activate(poa, "deactivates", new ChangingServant() {
            @Override
            void change() throws UserException {
                poa.deactivate_object(bytes("activates"));
            }
        });
        assertThrows(INV_POLICY.class, () -> activating.count(1));
        assertThrows(INV_POLICY.class, () -> deactivating.count(1));
        assertThrows(ObjectNotActive.class, () -> poa.id_to_servant(bytes("new")));
        assertThrows(INV_POLICY.class, () -> activating.count(1), "it is still there");
    }

    private abstract static class ChangingServant extends CallsServant {
        abstract void change() throws UserException;

        @Override
        public int count(int more) {
            try {
                change();
            } catch (UserException e) {
                throw new AssertionError(e);
            }
            return more;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
