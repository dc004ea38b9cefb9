package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.INV_POLICY;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;

/** What the operator is told when a server cannot be replicated as it is, and what happens while it starts. */
class StartTest {
    private static final byte[] ONE = "one".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private Path folder;

    private final List<Server> servers = new java.util.ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(Server::close);
    }

    private Server started(Server server) {
        servers.add(server);
        return server;
    }

    @Test
    void implicitActivationIsRefusedWithTheRemedy() throws Exception {
        Server server = started(Server.start("implicit", "a", Server.members(1)));
        CallsServant servant = new CallsServant();
        assertRefusal(assertThrows(INV_POLICY.class, () -> servant._this(server.orb())), "TRANSIENT and SYSTEM_ID");
        assertRefusal(assertThrows(INV_POLICY.class, () -> server.root().activate_object(servant)), "RootPOA");
        assertRefusal(assertThrows(INV_POLICY.class, () -> server.root().servant_to_id(servant)), "RootPOA");
    }

    @Test
    void thisWorksOnceTheServantIsActive() throws Exception {
        Server server = started(Server.start("this", "a", Server.members(1)));
        POA poa = server.poa(server.root(), "calls");
        CallsServant servant = new CallsServant() {
            @Override
            public POA _default_POA() {
                return poa;
            }
        };
        String reference = server.activate(poa, "one", servant);
        assertEquals(reference, server.orb().object_to_string(servant._this()));
    }

    @Test
    void aPoaOfTheWrongKindIsRefusedWhenAnObjectIsActivated() throws Exception {
        Server server = started(Server.start("policies", "a", Server.members(1)));
        POA root = server.root();
        POA transientOne = root.create_POA("t", root.the_POAManager(), new Policy[] {
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
        });
        assertRefusal(
                assertThrows(INV_POLICY.class, () -> transientOne.activate_object_with_id(ONE, new CallsServant())),
                "'t': it is TRANSIENT,");
        POA systemId = root.create_POA(
                "s", root.the_POAManager(), new Policy[] {root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT)});
        assertRefusal(
                assertThrows(INV_POLICY.class, () -> systemId.activate_object(new CallsServant())),
                "'s': it is SYSTEM_ID,");
    }

    @Test
    void aServerWithoutANameIsToldTheProperty() throws Exception {
        Properties properties = Server.properties("nameless", "a", Server.members(1));
        properties.remove("jacorb.implname");
        Server server = started(Server.start(properties));
        INITIALIZE thrown = assertThrows(INITIALIZE.class, () -> server.poa(server.root(), "calls"));
        assertRefusal(thrown, "-Djacorb.implname=NAME");
    }

    @Test
    void withoutAChoiceOfSecurityTheOrbDoesNotStart() throws Exception {
        Properties properties = Server.properties("unsecured", "a", Server.members(1));
        properties.remove("amo.insecure");
        assertRefusal(initFails(properties), "--secret-file");
        assertRefusal(initFails(properties), "--insecure");
        properties.setProperty("amo.secretFile", folder.resolve("none").toString());
        assertRefusal(initFails(properties), "cannot read the secret file");
        Path empty = Files.writeString(folder.resolve("empty"), "\n");
        properties.setProperty("amo.secretFile", empty.toString());
        assertRefusal(initFails(properties), "has 0 bytes, and fewer than 16");
        Path weak = Files.writeString(folder.resolve("weak"), "key\n");
        properties.setProperty("amo.secretFile", weak.toString());
        assertRefusal(initFails(properties), "can be guessed");
        Path good = Files.writeString(folder.resolve("good"), "a key for these tests\n");
        properties.setProperty("amo.secretFile", good.toString());
        started(Server.start(properties));
    }

    @Test
    void settingsThatDoNotFitStopTheOrb() throws Exception {
        Properties properties = Server.properties("misfit", "z", Server.members(1));
        assertRefusal(initFails(properties), "'z'");
        properties.remove("amo.group");
        assertRefusal(initFails(properties), "amo.group");
    }

    /** Those of the agent and the defaults of the virtual machine: AgentSettingsTest has each of them. */
    @Test
    void theSettingsOfTheProcessAreComparedWithThoseOfTheOtherMembers() throws Exception {
        Properties properties = Server.properties("compared", "a", Server.members(1));
        properties.setProperty("amo.deterministic", "none");
        Server server = started(Server.start(properties));
        server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
        Map<String, String> compared = ToyProvider.settings("compared").equalAtAllMembers();
        assertEquals("none", compared.get("--deterministic (amo.deterministic)"));
    }

    @Test
    void aRequestOfTheLogWaitsForItsObject() throws Exception {
        String members = Server.members(2);
        Server a = started(Server.start("late", "a", members));
        ORB client = Server.client(Map.of());
        Calls calls = CallsHelper.narrow(
                client.string_to_object(a.activate(a.poa(a.root(), "calls"), "one", new CallsServant())));
        calls.count(1);
        calls.count(2);
        Server b = started(Server.start("late", "b", members));
        POA poa = b.poa(b.root(), "calls");
        // Opens the replica, which replays the two calls of the other object.
        b.activate(poa, "other", new CallsServant());
        CompletableFuture<Integer> next = CompletableFuture.supplyAsync(() -> calls.count(3));
        CallsServant late = new CallsServant();
        poa.activate_object_with_id(ONE, late);
        assertEquals(6, next.get(10, TimeUnit.SECONDS));
        assertEquals(List.of("count 1", "count 2", "count 3"), late.journal());
        client.shutdown(true);
    }

    @Test
    void oneMemberIsOneOrb() throws Exception {
        Properties properties = Server.properties("twice", "a", Server.members(1));
        Server first = started(Server.start(properties));
        first.activate(first.poa(first.root(), "calls"), "one", new CallsServant());
        properties.setProperty("OAPort", "0");
        Server second = started(Server.start(properties));
        POA poa = second.poa(second.root(), "calls");
        assertRefusal(
                assertThrows(INITIALIZE.class, () -> poa.activate_object_with_id(ONE, new CallsServant())),
                "another ORB of this process");
    }

    /** JacORB by itself listens on all interfaces of the machine where no host is named beside the port. */
    @Test
    void aServerWithAPortOfItsOwnListensOnItsMembersHostAlone() throws Exception {
        String members = Server.members(1);
        int port = Member.parseList(members).get(0).clientPort();
        Properties properties = Server.properties("own-port", "a", members);
        properties.setProperty("OAPort", Integer.toString(port));
        Server server = started(Server.start(properties));
        server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
        assertTrue(accepts("127.0.0.1", port));
        assertFalse(accepts("127.0.0.2", port));
    }

    @Test
    void aServerThatNamesItsHostListensThere() throws Exception {
        String members = Server.members(1);
        int port = Member.parseList(members).get(0).clientPort();
        Properties properties = Server.properties("own-host", "a", members);
        properties.setProperty("OAPort", Integer.toString(port));
        properties.setProperty("OAIAddr", "0.0.0.0");
        Server server = started(Server.start(properties));
        server.activate(server.poa(server.root(), "calls"), "one", new CallsServant());
        assertTrue(accepts("127.0.0.2", port));
    }

    private static boolean accepts(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), 5_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void anOrbThatActivatesNothingJoinsNothing() throws Exception {
        ORB orb = ORB.init(new String[0], Server.properties("idle", "a", Server.members(1)));
        assertTrue(orb.resolve_initial_references("RootPOA") instanceof GoaPoa);
        assertEquals(List.of(), ToyGroup.named("idle").log());
        orb.shutdown(true);
    }

    private static INITIALIZE initFails(Properties properties) {
        return assertThrows(INITIALIZE.class, () -> ORB.init(new String[0], properties));
    }

    private static void assertRefusal(SystemException thrown, String part) {
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
        assertEquals(1, thrown.getMessage().lines().count());
    }
}
