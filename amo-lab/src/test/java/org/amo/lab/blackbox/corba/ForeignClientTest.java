package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.List;
import org.amo.lab.blackbox.BankCluster;
import org.amo.lab.blackbox.Status;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients of other ORBs, with no class of amo, that send FT_REQUEST: at most once, and the same reply at any member. */
class ForeignClientTest {
    private static BankCluster cluster;

    @BeforeAll
    static void start() {
        cluster = BankCluster.start(
                BankCluster.Settings.bank("foreign").main(MatrixServer.class).two());
        cluster.awaitThat(
                "the reference is there", () -> Files.exists(cluster.member(0).reference()));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void aClientOfPlainJacorb() {
        everythingOnce(ClientProgram.On.JACORB, "skeleton");
    }

    @Test
    void aClientOfGlassfish() {
        everythingOnce(ClientProgram.On.GLASSFISH, "tie");
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
        return "corbaloc:iiop:1.2@127.0.0.1:" + port + "/foreign/matrix/" + object;
    }
}
