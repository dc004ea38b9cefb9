package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import matrix.Everything;
import matrix.EverythingHelper;
import org.amo.lab.blackbox.BankCluster;
import org.amo.lab.blackbox.MemberProcess;
import org.amo.lab.blackbox.Status;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.ORB;

/**
 * Every construct of IDL x {skeleton, tie, DSI} x {amo's client, plain JacORB, GlassFish's ORB} over three replicas, one
 * of which is killed in the middle and comes back. Of the same group, clients of other ORBs, with no class of amo, that send FT_REQUEST:
 * at most once, and the same reply at any member.
 */
class MatrixTest {
    /** A round is 250 calls, and the second has 24 MB. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final List<String> SHAPES = List.of("", ".tie", ".dsi");

    private static BankCluster cluster;

    @BeforeAll
    static void start() {
        cluster = BankCluster.start(BankCluster.Settings.bank("matrix").main(MatrixServer.class));
        // Published last.
        cluster.awaitThat("the reference is there", () -> {
            assertTrue(cluster.member(0).isUp(), cluster.member(0)::said);
            return Files.exists(cluster.member(0).reference());
        });
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void everyConstructPassesThroughServantsAndClientsOfEveryShapeWhileAMemberIsKilled() {
        Map<ClientProgram.On, ClientProgram> clients = startClients();
        try {
            askForARound(clients);
            awaitAll(clients, "under way ", 1);
            // A client that is faster than another one is under way, too, when the member dies.
            askForARound(clients);
            // Clients that are no member's of amo take the first address, so that all of these lose their server.
            cluster.member(0).kill();
            awaitAll(clients, "round ", MatrixClient.ROUNDS);
            clients.values().forEach(ClientProgram::closeInput);
            clients.values().forEach(ClientProgram::requireSuccess);
            requireEverything(clients);
            try {
                cluster.restart(cluster.member(0));
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + firstDifference(), e);
            }
            compare(clients);
        } finally {
            clients.values().forEach(ClientProgram::close);
        }
    }

    @Test
    @Tag("slow")
    void aClientOfPlainJacorbThatSendsFtRequest() {
        everythingOnce(ClientProgram.On.JACORB, MatrixServer.OTHER_SKELETON);
    }

    @Test
    @Tag("slow")
    void aClientOfGlassfishThatSendsFtRequest() {
        everythingOnce(ClientProgram.On.GLASSFISH, MatrixServer.OTHER_TIE);
    }

    private static void everythingOnce(ClientProgram.On on, String object) {
        try (CuttingProxy proxy = new CuttingProxy(cluster.member(0).member().clientPort());
                ClientProgram client = ClientProgram.start(
                        on,
                        cluster.folder(),
                        FtClient.class,
                        List.of("-Dorg.omg.PortableInterceptor.ORBInitializerClass."
                                + FtRequestInterceptor.class.getName() + "="),
                        List.of(
                                "client of " + on,
                                at(cluster.member(0).member().clientPort(), object),
                                at(cluster.member(1).member().clientPort(), object),
                                at(proxy.port(), object)))) {
            client.requireSuccess();
            List<String> said = client.said()
                    .lines()
                    .filter(line -> line.matches("[a-z ]+: .*"))
                    .toList();
            assertEquals("one after the other: 5 5", said.get(0));
            assertEquals("another body: BAD_PARAM MAYBE", said.get(1));
            assertEquals("reply lost: COMM_FAILURE 12", said.get(2));
            assertEquals("together: 23 23", said.get(3));
            assertEquals("expired: TIMEOUT MAYBE", said.get(4));
            assertTrue(said.get(5).startsWith("state: total=23 calls=3 "), said.get(5));
        }
        List<Status> equal = cluster.awaitEqual();
        assertTrue(cluster.executedMoreThanOnce().isEmpty(), cluster.executedMoreThanOnce()::toString);
        // All of them know the ids: any member would have answered the copies.
        assertTrue(equal.stream().allMatch(status -> status.number("entries") >= 3), equal::toString);
    }

    private static String at(int port, String object) {
        return "corbaloc:iiop:1.2@127.0.0.1:" + port + "/matrix/matrix/" + object;
    }

    private static Map<ClientProgram.On, ClientProgram> startClients() {
        Map<ClientProgram.On, ClientProgram> clients = new EnumMap<>(ClientProgram.On.class);
        for (ClientProgram.On on : ClientProgram.On.values()) {
            List<String> arguments = new ArrayList<>();
            arguments.add(on == ClientProgram.On.AMO ? "strict" : "patient");
            SHAPES.forEach(shape -> arguments.add(cluster.member(0).reference().toString() + shape));
            clients.put(
                    on,
                    ClientProgram.start(
                            on, cluster.folder(), MatrixClient.class, List.of("-Damo.firstMember=0"), arguments));
        }
        return clients;
    }

    private static void askForARound(Map<ClientProgram.On, ClientProgram> clients) {
        clients.values().forEach(client -> client.say("round"));
    }

    /** Waits until each client has said that of this round. */
    private static void awaitAll(Map<ClientProgram.On, ClientProgram> clients, String beginning, int round) {
        clients.forEach((on, client) -> Awaitility.await(on + ": " + beginning + round)
                .atMost(PATIENCE)
                .until(() -> {
                    client.requireAlive();
                    return client.number(beginning) >= round;
                }));
    }

