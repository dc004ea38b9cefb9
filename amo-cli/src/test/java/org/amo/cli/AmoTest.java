package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
                "wrap server --group bank --id a --members " + MEMBERS + " --insecure",
                "demo --duration 20",
                "demo --replicas 0",
                "demo --replicas many",
                "demo --kill everybody",
                "demo --kill-at 30s --duration 20s",
                "demo --log memory",
                "demo --replicas 2 --restart-after never",
                "demo --order fifo",
                "demo --json /no/such/folder/file.json",
                "demo unexpected",
                "kv",
                "kv frob",
                "kv server --id s --data d --coordinators nonsense --insecure",
                "kv server --id s --data d --coordinators " + MEMBERS,
                "kv coordinator --id a --insecure --servers 5 --ranges 4 --coordinators " + MEMBERS,
                "kv client --insecure frob k --coordinators " + MEMBERS,
                "kv client --insecure write k --coordinators " + MEMBERS,
                "kv client --insecure conditionalWrite k first v --coordinators " + MEMBERS,
                "kv bench --threads 0 --insecure --coordinators " + MEMBERS,
                "chaos --replicas 4",
                "chaos --clients 0",
                "chaos --duration 60",
                "chaos --service till",
                "chaos --plant frob",
                "chaos --order fifo",
                "chaos --history /no/such/folder/file",
                "attack",
                "attack no-such-attack",
                "attack all --duration 60",
                "attack all --heap much",
                "attack all --service till",
                "status",
                "status localhost",
                "status localhost:port",
                "status localhost:70000",
                "ior",
                "ior garbage",
                "ior IOR:zz",
                "ior IOR:00",
            })
    void aMistakeIsOneLineAndExitCode2(String line) {
        Run run = Run.of(line.isEmpty() ? new String[0] : line.split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.out() + run.err());
    }

    @Test
    void aMistakeNamesItsRemedy() {
        assertEquals(
                "amo: unknown command 'frob'; there are demo, wrap, status, member, ior, sim, chaos, attack, kv, bench; see ./amo --help",
                Run.of("frob").err().strip());
        assertTrue(Run.of("wrap", "server", "--group", "bank", "--id", "a", "--members", MEMBERS, "--", "java", "Main")
                .err()
                .contains("--tls-key-store FILE, or say --insecure"));
        assertTrue(Run.of("demo", "--log", "memory").err().contains("--restart-after never"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--help", "demo --help", "wrap --help", "wrap server --help", "status --help", "ior --help"})
    void helpGoesToStandardOutputWithExitCode0(String line) {
        Run run = Run.of(line.split(" "));
        assertEquals(ExitCodes.OK, run.exitCode());
        assertTrue(run.out().startsWith("Usage: amo"), run.out());
        assertEquals("", run.err());
    }

    @Test
    void helpTellsEveryOptionWithItsDefault() {
        for (List<String> command : List.of(List.of("demo"), List.of("wrap", "server"), List.of("wrap", "client"))) {
            String[] words = new String[command.size() + 1];
            command.toArray(words);
            words[command.size()] = "--help";
            String help = Run.of(words).out();
            picocli.CommandLine line = Amo.commandLine();
            for (String word : command) {
                line = line.getSubcommands().get(word);
            }
            for (picocli.CommandLine.Model.OptionSpec option :
                    line.getCommandSpec().options()) {
                assertTrue(help.contains(option.longestName()), option.longestName());
                boolean hasDefault = option.required()
                        || option.usageHelp()
                        || option.longestName().equals("--secret-file")
                        || String.join(" ", option.description()).contains("Default: ");
                assertTrue(hasDefault, command + " " + option.longestName() + " tells no default");
                assertFalse(option.description().length == 0, option.longestName());
            }
        }
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
