package org.amo.examples.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A supervisor starts a member again after exit code 3, and not after 2. An exception out of main would be 1, for ever. */
@Timeout(120)
final class ExitCodesTest {
    private final List<Member> members = FreePorts.members(3);

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void aMistakeIsExitCode2() throws Exception {
        String secret = secret("only for this test\n");
        assertEnds(2, "not a member", "a", "a=127.0.0.1", folder.toString(), secret);
        assertEnds(2, "id(\"z\") is not in members(", "z", Member.format(members), folder.toString(), secret);
        assertEnds(2, "cannot be read", "a", Member.format(members), folder.toString(), secret + ".lost");
        assertEnds(2, "can be guessed", "a", Member.format(members), folder.toString(), secret("short\n"));
    }

    @Test
    void aTakenPortIsExitCode3() throws Exception {
        String secret = secret("only for this test\n");
        int port = members.get(0).orderPort();
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertTrue(taken.isBound());
            assertEnds(3, "port " + port + " is in use", "a", Member.format(members), folder.toString(), secret);
        }
    }

    private String secret(String text) throws IOException {
        return Files.writeString(folder.resolve("secret"), text).toString();
    }

    /** A line says why, in the place of an exception out of main. */
    private void assertEnds(int exitCode, String why, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CounterServer.class.getName()));
        Collections.addAll(command, arguments);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it runs on");
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(exitCode, process.exitValue(), text);
        assertTrue(text.contains(why), text);
        assertFalse(text.contains("Exception in thread"), text);
    }
}
