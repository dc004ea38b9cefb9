package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import matrix.EverythingHelper;
import org.amo.lab.blackbox.BankCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;
import org.slf4j.Logger;

/** A program of another shape than the bank, unchanged under wrap. */
@Tag("slow")
class ShapesTest {
    private static final List<String> NAMES = List.of("till", "cart", "item", "later", "desk");

    @TempDir
    private Path folder;

    @Test
    void aTreeOfAdaptersAndANamingServiceWhoseReferencesSurviveAnyMember() throws Exception {
        Path names = folder.resolve("names.ior");
        Process nameService = nameService(names);
        BankCluster.Settings settings =
                BankCluster.Settings.bank("shop").main(ShopServer.class).property("shop.names", names.toString());
        try (BankCluster cluster = BankCluster.start(settings)) {
            awaitPublished(cluster);
            int threads = 20;
            int calls = 24;
            List<String> arguments = new ArrayList<>(List.of(Integer.toString(threads), Integer.toString(calls)));
            arguments.addAll(NAMES);
            try (ClientProgram client = ClientProgram.start(
                    ClientProgram.On.AMO,
                    folder,
                    ShopClient.class,
                    List.of("-Dshop.names=" + names, "-Damo.firstMember=0"),
                    arguments)) {
                cluster.awaitThat("the client calls", () -> client.said().contains("begun"));
                cluster.member(0).kill();
                client.requireSuccess();
                assertEquals(2L * threads * calls, client.number("counted "));
            }
            cluster.restart(cluster.member(0));
            assertEquals(2L * threads * calls, total(names));
            cluster.awaitEqual();
            assertTrue(cluster.executedMoreThanOnce().isEmpty(), cluster.executedMoreThanOnce()::toString);
        } finally {
            nameService.destroyForcibly();
        }
    }

    private static void awaitPublished(BankCluster cluster) {
        cluster.awaitThat(
                "all servers are open", () -> cluster.processes().stream().allMatch(process -> {
                    assertTrue(process.isUp(), process::said);
                    return Files.exists(process.reference());
                }));
    }

    /** What all objects have counted together: each has its own servant, but for the tills. */
    private static int total(Path names) throws Exception {
        ORB orb = PlainOrb.create();
        NamingContextExt context = NamingContextExtHelper.narrow(PlainOrb.read(orb, names));
        int total = 0;
        for (String name : NAMES) {
            total += EverythingHelper.narrow(context.resolve_str(name)).count(0);
        }
        orb.shutdown(true);
        return total;
    }

    private Process nameService(Path names) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of(
                "-Djacorb.log.default.verbosity=0",
                "-DOAIAddr=127.0.0.1",
                "-Djacorb.naming.db_dir=" + folder,
                "-Djacorb.naming.ior_filename=" + names,
                "-cp",
                String.join(
                        File.pathSeparator,
                        BankCluster.location(org.jacorb.orb.ORB.class),
                        BankCluster.location(ORB.class),
                        BankCluster.location(javax.rmi.CORBA.Util.class),
                        BankCluster.location(Logger.class)),
                "org.jacorb.naming.NameServer"));
        Process process = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("names.log").toFile())
                .start();
        org.awaitility.Awaitility.await("the naming service is up")
                .atMost(java.time.Duration.ofSeconds(40))
                .until(() -> {
                    assertTrue(process.isAlive(), () -> said("names.log"));
                    return Files.exists(names) && Files.size(names) > 0;
                });
        return process;
    }

    private String said(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
