package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AmoTest {
    private static final String MEMBERS = "a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802,c=127.0.0.1:7803/9803";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "frob",
                "--frob",
                "wrap",
                "wrap frob",
                "wrap server",
                "wrap client",
                "wrap client -- python3 x.py",
                "wrap client --deadline 60 -- java Main",
                "wrap client --sack maybe -- java Main",
                "wrap client --members a=1 -- java Main",
                "wrap server --group bank --id a --members nonsense --insecure -- java Main",
                "wrap server --group bank --id x --members " + MEMBERS + " --insecure -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --secret-file f -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --secret-file /no/such/file -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --budget much -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --store disk -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --style lazy -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --random often -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --style leader --random seeded -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --style leader --nested allow -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --style leader --deterministic time -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --random leader --deterministic none -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --execute many -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --execute parallel -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --execute parallel=1 -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --execute parallel=4 --style passive -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --execute parallel=4 --style leader -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --execute parallel=4 --nested allow -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS
                        + " --insecure --execute parallel=4 --threads ordered -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --feature-level new -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure --feature-level 0 -- java Main",
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure",
                "status",
                "status localhost",
                "status localhost:port",
                "status localhost:70000",
                "status localhost:1 --json /no/such/folder/file.json",
                "ior",
                "ior garbage",
                "ior IOR:zz",
                "ior IOR:00",
                "exon",
                "exon frob",
                "exon recv --insecure",
                "exon recv --port 0 --insecure",
                "exon recv --port 0 --into /no/such/folder --insecure",
                "exon recv --port 70000 --lines --insecure",
                "exon recv --port 0 --lines",
                "exon recv --port 0 --lines --count 1 --insecure",
                "exon recv --port 0 --lines --insecure --secret-file f",
                "exon send",
                "exon send 127.0.0.1:9600 --insecure",
                "exon send 127.0.0.1 file --insecure",
                "exon send 127.0.0.1:9600 /no/such/file --insecure",
                "exon send 127.0.0.1:9600 / --insecure",
                "exon send 127.0.0.1:9600 pom.xml ../pom.xml --insecure",
                "exon send 127.0.0.1:9600 pom.xml",
                "exon send 127.0.0.1:9600 pom.xml --lines --insecure",
                "exon send 127.0.0.1:9600 pom.xml --secret-file /no/such/file",
                "exon bench 127.0.0.1:9600",
                "exon bench --bytes 1GB",
                "scmp",
                "scmp init",
                "scmp key --client till-7 key",
                "scmp key --client till-7 --secret-file /no/such/file key",
                "scmp serve --port 0 --insecure",
                "scmp serve --port 0 --state latest",
                "scmp serve --port 0 --state latest --insecure --secret-file f",
                "scmp serve --port 70000 --state latest --insecure",
                "scmp serve --port 0 --state latest --insecure --write-ahead 1s",
                "scmp serve --port 0 --state /no/such/folder/latest --insecure",
                "scmp call 127.0.0.1:9600 --insecure",
                "scmp call 127.0.0.1:9600 get apples",
                "scmp call 127.0.0.1:9600 --insecure --credential f get apples",
                "scmp call 127.0.0.1:9600 --credential /no/such/file get apples",
                "scmp call 127.0.0.1:9600 --service 65536 --insecure get apples",
                "scmp call 127.0.0.1 --insecure get apples",
            })
    void aMistakeIsOneLineAndExitCode2(String line) {
        Run run = Run.of(line.isEmpty() ? new String[0] : line.split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.out() + run.err());
    }

    @Test
    void aMistakeNamesItsRemedy() {
        assertEquals(
                "amo: unknown command 'frob'; there are wrap, agent, check, config, call, status, member, snapshot, verify, backup,"
                        + " restore, recover, ior, exon, scmp; see ./amo --help",
                Run.of("frob").err().strip());
        assertTrue(Run.of("wrap", "server", "--group", "bank", "--id", "a", "--members", MEMBERS, "--", "java", "Main")
                .err()
                .contains("--tls-key-store FILE, or say --insecure"));
    }

    @Test
    void aWrongWordIsToldWithTheWordsOfTheHelp() {
        String line = Run.of("wrap", "client", "--sack", "maybe", "--", "java", "Main")
                .err();
        assertTrue(line.contains("'--sack': 'maybe' is none of on, off; see"), line);
    }

    @Test
    void callsByDatagramNeedTheGroupsSecret() {
        Run client = Run.of("wrap", "client", "--first-call", "udp", "--", "java", "Main");
        assertEquals(ExitCodes.USER, client.exitCode(), client.err());
        assertTrue(client.isOneLineOfError() && client.err().contains("add --secret-file FILE"), client.err());
        Run server = Run.of(("wrap server --group bank --id a --insecure --udp --members " + MEMBERS + " --data "
                        + folder + " -- java Main")
                .split(" "));
        assertEquals(ExitCodes.USER, server.exitCode(), server.err());
        assertTrue(server.isOneLineOfError() && server.err().contains("add --secret-file FILE"), server.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--style passive", "--style leader", "--nested ordered", "--nested allow", "--threads ordered"})
    void parallelExecutionNamesTheOptionThatItExcludes(String other) {
        Run run = Run.of(("wrap server --group bank --id a --insecure --execute parallel=2 " + other + " --members "
                        + MEMBERS + " --data " + folder + " -- java Main")
                .split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.err());
        assertTrue(run.err().contains("--execute parallel") && run.err().contains(other), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "time", "time,random"})
    void orderedThreadsNeedAllOfTheAgent(String kinds) {
        Run run = Run.of(("wrap server --group bank --id a --insecure --threads ordered --deterministic " + kinds
                        + " --members " + MEMBERS + " --data " + folder + " -- java Main")
                .split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.err());
        assertTrue(run.err().contains("write --deterministic all"), run.err());
    }

    /** Of a property set twice the last counts, which would be that of the option, in silence. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-- java -Damo.style=passive",
                "-- java -Damo.threads=ordered",
                "-- java -Damo.deterministic=none",
                "-- java -Damo.divergence=off",
                "-- java -Damo.execute=parallel=4",
                "-- java -Damo.featureLevel=1",
                "--nested allow -- java -Damo.nested=ordered",
                "--random leader -- java -Damo.random=seeded",
                "--store chronicle -- java -Damo.store=heap"
            })
    void aPropertyThatContradictsAnOptionIsTheUsersMistake(String own) {
        Run run = Run.of(("wrap server --group bank --id a --insecure --members " + MEMBERS + " --data " + folder + " "
                        + own + " Main")
                .split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.err());
        assertTrue(run.err().contains("contradicts --"), run.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "help",
                "help wrap server",
                "wrap --help",
                "wrap server --help",
                "status --help",
                "ior --help"
            })
    void helpGoesToStandardOutputWithExitCode0(String line) {
        Run run = Run.of(line.split(" "));
        assertEquals(ExitCodes.OK, run.exitCode());
        assertTrue(run.out().startsWith("Usage: amo"), run.out());
        assertEquals("", run.err());
    }

    @Test
    void helpTellsEveryOptionWithItsDefault() {
        for (List<String> command : List.of(
                List.of("wrap", "server"),
                List.of("wrap", "client"),
                List.of("exon", "recv"),
                List.of("exon", "send"),
                List.of("exon", "bench"),
                List.of("scmp", "key"),
                List.of("scmp", "serve"),
                List.of("scmp", "call"))) {
            Run.assertHelpTellsDefaults(command);
        }
    }

    @Test
    void theVersionNamesTheCommitAndTheJavaThatRuns() {
        Run run = Run.of("--version");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        List<String> lines = run.out().lines().toList();
        assertEquals(3, lines.size(), run.out());
        assertTrue(lines.get(0).matches("amo \\S+"), run.out());
        assertTrue(lines.get(1).matches("commit ([0-9a-f]{40,64}|unknown)"), run.out());
        assertTrue(lines.get(2).startsWith("Java " + System.getProperty("java.version")), run.out());
    }

    /** After a power cut the name service may come later: a supervisor tries again. */
    @Test
    void aHostThatIsNotKnownYetIsAFaultOfTheEnvironment() {
        Run run = Run.of(("wrap server --group bank --id a --insecure --members a=no-such-host.invalid:7801/9801"
                        + " --data " + folder + " -- java Main")
                .split(" "));
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError() && run.err().contains("unknown host"), run.err());
    }

    @Test
    void aTakenPortIsAFaultOfTheEnvironment() throws java.io.IOException {
        try (java.net.ServerSocket taken = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            String members = "a=127.0.0.1:" + taken.getLocalPort() + "/9801";
            Run run = Run.of(
                    "wrap",
                    "server",
                    "--group",
                    "bank",
                    "--id",
                    "a",
                    "--members",
                    members,
                    "--insecure",
                    "--data",
                    folder.toString(),
                    "--",
                    "java",
                    "Main");
            assertEquals(ExitCodes.ENVIRONMENT, run.exitCode());
            assertTrue(run.isOneLineOfError(), run.err());
            assertTrue(run.err().contains("127.0.0.1:" + taken.getLocalPort()), run.err());
        }
    }
}
