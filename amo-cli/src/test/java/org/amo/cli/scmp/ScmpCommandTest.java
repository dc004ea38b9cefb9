package org.amo.cli.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.cli.CommandProcess;
import org.amo.cli.ExitCodes;
import org.amo.cli.HostPort;
import org.amo.cli.Run;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands, with servers in processes of their own. */
@Timeout(120)
final class ScmpCommandTest {
    private static final Pattern SERVES = Pattern.compile("serves at \\S+:(\\d+)(?:, metrics at port (\\d+))?\n");

    @TempDir
    private Path folder = Path.of("unset");

    private Path state = Path.of("unset");
    private Path secret = Path.of("unset");

    @BeforeEach
    void prepare() throws IOException {
        state = folder.resolve("latest");
        secret = Files.writeString(folder.resolve("secret"), "5e".repeat(32));
    }

    private Run init() {
        return Run.of("scmp", "init", state.toString());
    }

    private CommandProcess serve(String name, int port, String... more) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("scmp", "serve", "--port", "" + port, "--state", state.toString(), "--write-ahead", "3s"));
        words.addAll(List.of(more));
        return CommandProcess.start(folder.resolve(name), words.toArray(String[]::new));
    }

    private static int awaitPort(CommandProcess server) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> portOf(server), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<Integer> portOf(CommandProcess server) throws IOException {
        Matcher found = SERVES.matcher(server.out());
        return found.find() ? Optional.of(Integer.parseInt(found.group(1))) : Optional.empty();
    }

    private List<String> ledger() throws IOException {
        return Files.readAllLines(folder.resolve("latest.ledger"));
    }

    private String credential(String client) {
        Path file = folder.resolve(client);
        Run run = Run.of("scmp", "key", "--secret-file", secret.toString(), "--client", client, file.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        return file.toString();
    }

    @Test
    void aServerIsInitializedOnceAndNotAgainAfterItsFileIsLost() throws Exception {
        assertEquals(ExitCodes.OK, init().exitCode());
        assertTrue(Files.exists(state));
        Files.delete(state);
        Run again = init();
        assertEquals(ExitCodes.USER, again.exitCode());
        assertTrue(again.isOneLineOfError(), again.err());
        assertTrue(Files.notExists(state));
    }

    @Test
    void withoutItsPartTheCommandSaysWhich() {
        Run run = Run.of("scmp");
        assertEquals(ExitCodes.USER, run.exitCode());
        assertTrue(run.isOneLineOfError(), run.err());
    }

    /** An operator who forgot it is told the command; one who has lost it is not. */
    @Test
    void aServerWithoutItsStateFileIsRefusedInOneLineWithTheRemedy() throws Exception {
        String[] serve = {"scmp", "serve", "--port", "0", "--state", state.toString(), "--insecure"};
        Run never = Run.of(serve);
        assertEquals(ExitCodes.USER, never.exitCode(), never.err());
        assertTrue(never.isOneLineOfError(), never.err());
        assertTrue(never.err().contains("./amo scmp init " + state), never.err());
        assertTrue(never.err().contains("--state-lost"), never.err());
        init();
        Run there = Run.of("scmp", "serve", "--port", "0", "--state", state.toString(), "--insecure", "--state-lost");
        assertEquals(ExitCodes.USER, there.exitCode(), there.err());
        assertTrue(there.isOneLineOfError(), there.err());
        Files.delete(state);
        Run lost = Run.of(serve);
        assertEquals(ExitCodes.USER, lost.exitCode(), lost.err());
        assertTrue(lost.isOneLineOfError(), lost.err());
        assertFalse(lost.err().contains("scmp init"), lost.err());
        assertTrue(lost.err().contains("--state-lost"), lost.err());
    }

    @Test
    void afterAKillARecordedCallDoesNotRunAgainAndTheCountersGoOn() throws Exception {
        init();
        String till7 = credential("till-7");
        int port;
        byte[] recorded;
        try (CommandProcess first = serve("first", 0, "--secret-file", secret.toString())) {
            port = awaitPort(first);
            try (Recorder recorder = new Recorder(port)) {
                Run added = Run.of(
                        "scmp", "call", "127.0.0.1:" + recorder.port(), "--credential", till7, "add", "apples", "3");
                assertEquals("3", added.out().strip(), added.err());
                recorded = recorder.recorded();
            }
            assertEquals(1, ledger().size());
            first.kill();
        }
        try (CommandProcess second = serve("second", port, "--secret-file", secret.toString())) {
            assertEquals(port, awaitPort(second));
            byte[] answer = Recorder.replay(recorded, port).orElseThrow();
            assertEquals(0x27, answer[1], "REFUSED, under the client's key");
            assertEquals(1, answer[3], "STALE");
            assertEquals(1, ledger().size(), "the recorded call ran again");
            // A call of the first seconds may be refused, and then did not run: its outcome says so.
            Run next = Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(
                            () -> Run.of(
                                    "scmp", "call", "127.0.0.1:" + port, "--credential", till7, "add", "apples", "4"),
                            run -> run.exitCode() == ExitCodes.OK);
            assertEquals("7", next.out().strip());
            assertEquals(2, ledger().size());
            assertTrue(Recorder.replay(recorded, port).isPresent());
            assertEquals(2, ledger().size(), "the recorded call ran again");
        }
    }

    @Test
    void outcomesAreTypedAndEachHasItsExitCode() throws Exception {
        init();
        String till7 = credential("till-7");
        try (CommandProcess server = serve("server", 0, "--secret-file", secret.toString(), "--host", "127.0.0.1")) {
            int port = awaitPort(server);
            String[] call = {"scmp", "call", "127.0.0.1:" + port, "--secret-file", secret.toString()};
            assertEquals("0", run(call, "get", "apples").out().strip());
            Run failed = run(call, "frob");
            assertEquals(ExitCodes.CHECK_FAILED, failed.exitCode());
            assertTrue(failed.isOneLineOfError() && failed.err().contains("SERVICE_FAILED"), failed.err());
            Run noService = run(call, "--service", "9", "get", "apples");
            assertEquals(ExitCodes.ENVIRONMENT, noService.exitCode());
            assertTrue(noService.isOneLineOfError() && noService.err().contains("NOT_EXECUTED"), noService.err());
            Run stranger = Run.of(
                    "scmp", "call", "127.0.0.1:" + port, "--insecure", "--timeout", "300ms", "add", "apples", "1");
            assertEquals(ExitCodes.ENVIRONMENT, stranger.exitCode());
            assertTrue(stranger.isOneLineOfError() && stranger.err().contains("UNKNOWN"), stranger.err());
            Run tooLong = run(call, "x".repeat(65_456));
            assertEquals(ExitCodes.USER, tooLong.exitCode());
            assertTrue(tooLong.isOneLineOfError() && tooLong.err().contains("65455"), tooLong.err());
            assertEquals(0, ledger().size());
            assertEquals(
                    "2",
                    Run.of("scmp", "call", "127.0.0.1:" + port, "--credential", till7, "add", "pears", "2")
                            .out()
                            .strip());
            assertEquals("pears 2", run(call, "all").out().strip());
        }
    }

    private static Run run(String[] words, String... more) {
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return Run.of(all);
    }

    /** Over IPv6 where the machine has it. */
    @Test
    void metricsTellCallsAndStrangersAtTheObservationPort() throws Exception {
        init();
        int http;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            http = free.getLocalPort();
        }
        String host = hasIpv6() ? "::1" : "127.0.0.1";
        try (CommandProcess server =
                serve("server", 0, "--secret-file", secret.toString(), "--host", host, "--http", "" + http)) {
            String address = new HostPort(host, awaitPort(server)).toString();
            String till7 = credential("till-7");
            Run added = Run.of("scmp", "call", address, "--credential", till7, "add", "apples", "3");
            assertEquals("3", added.out().strip(), added.err());
            Run.of("scmp", "call", address, "--insecure", "--timeout", "100ms", "add", "apples", "3");
            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                String metrics = metrics(http);
                assertTrue(metrics.matches("(?s).*\namo_scmp_calls_total\\{[^}]*} 1\n.*"), metrics);
                assertTrue(metrics.matches("(?s).*\namo_scmp_dropped_total\\{[^}]*FORGED[^}]*} [1-9].*"), metrics);
            });
        }
    }

    private static boolean hasIpv6() {
        byte[] loopback = new byte[16];
        loopback[15] = 1;
        try (DatagramSocket probe = new DatagramSocket(0, InetAddress.getByAddress(loopback))) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static String metrics(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void aCredentialIsItsOwnersAloneAndAFileThatIsThereStays() throws Exception {
        String file = credential("till-7");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(file))));
        String before = Files.readString(Path.of(file));
        Run again = Run.of("scmp", "key", "--secret-file", secret.toString(), "--client", "till-8", file);
        assertEquals(ExitCodes.USER, again.exitCode());
        assertTrue(again.isOneLineOfError(), again.err());
        assertEquals(before, Files.readString(Path.of(file)));
        Run name = Run.of("scmp", "key", "--secret-file", secret.toString(), "--client", "a b", folder + "/other");
        assertEquals(ExitCodes.USER, name.exitCode());
        assertTrue(name.isOneLineOfError(), name.err());
    }

    @Test
    void aPortThatIsTakenIsAFaultOfTheEnvironment() throws Exception {
        init();
        try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            Run run = Run.of(
                    "scmp", "serve", "--port", "" + taken.getLocalPort(), "--state", state.toString(), "--insecure");
            assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
            assertTrue(run.isOneLineOfError(), run.err());
        }
    }
}
