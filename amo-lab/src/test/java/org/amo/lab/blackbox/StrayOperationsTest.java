package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.amo.interceptors.MinorCodes;
import org.amo.lab.blackbox.corba.MatrixServant;
import org.amo.lab.cluster.ExternalCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * Operations that start threads, call other servers and use classes that the agent cannot instrument: the replies, the lines in the logs
 * of two wrapped servers, and the agent's number in their status. One group permits what another one refuses.
 */
@Timeout(120)
final class StrayOperationsTest {
    private static final int TIMES = 3;
    private static final int CALLS = 10;
    private static final int COMPLETED_MAYBE = 2;
    private static final int LATER_VERSION = 200;
    private static final String PASSWORD = "changeit";
    private static final String IN_BEGIN = "at " + TaskingServer.class.getName() + "$Tasking.begin(";

    @TempDir
    private Path folder;

    /** That of the server which operations call; it knows nothing of amo. */
    private ORB plain;

    private MatrixServant back;
    private Path reference;

    @BeforeEach
    void startBack() throws IOException, UserException {
        Properties properties = new Properties();
        properties.setProperty("OAIAddr", "127.0.0.1");
        plain = ORB.init(new String[0], properties);
        POA root = POAHelper.narrow(plain.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        back = new MatrixServant(plain);
        root.activate_object(back);
        reference =
                Files.writeString(folder.resolve("back.ior"), plain.object_to_string(root.servant_to_reference(back)));
    }

    @AfterEach
    void stopBack() {
        plain.shutdown(true);
    }

    private BankCluster.Settings settings(String group, String nested) {
        return BankCluster.Settings.bank(group)
                .main(TaskingServer.class)
                .two()
                .property(TaskingServer.BACK, reference.toString())
                .property("amo.nested", nested);
    }

    /** Nested calls are made by each member. */
    @Test
    void aThreadAndAClassThatIsTooNewAreNamedOnceASignedClassDrawsAlikeAndAllowedCallsRunOnceAMember()
            throws IOException {
        Path signed = library("signed", OptionalInt.empty());
        sign(signed);
        Path later = library("later", OptionalInt.of(LATER_VERSION));
        try (BankCluster cluster = BankCluster.start(
                        settings("permits", "allow").libraries(List.of(signed.toString(), later.toString())));
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            Set<String> tickets = new HashSet<>();
            for (int i = 1; i <= TIMES; i++) {
                assertEquals(Integer.toString(i), Orb.text(tasking, "begin"));
                tickets.add(Orb.text(tasking, "signed"));
                String failure = Orb.text(tasking, "later");
                assertTrue(failure.startsWith("java.lang.UnsupportedClassVersionError: "), failure);
            }
            assertEquals(TIMES, tickets.size(), "the class draws: " + tickets);
            tickets.forEach(ticket -> assertTrue(ticket.endsWith(" signed"), ticket));
            cluster.assertAgreement(3 * TIMES);
            assertEquals(List.of(1L, 1L), cluster.numbers("uninstrumentedClasses"));
            for (MemberProcess member : cluster.processes()) {
                assertSaysOnce(member, "an operation calls java.lang.Thread.start: ");
                assertTrue(member.said().contains(IN_BEGIN), member::said);
                assertSaysOnce(member, "class example.later.Ticket is not deterministic: it cannot be instrumented (");
                assertTrue(member.said().contains("version " + LATER_VERSION), member::said);
            }
            for (int i = 0; i < CALLS; i++) {
                assertEquals("called", Orb.text(tasking, "call"));
            }
            cluster.awaitEqual();
            assertEquals(2 * CALLS, back.count(0));
        }
    }

    /** A servant's exception has no message for a CORBA client, so the log must say it. */
    @Test
    @Tag("slow")
    void aRefusedThreadFailsAlikeAtAllMembersAndARefusedCallIsNotSentAndTheLogNamesTheirPlaces() {
        try (BankCluster cluster =
                        BankCluster.start(settings("refuses", "refuse").property("amo.threads", "refuse"));
                Orb orb = Orb.client()) {
            RawClient client = new RawClient(cluster.reference()).learn(cluster.member(0));
            for (int i = 0; i < TIMES; i++) {
                Giop.Reply reply =
                        client.send(cluster.leader(), client.call(), new RawClient.Op("begin", true, arguments -> {}));
                assertEquals(Giop.SYSTEM_EXCEPTION, reply.status());
                assertEquals(COMPLETED_MAYBE, reply.completed());
            }
            assertEquals("0 0 0 0 0", Orb.text(orb.object(cluster.reference()), "count"));
            cluster.assertAgreement(TIMES + 1);
            for (MemberProcess member : cluster.processes()) {
                assertSaysOnce(member, "an operation calls java.lang.Thread.start, which --threads refuse lets fail: ");
                assertTrue(member.said().contains("start every member with --threads warn"), member::said);
                assertTrue(member.said().contains(IN_BEGIN), member::said);
            }
            assertRefusesCalls(cluster);
        }
    }

    private void assertRefusesCalls(BankCluster cluster) {
        try (Orb orb = Orb.plain()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            for (int i = 0; i < CALLS; i++) {
                AssertionError failure = assertThrows(AssertionError.class, () -> Orb.text(tasking, "call"));
                BAD_INV_ORDER refused = assertInstanceOf(BAD_INV_ORDER.class, failure.getCause());
                assertEquals(MinorCodes.NESTED_CALL, refused.minor);
                assertEquals(CompletionStatus.COMPLETED_MAYBE, refused.completed);
            }
        }
        cluster.awaitEqual();
        assertEquals(0, back.count(0));
        String said = cluster.member(0).said();
        assertTrue(
                said.contains("an operation of group refuses called 'count' on a CORBA object")
                        && said.contains("--nested allow"),
                said);
    }

    private static void assertSaysOnce(MemberProcess member, String words) {
        assertEquals(
                1,
                Pattern.compile(words, Pattern.LITERAL)
                        .matcher(member.said())
                        .results()
                        .count(),
                member::said);
    }

    /**
     * A jar with one class, which draws and tells whether it is signed.
     *
     * @param version of the class file, if it is not that of the compiler
     */
    private Path library(String name, OptionalInt version) throws IOException {
        Path source = Files.createDirectories(folder.resolve(name)).resolve("Ticket.java");
        Files.writeString(
                source,
                "package example." + name + "; public final class Ticket { public static String next() {"
                        + " return java.util.UUID.randomUUID()"
                        + " + (Ticket.class.getSigners() == null ? \" unsigned\" : \" signed\"); } }");
        assertEquals(
                0,
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "--release", "17", "-d", folder.toString(), source.toString()));
        String entry = "example/" + name + "/Ticket.class";
        byte[] bytes = Files.readAllBytes(folder.resolve(entry));
        version.ifPresent(major -> bytes[7] = (byte) major);
        Path jar = folder.resolve(name + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(entry));
            out.write(bytes);
        }
        return jar;
    }

    private static void sign(Path jar) {
        Path keys = jar.resolveSibling("keys");
        run(keys, "keytool", "-genkeypair", "-alias", "signer", "-keyalg", "EC", "-dname", "CN=signer");
        run(keys, "jarsigner", jar.toString(), "signer");
    }

    /** A tool of the JDK that reads or writes a key store. */
    private static void run(Path keys, String tool, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        words.addAll(List.of(arguments));
        words.addAll(List.of("-keystore", keys.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        ExternalCommand.run(words);
    }
}
