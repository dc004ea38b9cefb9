package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.CallsHelper;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.amo.base.RunningOperation;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.ORB;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.POA;

/** In style active an operation may change the set of objects, and then no snapshot has it. */
class ObjectsOfTimersTest {
    private static final String GROUP = "objects-of-timers";

    /** A member that began from a snapshot would have the objects of its main, and the others those of the timer. */
    @Test
    void whereATimerOfAnOperationActivatesAnObjectNoStateIsTaken() throws Exception {
        ORB client = Server.client(Map.of());
        try (Server server = Server.start(GROUP, "a", Server.members(1))) {
            POA poa = server.poa(server.root(), "calls");
            String reference = server.activate(poa, "one", new CallsServant());
            assertEquals(
                    7,
                    CallsHelper.unchecked_narrow(client.string_to_object(reference))
                            .count(7));
            assertTrue(ToyGroup.named(GROUP).state("a").isPresent());
            // As a member runs a timer: no servant is invoked.
            RunningOperation timer = new RunningOperation("any", false);
            boolean activated = timer.run(() -> activateFresh(poa));
            assertTrue(activated);
            assertEquals(Optional.empty(), ToyGroup.named(GROUP).state("a"));
        } finally {
            client.shutdown(true);
        }
    }

    private static boolean activateFresh(POA poa) {
        try {
            poa.activate_object_with_id("fresh".getBytes(StandardCharsets.UTF_8), new CallsServant());
            return true;
        } catch (UserException e) {
            throw new AssertionError(e);
        }
    }
}
