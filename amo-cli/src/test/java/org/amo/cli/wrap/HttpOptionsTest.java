package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.Run;
import org.amo.core.order.Member;
import org.amo.observe.ObservationOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class HttpOptionsTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    @Test
    void withoutThemThereIsNoPort() {
        HttpOptions none = parsed();
        assertEquals(Optional.empty(), none.options());
        assertEquals(Map.of(), none.properties());
    }

    @Test
    void theServerGetsTheAddressAndTheFileAndNeverTheToken() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        HttpOptions given = parsed("--http=0.0.0.0:9464", "--http-token-file=" + file);
        assertEquals(
                new ObservationOptions("0.0.0.0", 9464, Optional.of(TOKEN)),
                given.options().orElseThrow());
        assertEquals(Map.of("amo.http", "0.0.0.0:9464", "amo.httpTokenFile", file.toString()), given.properties());
        assertFalse(given.properties().toString().contains(TOKEN));
    }

    @Test
    void mistakesAreTheUsersAndOneLine() throws Exception {
        Path weak = Files.writeString(folder.resolve("weak"), "key\n");
        assertMistake("--http", "--http-token-file=" + weak);
        assertMistake("[HOST:]PORT", "--http=everywhere");
        assertMistake("can be guessed", "--http=9464", "--http-token-file=" + weak);
        assertMistake("cannot read", "--http=9464", "--http-token-file=" + folder.resolve("none"));
    }

    private static void assertMistake(String part, String... arguments) {
        CliException e =
                assertThrows(CliException.class, () -> parsed(arguments).options());
        assertTrue(e.getMessage().contains(part), e.getMessage());
        assertEquals(1, e.getMessage().lines().count());
    }

    @Test
    void theCommandRefusesAPortInUseBeforeItStartsTheProgram() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ObservationOptions taken =
                    ObservationOptions.builder(other.getLocalPort()).build();
            Member member = new Member("a", "127.0.0.1", 7801, 9801);
            CliException e = assertThrows(CliException.class, () -> Ports.checkFree(member, taken));
            assertTrue(e.getMessage().contains("127.0.0.1:" + other.getLocalPort()), e.getMessage());
            assertTrue(e.getMessage().contains("--http"), e.getMessage());
        }
    }

    @Test
    void thePortIsNoneOfTheMembersOthers() {
        Member member = new Member("a", "127.0.0.1", 7801, 9801);
        for (int port : List.of(7801, 9801)) {
            ObservationOptions same = ObservationOptions.builder(port).build();
            CliException e = assertThrows(CliException.class, () -> Ports.checkFree(member, same));
            assertTrue(e.getMessage().contains("a port of its own"), e.getMessage());
        }
    }

    @Test
    void aMistakeEndsTheCommandInOneLine() {
        Run run = Run.of(
                "wrap",
                "server",
                "--group=bank",
                "--id=a",
                "--members=a=127.0.0.1:7801/9801",
                "--insecure",
                "--http=nowhere:",
                "--",
                "java",
                "-version");
        assertEquals(ExitCodes.USER, run.exitCode(), run::toString);
        assertTrue(run.isOneLineOfError(), run::toString);
    }

    private static HttpOptions parsed(String... arguments) {
        HttpOptions options = new HttpOptions();
        CommandSpec spec = CommandSpec.create().addMixin("options", CommandSpec.forAnnotatedObject(options));
        new CommandLine(spec).parseArgs(arguments);
        return options;
    }
}
