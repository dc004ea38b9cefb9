package org.amo.interceptors.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import everything.Calls;
import everything.CallsHelper;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.amo.interceptors.MinorCodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TIMEOUT;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/** Which of the two ways into the adaptor a request takes, and that neither waits for ever. */
@Timeout(60)
class WaysInTest {
    private static final int BURST = 3_000;

    private final ORB client = Server.client(
            Map.of("org.omg.PortableInterceptor.ORBInitializerClass." + NumberingClient.class.getName(), ""));
    private final List<Server> servers = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        client.shutdown(true);
        servers.forEach(Server::close);
    }

    private Calls serve(Properties properties) throws Exception {
        Server server = Server.start(properties);
        servers.add(server);
        String reference = server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
        return CallsHelper.narrow(client.string_to_object(reference));
    }

    @Test
    void aPoaThatHoldsItsRequestsHoldsTheseToo() throws Exception {
        Calls calls = serve(Server.properties("holding", "a", Server.members(1)));
        ToyGroup group = ToyGroup.named("holding");
        calls.count(1);
        calls.count(1);
        assertEquals(1, group.taken());
        servers.get(0).root().the_POAManager().hold_requests(false);
        CompletableFuture<Integer> held = CompletableFuture.supplyAsync(() -> calls.count(1));
        servers.get(0).root().the_POAManager().activate();
        assertEquals(3, held.get(10, TimeUnit.SECONDS));
        servers.get(0).root().the_POAManager().discard_requests(false);
        assertThrows(org.omg.CORBA.TRANSIENT.class, () -> calls.count(1));
        assertEquals(3, group.log().size());
    }

    @Test
    void aPlainClientTakesTheFastWayToo() throws Exception {
        String reference = client.object_to_string(serve(Server.properties("plainly", "a", Server.members(1))));
        ToyGroup group = ToyGroup.named("plainly");
        ORB plain = Server.client(Map.of());
        Calls calls = CallsHelper.unchecked_narrow(plain.string_to_object(reference));
        for (int i = 1; i <= 5; i++) {
            assertEquals(i, calls.count(1));
        }
        assertEquals(4, group.taken(), "all but the first of the connection");
        plain.shutdown(true);
    }

    @Test
    void anInterceptorOfTheApplicationSeesEveryRequest() throws Exception {
        Properties properties = Server.properties("intercepted", "a", Server.members(1));
        properties.setProperty("org.omg.PortableInterceptor.ORBInitializerClass." + Watching.class.getName(), "");
        Calls calls = serve(properties);
        for (int i = 0; i < 5; i++) {
            calls.count(1);
        }
        assertEquals(0, ToyGroup.named("intercepted").taken());
        assertEquals(5, Watching.SEEN.stream().filter("count"::equals).count());
    }

    @Test
    void theFrontEndCanBeSwitchedOff() throws Exception {
        Properties properties = Server.properties("switched", "a", Server.members(1));
        properties.setProperty("amo.frontEnd", "off");
        Calls calls = serve(properties);
        calls.count(1);
        assertEquals(2, calls.count(1));
        assertEquals(2, ToyGroup.named("switched").blocking());
    }

    /** JacORB's queue holds a hundred requests. */
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void aBurstOfOnewaysArrivesWhole(String frontEnd) throws Exception {
        Properties properties = Server.properties("burst-" + frontEnd, "a", Server.members(1));
        properties.setProperty("amo.frontEnd", frontEnd);
        Calls calls = serve(properties);
        for (int i = 0; i < BURST; i++) {
            calls.note("burst");
        }
        ToyGroup group = ToyGroup.named("burst-" + frontEnd);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertEquals(BURST, group.log().size()));
    }

    @Test
    void aCallDoesNotOvertakeTheOnewaysBeforeIt() throws Exception {
        Calls calls = serve(Server.properties("overtaking", "a", Server.members(1)));
        ToyGroup group = ToyGroup.named("overtaking");
        calls.count(1);
        for (int round = 1; round <= 20; round++) {
            for (int i = 0; i < 50; i++) {
                calls.note("before");
            }
            calls.count(1);
            assertEquals(1 + round * 51, group.log().size());
        }
        assertEquals(20 * 51, group.taken());
    }

    @Test
    void aRequestThatTheGroupForgetsIsAnsweredUnknown() throws Exception {
        Properties properties = Server.properties("mute", "a", Server.members(1));
        properties.setProperty("amo.answerGraceMillis", "100");
        properties.setProperty("amo.defaultDeadlineMillis", "200");
        properties.setProperty("amo.retentionMillis", "400");
        Calls calls = serve(properties);
        ToyGroup group = ToyGroup.named("mute");
        ORB impatient = Server.client(
                Map.of("org.omg.PortableInterceptor.ORBInitializerClass." + ContextClient.class.getName(), ""));
        Calls own = CallsHelper.narrow(impatient.string_to_object(client.object_to_string(calls)));
        ContextClient.send(IdentityTest.own(1, 5_000, 5_001));
        own.count(1);
        group.mute(true);
        ContextClient.send(IdentityTest.own(2, 5_000, 5_001));
        assertUnknown(own);
        assertEquals(1, group.taken());
        // JacORB's client leaves a connection after such an answer. On the next, the first request waits in a thread.
        ContextClient.send(IdentityTest.own(3, 5_000, 5_001));
        assertUnknown(own);
        assertEquals(1, group.taken());
        ContextClient.send();
        assertUnknown(own);
        impatient.shutdown(true);
    }

    private static void assertUnknown(Calls calls) {
        TIMEOUT thrown = assertThrows(TIMEOUT.class, () -> calls.count(1));
        assertEquals(MinorCodes.UNKNOWN, thrown.minor);
    }

    /** An interceptor that the application has installed. */
    public static final class Watching extends LocalObject implements ORBInitializer, ServerRequestInterceptor {
        private static final long serialVersionUID = 1L;

        private static final List<String> SEEN = new CopyOnWriteArrayList<>();

        @Override
        public void pre_init(ORBInitInfo info) {
            try {
                info.add_server_request_interceptor(this);
            } catch (DuplicateName e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void post_init(ORBInitInfo info) {}

        @Override
        public String name() {
            return "application";
        }

        @Override
        public void destroy() {}

        @Override
        public void receive_request_service_contexts(ServerRequestInfo info) {
            SEEN.add(info.operation());
        }

        @Override
        public void receive_request(ServerRequestInfo info) {}

        @Override
        public void send_reply(ServerRequestInfo info) {}

        @Override
        public void send_exception(ServerRequestInfo info) {}

        @Override
        public void send_other(ServerRequestInfo info) {}
    }
}