    /** The states as the servants tell them, at each member from its own execution of the question. */
    private static void compare(Map<ClientProgram.On, ClientProgram> clients) {
        long counted = clients.values().stream()
                .mapToLong(client -> client.number("counted "))
                .sum();
        long repeated = clients.values().stream()
                .mapToLong(client -> Long.parseLong(client.said().strip().replaceAll("(?s).* ", "")))
                .sum();
        ORB orb = PlainOrb.create();
        long total = 0;
        for (String shape : SHAPES) {
            Everything target = EverythingHelper.unchecked_narrow(
                    PlainOrb.read(orb, Path.of(cluster.member(0).reference() + shape)));
            String state = target.state();
            total += Long.parseLong(state.replaceAll(".*total=(\\d+) .*", "$1"));
            cluster.awaitEqual();
            List<String> values = cluster.processes().stream()
                    .map(MatrixTest::lastReply)
                    .distinct()
                    .toList();
            assertEquals(1, values.size(), shape + " differs: " + values);
            assertTrue(values.get(0).contains(state), values.get(0) + " holds " + state);
        }
        orb.shutdown(true);
        // amo's client counted each call once; a plain client's call that it repeated may have run as well.
        assertTrue(total >= counted && total <= counted + repeated, total + " of " + counted + " and " + repeated);
        assertEquals(0, clients.get(ClientProgram.On.AMO).number("repeated "));
        assertTrue(cluster.executedMoreThanOnce().isEmpty(), cluster.executedMoreThanOnce()::toString);
    }

    /** GlassFish's org.omg classes cannot write a fixed; nothing that JacORB can do may be missing. */
    private static void requireEverything(Map<ClientProgram.On, ClientProgram> clients) {
        clients.forEach((on, client) -> {
            String leftOut =
                    on == ClientProgram.On.GLASSFISH ? "left out \\[aMoney(, result of DII)?]" : "left out \\[]";
            assertTrue(client.said().lines().anyMatch(line -> line.matches(leftOut)), client::said);
        });
    }

    /** The first request that did not end alike at all members. */
    private static String firstDifference() {
        Map<String, String> known = new HashMap<>();
        for (MemberProcess member : cluster.processes()) {
            for (MemberProcess.Executed executed : member.executed()) {
                String before = known.putIfAbsent(executed.id(), executed.value());
                if (before != null && !before.equals(executed.value())) {
                    return " " + executed + " at " + member.id() + ", elsewhere " + before;
                }
            }
        }
        return " and no reply differs in what the histories hold of it";
    }

    private static String lastReply(MemberProcess member) {
        List<MemberProcess.Executed> executed = member.executed();
        String hex = executed.get(executed.size() - 1).value();
        return new String(java.util.HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
    }
}
