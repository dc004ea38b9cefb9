package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.amo.cli.Amo;
import org.amo.cli.Run;
import org.amo.cli.wrap.AmoClassPath;
import org.amo.lab.cluster.Watch;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What users get wrong ends with one line that says what to write, and the exit code of the contract. */
@Timeout(120)
final class MistakesTest {
    private static final int USER = 2;
    private static final int ENVIRONMENT = 3;
    private static final String GOA =
            "-Dorg.omg.PortableInterceptor.ORBInitializerClass.org.amo.interceptors.server.GoaInitializer=";

    @TempDir
    private Path folder;

    private final List<Integer> ports = FreePorts.find(6);

    @Test
    void aTransientServantIsRefusedWithWhatToSet() {
        assertMistake(USER, "PERSISTENT", wrap("a", members(), "--insecure", "-Dprobe.transient=true"));
    }

    @Test
    void noSecurityIsRefused() {
        assertRefused("--secret-file", wrap("a", members(), "--log=fsync", ""));
    }

    @Test
    void aMemberThatIsNotConfiguredIsRefused() {
        assertRefused("--members", wrap("z", members(), "--insecure", ""));
    }

    @Test
    void twoMembersOfOneIdAreRefused() {
        assertRefused("'a'", wrap("a", members().replace("b=", "a="), "--insecure", ""));
    }

    @Test
    void aPortInUseIsAFaultOfTheEnvironment() throws IOException {
        try (ServerSocket holder = new ServerSocket(ports.get(1), 1, InetAddress.getLoopbackAddress())) {
            assertRefused(ENVIRONMENT, Integer.toString(holder.getLocalPort()), wrap("a", members(), "--insecure", ""));
        }
    }

    @Test
    @Tag("slow")
    void withoutWrapAMissingServerNameIsRefused() {
        ProgramRun run = ProgramRun.of(server("-Damo.insecure=true"));
        assertTrue(run.exitCode() > 0, run::toString);
        assertTrue(run.err().contains("-Djacorb.implname"), run::err);
    }

    @Test
    @Tag("slow")
    void withoutWrapMissingSecurityIsRefused() {
        ProgramRun run = ProgramRun.of(server("-Djacorb.implname=probe"));
        assertTrue(run.exitCode() > 0, run::toString);
        assertTrue(run.err().contains("amo.secretFile"), run::err);
    }

    private static void assertRefused(String names, List<String> words) {
        assertRefused(USER, names, words);
    }

    /** The command refuses it before it starts the program, and within this test. */
    private static void assertRefused(int exitCode, String names, List<String> words) {
        Run run = Run.of(words.subList(words.indexOf("wrap"), words.size()).toArray(String[]::new));
        assertEquals(exitCode, run.exitCode(), run::toString);
        assertTrue(run.isOneLineOfError() && run.err().contains(names), run::toString);
    }

    private static void assertMistake(int exitCode, String names, List<String> words) {
        ProgramRun run = ProgramRun.of(words);
        assertEquals(exitCode, run.exitCode(), run::toString);
        assertEquals(1, run.errorLines().size(), run::toString);
        assertTrue(run.err().contains(names), run::toString);
        assertEquals("", run.out());
    }

    private String members() {
        return "a=127.0.0.1:" + ports.get(0) + "/" + ports.get(1) + ",b=127.0.0.1:" + ports.get(2) + "/" + ports.get(3)
                + ",c=127.0.0.1:" + ports.get(4) + "/" + ports.get(5);
    }

    /** The command as {@code ./amo} starts it. */
    private List<String> wrap(String id, String members, String security, String property) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of("-cp", String.join(File.pathSeparator, AmoClassPath.all()), Watch.PROGRAM.getName()));
        words.addAll(List.of(Amo.class.getName(), "wrap", "server", "--group", "mistakes", "--id", id));
        words.addAll(List.of("--members", members, "--data", folder.toString(), security, "--"));
        words.addAll(BankCluster.quickJava());
        if (!property.isEmpty()) {
            words.add(property);
        }
        words.addAll(List.of("-cp", BankCluster.location(ProbeServer.class), ProbeServer.class.getName()));
        words.add(folder.resolve("ior").toString());
        return words;
    }

    /** A member's program with properties written by hand. */
    private List<String> server(String property) {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of(GOA, "-Djacorb.orb_initializer.fail_on_error=on", "-Djacorb.log.default.verbosity=1"));
        words.addAll(
                List.of("-Damo.group=mistakes", "-Damo.id=a", "-Damo.members=" + members(), "-Damo.data=" + folder));
        words.add(property);
        words.addAll(List.of("-cp", String.join(File.pathSeparator, AmoClassPath.all()), Watch.PROGRAM.getName()));
        words.addAll(List.of(ProbeServer.class.getName(), folder.resolve("ior").toString()));
        return words;
    }
}
