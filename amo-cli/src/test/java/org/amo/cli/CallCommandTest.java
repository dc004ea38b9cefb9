package org.amo.cli;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code amo call} against a group of one member. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class CallCommandTest {
    private static final String ADD = "org.amo.cli.CallCommandTest$Tally.add";

    private final String members = Member.format(FreePorts.members(1));
    private Path secret = Path.of("unset");
    private AmoReplica replica;

    /** The service. */
    public interface Tally {
        long add(String name, long amount);

        void fail(String why);
    }

    /** Its object. */
    static final class Tallies implements Tally {
        private final Map<String, Long> counts = new TreeMap<>();

        @Override
        public long add(String name, long amount) {
            return counts.merge(name, amount, Long::sum);
        }

        @Override
        public void fail(String why) {
            throw new IllegalStateException(why);
        }
    }

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef".repeat(4));
        replica = AmoReplica.builder("tally")
                .id("a")
                .members(members)
                .data(folder)
                .log(ReplicaSettings.Log.MEMORY)
                .secretFile(secret)
                .udp()
                .service(Tally.class, new Tallies())
                .start();
        assertEquals(ExitCodes.OK, call("--transport", "tcp", ADD, "begin", "1").exitCode());
        // A new group refuses timestamps up to its first one and the skew.
        await().until(() -> replica.status().upperMillis() < System.currentTimeMillis());
    }

    @AfterAll
    void close() {
        replica.close();
    }

    private Run call(String... more) {
        List<String> words = new ArrayList<>(
                List.of("call", "--group", "tally", "--members", members, "--secret-file", secret.toString()));
        words.addAll(List.of(more));
        return Run.of(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "tcp", "udp"})
    void aCallPrintsItsResult(String transport) {
        assertEquals(
                new Run(ExitCodes.OK, "3" + System.lineSeparator(), ""),
                call("--transport", transport, ADD, transport, "3"));
    }

    @Test
    void anOperationThatThrowsEndsWithItsExceptionAndExitCode1() {
        Run run = call("org.amo.cli.CallCommandTest$Tally.fail", "on purpose");
        assertEquals(ExitCodes.CHECK_FAILED, run.exitCode());
        assertTrue(run.err().contains("on purpose"), run.err());
    }

    @Test
    void aCallWithoutAnOutcomeEndsWithExitCode3() {
        Run run = Run.of(
                "call",
                "--group",
                "tally",
                "--members",
                "a=127.0.0.1:1/2",
                "--insecure",
                "--deadline",
                "300ms",
                ADD,
                "x",
                "1");
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.err());
    }

    @Test
    void mistakesAreOneLineEach() {
        assertMistake("there is no interface", call("org.amo.None.add", "1"));
        assertMistake("names no operation", call("add"));
        assertMistake("has no method add with 1 parameters", call(ADD, "x"));
        assertMistake("parameter 2 of", call(ADD, "x", "many"));
        assertMistake("--secret-file", Run.of("call", "--group", "tally", "--members", members, ADD, "x", "1"));
    }

    private static void assertMistake(String part, Run run) {
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError() && run.err().contains(part), run.err());
    }

    @Test
    void theHelpTellsEachDefault() {
        Run.assertHelpTellsDefaults(List.of("call"));
    }
}
