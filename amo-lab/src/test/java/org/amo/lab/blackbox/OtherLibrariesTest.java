package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that bring Netty 4.1, Logback 1.2 and SLF4J 1.7, of which amo has others, under wrap. */
@Timeout(90)
final class OtherLibrariesTest {
    private static final String OWN = "binding=ch.qos.logback.classic.LoggerContext, netty=4.1.100.Final,"
            + " netty's jar=netty-common-4.1.100.Final.jar, sees amo=false, sees jgroups=false,"
            + " slf4j=slf4j-api-1.7.36.jar";

    /** On this test's class path, as on amo's. */
    private static final String AMOS_NETTY = Path.of(BankCluster.location(io.netty.util.Version.class))
            .getFileName()
            .toString();

    private static final int OBSERVED_AT = FreePorts.find(1).get(0);

    @TempDir
    private Path folder;

    @Test
    void aServerAndAClientKeepTheirLibrariesAndAmoHasItsOwn() throws Exception {
        Path logback = logback(folder);
        BankCluster.Settings settings = BankCluster.Settings.bank("libraries")
                .main(OtherLibraries.Server.class)
                .two()
                .libraries(libraries())
                .property("amo.stateCodec", OtherLibraries.Codec.class.getName())
                .property("logback.configurationFile", logback.toString())
                .property("a", "amo.http", Integer.toString(OBSERVED_AT));
        try (BankCluster cluster = BankCluster.start(settings)) {
            ProgramRun client = client(cluster.reference(), logback);
            assertEquals(0, client.exitCode(), client.err());
            List<String> replies = client.out().lines().toList();
            assertEquals(
                    List.of(reply("libraries", "6869"), reply("libraries", "68692121"), "{" + OWN + "}"),
                    replies,
                    client.err());
            assertFalse(client.err().contains("SLF4J"), client.err());

            cluster.awaitEqual();
            for (MemberProcess member : cluster.processes()) {
                assertEquals(2, member.executed().size(), "replicated at " + member.id());
                String said = member.said();
                assertTrue(said.contains("logback says noted hi"), said);
                assertFalse(said.contains("SLF4J"), said);
            }
            assertEquals(Set.of(), cluster.executedMoreThanOnce());
            assertThePageShowsBothMembers();
        }
    }

    /** Its files are resources of amo's jars, which the program does not see; its values come by IIOP. */
    private static void assertThePageShowsBothMembers() throws Exception {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> observed("/page.json").contains("leads. 2 of 2 members answer. None lags."));
        assertTrue(observed("/").contains("<th scope=\"row\">b</th>"));
        assertTrue(observed("/page.js").contains("fetch('/page.json'"));
    }

    private static String observed(String path) throws Exception {
        return BankCluster.observed(OBSERVED_AT, path);
    }

    /** A server's reply in a group, with all the text that it was given. */
    static String reply(String group, String text) {
        return "{amo's binding=org.slf4j.jul.JDK14LoggerFactory, amo's jgroups=JChannel,"
                + " amo's netty=" + AMOS_NETTY + ", "
                + OWN.replace(", netty=", ", context loader=true, inside=" + group + ", netty=") + ", text=" + text
                + "}";
    }

    /** A configuration of the programs' own logging. */
    static Path logback(Path folder) throws IOException {
        return Files.writeString(
                folder.resolve("logback.xml"),
                "<configuration><appender name=\"OUT\" class=\"ch.qos.logback.core.ConsoleAppender\"><encoder>"
                        + "<pattern>logback says %msg%n</pattern></encoder></appender>"
                        + "<root level=\"WARN\"><appender-ref ref=\"OUT\"/></root></configuration>");
    }

    private static ProgramRun client(String reference, Path logback) throws IOException {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.add("-Dlogback.configurationFile=" + logback);
        words.add("-cp");
        words.add(BankCluster.location(OtherLibraries.class)
                + File.pathSeparator
                + String.join(File.pathSeparator, libraries()));
        words.addAll(List.of(OtherLibraries.Client.class.getName(), reference, "hi", "!!"));
        return ProgramRun.of(new ClientWrap(List.of(), Optional.of(10_000L), true, Optional.empty(), Optional.empty())
                .apply(JavaCommandLine.parse(words, Optional.empty()))
                .words());
    }

    /** The programs and their libraries. */
    static String classPath() throws IOException {
        return BankCluster.location(OtherLibraries.class)
                + File.pathSeparator
                + String.join(File.pathSeparator, libraries());
    }

    /** The ORB, and the jars that the build fetched. */
    private static List<String> libraries() throws IOException {
        List<String> jars = new ArrayList<>(
                List.of(BankCluster.location(org.jacorb.orb.ORB.class), BankCluster.location(org.omg.CORBA.ORB.class)));
        Path fetched = Path.of(BankCluster.location(OtherLibraries.class)).resolveSibling("other-libraries");
        try (Stream<Path> files = Files.list(fetched)) {
            files.map(Path::toString).forEach(jars::add);
        }
        return jars;
    }
}
