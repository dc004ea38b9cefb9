package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.cli.wrap.AmoClassPath;
import org.amo.cli.wrap.ClientWrap;
import org.amo.cli.wrap.JavaCommandLine;
import org.amo.wrap.WrappedProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that the laboratory adds to {@code amo}. */
final class LabCommandsTest {
    private static final String MEMBERS = "a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802,c=127.0.0.1:7803/9803";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --duration 20",
                "demo --replicas 0",
                "demo --replicas many",
                "demo --kill everybody",
                "demo --kill-at 30s --duration 20s",
                "demo --log memory",
                "demo --replicas 2 --restart-after never",
                "demo --order fifo",
                "demo --style lazy",
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
                "kv backup --id b --data d --coordinators nonsense --insecure",
                "kv server --id s --data d --tls-key-store s.p12 --coordinators " + MEMBERS,
                "kv server --id s --data d --tls-key-store s.p12 --insecure --coordinators " + MEMBERS,
                "kv server --id s --data d --insecure --host 192.0.2.1 --coordinators " + MEMBERS,
                "kv client read k --insecure --coordinators a=192.0.2.1:7801/9801",
                "kv coordinator --id a --insecure --backups 17 --coordinators " + MEMBERS,
                "kv move -1 s1 --insecure --coordinators " + MEMBERS,
                "kv chaos --threads 0",
                "kv chaos --backups 0 --delete-disk",
                "kv bench --threads 0 --insecure --coordinators " + MEMBERS,
                "grid --site 4",
                "grid --site 0",
                "grid --sites 127.0.0.1",
                "grid --sites 127.0.0.1:7931,127.0.0.1:7931",
                "grid --sites 192.0.2.1:7931",
                "grid --sequencers 192.0.2.1:7934",
                "grid --sites [2001:db8::1]:7931",
                "grid --sequencer both",
                "grid --secret-file /no/such/file",
                "chaos --replicas 4",
                "chaos --clients 0",
                "chaos --duration 60",
                "chaos --service till",
                "chaos --plant frob",
                "chaos --reads 0.5",
                "chaos --transport udp",
                "chaos --transport carrier-pigeon",
                "demo --transport udp --sack off",
                "chaos --service counter --reads 2",
                "chaos --order fifo",
                "chaos --style lazy",
                "chaos --service chain --style passive",
                "chaos --service chain --log memory",
                "chaos --log memory --faults disk",
                "chaos --log memory --faults memory",
                "chaos --log memory --faults disk,memory",
                "chaos --history /no/such/folder/file",
                "attack",
                "attack no-such-attack",
                "attack all --duration 60",
                "attack all --heap much",
                "attack all --service till"
            })
    void aMistakeIsOneLineAndExitCode2(String line) {
        Run run = Run.of(line.split(" "));
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.out() + run.err());
    }

    @Test
    void theyStandAroundTheUsersCommands() {
        assertEquals(
                "amo: unknown command 'frob'; there are demo, wrap, agent, check, config, call, status, member, snapshot,"
                        + " verify, backup, restore, recover, ior, exon, scmp, sim, chaos, attack, kv, grid, bench; see ./amo --help",
                Run.of("frob").err().strip());
    }

    @Test
    void aMistakeNamesItsRemedy() {
        assertTrue(Run.of("demo", "--log", "memory").err().contains("--restart-after never"));
    }

    /** The class path of this test holds the whole laboratory, as the launcher's does. */
    @Test
    void aWrappedProgramGetsNothingOfTheLaboratory() {
        Pattern laboratory = Pattern.compile(
                ".*/(amo-(cli|lab|sim|benchmarks|testkit)|examples|rocksdb|aeron|ratis|jmh|netty-codec-native).*");
        assertTrue(AmoClassPath.all().stream().anyMatch(laboratory.asMatchPredicate()));
        ClientWrap wrap = new ClientWrap(List.of(), Optional.empty(), true, Optional.empty(), Optional.empty());
        JavaCommandLine client =
                wrap.apply(JavaCommandLine.parse(List.of("java", "-cp", "client.jar", "Main"), Optional.empty()));
        assertEquals(
                List.of(),
                Stream.of(client.classPath(), client.properties().get(WrappedProgram.LIBRARIES))
                        .flatMap(path -> Stream.of(path.split(File.pathSeparator, -1)))
                        .filter(laboratory.asMatchPredicate())
                        .toList());
    }

    @Test
    void helpTellsEveryOptionWithItsDefault() {
        Run help = Run.of("demo", "--help");
        assertEquals(ExitCodes.OK, help.exitCode());
        assertTrue(help.out().startsWith("Usage: amo"), help.out());
        assertEquals("", help.err());
        Run.assertHelpTellsDefaults(List.of("demo"));
        Run.assertHelpTellsDefaults(List.of("grid"));
    }
}
