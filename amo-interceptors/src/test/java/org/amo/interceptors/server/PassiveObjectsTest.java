package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import org.amo.base.RunningOperation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.omg.CORBA.INV_POLICY;
import org.omg.CORBA.ORB;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAPackage.AdapterNonExistent;
import org.omg.PortableServer.POAPackage.ObjectNotActive;
import org.omg.PortableServer.Servant;

/** In style passive an operation runs at the primary alone, and an update of the state carries no object to the others. */
class PassiveObjectsTest {
    private static final byte[] FRESH = "fresh".getBytes(StandardCharsets.UTF_8);

    private final ORB client = Server.client(Map.of());
    private Server server;

    @BeforeEach
    void start(TestInfo test) throws Exception {
        Properties properties = Server.properties(
                "passive-" + test.getTestMethod().orElseThrow().getName(), "a", Server.members(1));
        properties.setProperty("amo.style", "passive");
        server = Server.start(properties);
    }

    @AfterEach
    void stop() {
        client.shutdown(true);
        server.close();
    }

    private Calls activate(POA poa, String id, Servant servant) throws Exception {
        return CallsHelper.unchecked_narrow(client.string_to_object(server.activate(poa, id, servant)));
    }

    /** Otherwise the primary would have no update behind it and end, and then the next primary. */
    @Test
    void anOperationActivatesNoObjectAndTheMemberGoesOn() throws Exception {
        POA poa = server.poa(server.root(), "calls");
        Calls changing = activate(
                poa, "changing", new ChangingServant(() -> poa.activate_object_with_id(FRESH, new CallsServant())));
        assertThrows(INV_POLICY.class, () -> changing.count(1));
        assertThrows(ObjectNotActive.class, () -> poa.id_to_servant(FRESH));
        assertEquals(7, activate(poa, "plain", new CallsServant()).count(7), "main may still activate");
    }

    @Test
    void theOtherChangesOfTheSetOfObjectsAreRefusedToo() throws Exception {
        POA poa = server.poa(server.root(), "calls");
        Calls deactivating = activate(
                poa,
                "deactivating",
                new ChangingServant(() -> poa.deactivate_object("deactivating".getBytes(StandardCharsets.UTF_8))));
        Calls creating = activate(poa, "creating", new ChangingServant(() -> create(poa)));
        assertThrows(INV_POLICY.class, () -> deactivating.count(1));
        assertThrows(INV_POLICY.class, () -> deactivating.count(1), "it is still there");
        assertThrows(INV_POLICY.class, () -> creating.count(1));
        assertThrows(AdapterNonExistent.class, () -> poa.find_POA("child", false));
    }

    /** As a member runs a timer of an operation, or a task behind it: the servant has returned. */
    @Test
    void aTimerOfAnOperationActivatesNoObjectEither() throws Exception {
        POA poa = server.poa(server.root(), "calls");
        assertEquals(7, activate(poa, "one", new CallsServant()).count(7));
        RunningOperation timer = new RunningOperation("any", false);
        assertThrows(INV_POLICY.class, () -> timer.run(() -> activateFresh(poa)));
        assertThrows(ObjectNotActive.class, () -> poa.id_to_servant(FRESH));
    }

    private static boolean activateFresh(POA poa) {
        try {
            poa.activate_object_with_id(FRESH, new CallsServant());
            return true;
        } catch (UserException e) {
            throw new AssertionError(e);
        }
    }

    private void create(POA poa) {
        try {
            assertTrue(server.poa(poa, "child") != null);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @FunctionalInterface
    private interface Change {
        void make() throws UserException;
    }

    private static final class ChangingServant extends CallsServant {
        private final Change change;

        ChangingServant(Change change) {
            this.change = change;
        }

        @Override
        public int count(int more) {
            try {
                change.make();
            } catch (UserException e) {
                throw new AssertionError(e);
            }
            return more;
        }
    }
}
