package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.INV_POLICY;
import org.omg.CORBA.ORB;

/** An unmodified main in a process of its own, started with nothing but properties. */
class ProcessTest {
    @TempDir
    private Path folder;

    @Test
    void anUnmodifiedServerServesAsAMember() throws Exception {
        Process process = start("persistent", Server.properties("process", "a", Server.members(1)));
        try {
            check(process, 1);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void theSameServerRunsWithoutAmo() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("jacorb.implname", "everything");
        properties.setProperty("OAIAddr", "127.0.0.1");
        Process process = start("persistent", properties);
        try {
            check(process, 1);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void theUsersMistakesEndTheProcessWithTwoAndOneLine() throws Exception {
        Properties unsecured = Server.properties("process", "a", Server.members(1));
        unsecured.remove("amo.insecure");
        assertEnds("persistent", unsecured, 2, "--secret-file");
        assertEnds("transient", Server.properties("process", "a", Server.members(1)), 2, "PERSISTENT");
        Properties nameless = Server.properties("process", "a", Server.members(1));
        nameless.remove("jacorb.implname");
        assertEnds("persistent", nameless, 2, "-Djacorb.implname=NAME");
    }

    @Test
    void aFaultOfTheEnvironmentEndsTheProcessWithThreeAndOneLine() throws Exception {
        assertEnds("persistent", Server.properties("broken", "a", Server.members(1)), 3, "port 7801 is taken");
    }

    /** The operation is in the log: a process that ended in it would end again at each start. */
    @Test
    void aTransientObjectOfAnOperationIsRefusedAndTheProcessLives() throws Exception {
        Properties properties = Server.properties("process", "a", Server.members(1));
        properties.setProperty("amo.exitOnFailure", "true");
        Process process = start("sessions", properties);
        ORB client = Server.client(Map.of());
        try {
            Calls calls = calls(process, client);
            assertThrows(INV_POLICY.class, () -> calls.count(0));
            assertEquals(1, calls.count(1));
            assertTrue(errors().contains("PERSISTENT"), errors());
        } finally {
            client.shutdown(true);
            process.destroyForcibly().waitFor();
        }
    }

    private void check(Process process, int expected) throws IOException {
        ORB client = Server.client(Map.of());
        assertEquals(expected, calls(process, client).count(1));
        client.shutdown(true);
    }

    private Calls calls(Process process, ORB client) throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        String reference = out.readLine();
        assertTrue(reference != null && reference.startsWith("IOR:"), () -> errors());
        return CallsHelper.narrow(client.string_to_object(reference));
    }

    private void assertEnds(String kind, Properties properties, int exitCode, String part) throws Exception {
        properties.setProperty("amo.exitOnFailure", "true");
        Process process = start(kind, properties);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(exitCode, process.exitValue(), errors());
        assertTrue(errors().contains(part), errors());
        assertEquals(1, errors().lines().count(), errors());
    }

    private String errors() {
        try {
            return Files.readString(folder.resolve("err"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Process start(String kind, Properties properties) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.add("-Djava.util.logging.config.file=" + System.getProperty("java.util.logging.config.file"));
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(PlainServerMain.class.getName());
        command.add(kind);
        return new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .start();
    }
}
