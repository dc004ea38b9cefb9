package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigCommandTest {
    private static final String MEMBERS = "amo.members=a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802";

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void eachSettingIsShownWithItsValueAndItsOrigin() throws IOException {
        Path file = write("amo.group=bank", "amo.id=a", MEMBERS, "amo.secretFile=secret", "amo.budget=134217728");
        Files.writeString(folder.resolve("secret"), "9f3a9f3a9f3a9f3a9f3a");
        Run run = Run.of("config", "check", file.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run.out() + run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches("amo\\.budget +134217728 +file .*amo.properties")));
        assertTrue(run.out().contains("5 settings, 0 mistakes"), run.out());
        assertTrue(!run.out().contains("9f3a"), run.out());
    }

    @Test
    void mistakesAreToldWithTheirRemediesAndExitCode1() throws IOException {
        Path file = write("amo.group=bank", "amo.id=a", MEMBERS, "amo.secretFile=none", "amo.retension=1");
        Run run = Run.of("config", "check", file.toString());
        assertEquals(ExitCodes.CHECK_FAILED, run.exitCode(), run.out() + run.err());
        assertTrue(run.out().contains("mistake: unknown setting amo.retension in " + file), run.out());
        assertTrue(run.out().contains("mistake: amo.secretFile: cannot read the file " + folder), run.out());
        assertTrue(run.out().contains(" 2 mistakes"), run.out());
    }

    @Test
    void aSecretThatAllCanReadIsAWarning() throws IOException {
        Path file = write("amo.secretFile=secret");
        Path secret = Files.writeString(folder.resolve("secret"), "9f3a9f3a9f3a9f3a9f3a");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        Run open = Run.of("config", "check", file.toString());
        assertEquals(ExitCodes.OK, open.exitCode());
        assertTrue(open.out().contains("warning: all users of this machine can read"), open.out());
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        assertTrue(!Run.of("config", "check", file.toString()).out().contains("warning"));
    }

    @Test
    void aWrongUseIsOneLineAndExitCode2() {
        for (List<String> words : List.of(
                List.of("config"),
                List.of("config", "frob"),
                List.of("config", "check", folder.resolve("none").toString()),
                List.of("wrap", "server", "--config", folder.resolve("none").toString(), "--", "java", "Main"))) {
            Run run = Run.of(words.toArray(String[]::new));
            assertEquals(ExitCodes.USER, run.exitCode(), run.out() + run.err());
            assertTrue(run.isOneLineOfError(), words + run.out() + run.err());
        }
    }

    /** The message is of the settings: required options that the file has are not missed, and a wrong value has its origin. */
    @Test
    void aCommandTakesItsOptionsFromTheFile() throws IOException {
        String missing = server(write("amo.group=bank")).err();
        assertTrue(missing.contains("--id") && missing.contains("--members") && !missing.contains("--group="), missing);
        String security = server(write("amo.group=bank", "amo.id=a", MEMBERS)).err();
        assertTrue(security.contains("no security chosen"), security);
        String unknown = server(write("amo.group=bank", "amo.idd=a")).err();
        assertTrue(unknown.contains("unknown setting amo.idd") && unknown.contains("nearest is amo.id"), unknown);
        String secret = server(write("amo.group=bank", "amo.id=a", MEMBERS, "amo.secretFile=none"))
                .err();
        assertTrue(secret.contains("--secret-file") && secret.contains(folder + "/none"), secret);
    }

    @Test
    void anOptionComesBeforeTheFile() throws IOException {
        Path file = write("amo.group=bank", "amo.id=a", MEMBERS, "amo.insecure=true", "amo.execute=serial");
        Run run = server(file, "--id", "x");
        assertTrue(run.err().contains("--id 'x' is not in --members"), run.err());
        // Each of these would contradict the switch in the file, if the switch stayed.
        Run chosen = server(file, "--secret-file", folder.resolve("none").toString());
        assertTrue(chosen.err().contains("cannot read --secret-file"), chosen.err());
        // The switch is on in the file and on the command line: it stays on, so that the next mistake is told.
        Run twice = server(file, "--insecure", "--id", "x");
        assertTrue(twice.err().contains("--id 'x' is not in --members"), twice.err());
        Path secret = write("amo.group=bank", "amo.id=x", MEMBERS, "amo.secretFile=none");
        assertTrue(server(secret, "--insecure").err().contains("--id 'x' is not in --members"));
    }

    @Test
    void aDescriptorDoesNotReachAnotherProcess() throws IOException {
        Run run = server(write("amo.group=bank", "amo.id=a", MEMBERS, "amo.secretFile=fd:3"));
        assertEquals(ExitCodes.USER, run.exitCode());
        assertTrue(run.err().contains("does not have this descriptor"), run.err());
    }

    /** With --group the command would ask as a client of a Java service does. */
    @Test
    void theGroupInTheFileDoesNotChangeTheWayThatAStatusIsAskedFor() throws IOException {
        Files.writeString(folder.resolve("secret"), "9f3a9f3a9f3a9f3a9f3a");
        Path file = write("amo.group=bank", MEMBERS, "amo.secretFile=secret");
        HttpServer member = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        member.createContext("/status", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write("{\"id\":\"a\"}".getBytes(StandardCharsets.UTF_8));
            }
        });
        // The question by IIOP holds one, since it is no request of HTTP.
        ExecutorService workers = Executors.newFixedThreadPool(2);
        member.setExecutor(workers);
        member.start();
        try {
            String address = "127.0.0.1:" + member.getAddress().getPort();
            Run run = Run.of("status", address, "--config", file.toString(), "--json", "-");
            assertEquals(ExitCodes.OK, run.exitCode(), run.err());
            assertTrue(run.out().contains("\"a\""), run.out());
        } finally {
            member.stop(0);
            workers.shutdownNow();
        }
    }

    /** In the place of a client: writes the properties that it was given. */
    static final class Client {
        public static void main(String[] args) throws IOException {
            Files.writeString(
                    Path.of(args[0]),
                    System.getProperty("amo.deadlineMillis") + " " + System.getProperty("amo.attemptMillis") + " "
                            + System.getProperty("amo.firstMember") + " " + System.getProperty("amo.sack"));
        }
    }

    @Test
    void aWrappedProgramGetsTheSettingsAndItsOwnPropertiesComeBeforeThem() throws IOException {
        Path file = write("amo.deadlineMillis=20000", "amo.attemptMillis=1500", "amo.firstMember=b", "amo.sack=off");
        Path said = folder.resolve("said");
        Run run = Run.of(
                "wrap",
                "client",
                "--config",
                file.toString(),
                "--sack",
                "on",
                "--",
                "java",
                "-Damo.firstMember=c",
                "-cp",
                System.getProperty("java.class.path"),
                Client.class.getName(),
                said.toString());
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        assertEquals("20000 1500 c on", Files.readString(said));
    }

    @Test
    void theHelpOfACommandNeedsNoSettings() throws IOException {
        Run run = Run.of("wrap", "server", "--config", write("frob=1").toString(), "--help");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
    }

    private Run server(Path file, String... options) {
        return Run.of(Stream.of(
                        List.of("wrap", "server", "--config", file.toString()),
                        List.of(options),
                        List.of("--", "java", "-cp", "none.jar", "Main"))
                .flatMap(List::stream)
                .toArray(String[]::new));
    }

    private Path write(String... lines) throws IOException {
        return Files.write(folder.resolve("amo.properties"), List.of(lines));
    }
}
