package org.amo.lab.blackbox;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.cli.Amo;
import org.amo.cli.wrap.AmoClassPath;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;

/** Servers that are started by more than a java command, under wrap as users write it. */
@Timeout(180)
final class StartScriptTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String JAVA = BankCluster.quickJava().get(0);

    /** Options of {@link BankCluster#quickJava}, in a script. */
    private static final String QUICK = " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=128m";

    private static final String SECRET = "5e".repeat(32);
    private static final Path PROCESSES = Path.of("/proc");

    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();
    private final Member member = FreePorts.members(1).get(0);

    /** A program of the script that is no server: tells whether amo reached it. */
    public static final class Helper {
        private Helper() {}

        public static void main(String[] args) throws IOException {
            Files.writeString(Path.of(args[0]), "group " + System.getProperty("amo.group"));
        }
    }

    @AfterEach
    void endAll() throws Exception {
        for (Process process : processes) {
            List<ProcessHandle> started = process.descendants().toList();
            process.destroy();
            process.waitFor(40, TimeUnit.SECONDS);
            // The signal reaches the server behind the script, too.
            for (ProcessHandle child : started) {
                assertFalse(child.isAlive(), () -> "process " + child.pid() + " is left");
            }
            process.destroyForcibly();
        }
    }

    private String classPath() {
        return String.join(
                File.pathSeparator,
                BankCluster.location(ProbeServer.class),
                BankCluster.location(org.jacorb.orb.ORB.class),
                BankCluster.location(org.omg.CORBA.ORB.class),
                BankCluster.location(org.slf4j.Logger.class));
    }

    private Path ior() {
        return folder.resolve("ior");
    }

    private Process wrap(Map<String, String> environment, String... command) throws IOException {
        List<String> words = new ArrayList<>(BankCluster.quickJava());
        words.addAll(List.of("-cp", String.join(File.pathSeparator, AmoClassPath.all()), Amo.class.getName()));
        words.addAll(List.of("wrap", "server", "--group", "script", "--id", member.id()));
        words.addAll(List.of(
                "--secret-file",
                Files.writeString(folder.resolve("secret"), SECRET).toString(),
                "--members",
                Member.format(List.of(member)),
                "--data",
                folder.resolve("d").toString()));
        words.add("--");
        words.addAll(Arrays.asList(command));
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private String said() {
        try {
            return Files.readString(folder.resolve("said"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The server is a member: it answers for its status, which a plain one would not. */
    private void assertIsMember(Process wrapped) {
        Awaitility.await("the member serves").atMost(PATIENCE).until(() -> {
            assertTrue(wrapped.isAlive(), this::said);
            Optional<Status> status = Files.exists(ior()) ? Status.ask(member) : Optional.empty();
            return status.filter(told -> !told.text("leader").isEmpty()).isPresent();
        });
        assertSecretIsNotShown(wrapped);
    }

    /** Command lines, environments, output and status are read by more than those who may read the secret's file. */
    private void assertSecretIsNotShown(Process wrapped) {
        List<String> shown = new ArrayList<>(
                List.of(said(), Status.ask(member).map(Status::json).toString()));
        shown.add(shown(wrapped.toHandle()));
        wrapped.descendants().forEach(each -> shown.add(shown(each)));
        for (String text : shown) {
            assertFalse(text.contains(SECRET), text);
        }
        if (Files.exists(PROCESSES)) {
            assertTrue(shown.get(2).contains("--secret-file"), shown.get(2));
        }
    }

    /** Arguments and environment; nothing where the system does not tell them. */
    private static String shown(ProcessHandle process) {
        Path of = PROCESSES.resolve(Long.toString(process.pid()));
        try {
            return Files.readString(of.resolve("cmdline"), ISO_8859_1)
                    + Files.readString(of.resolve("environ"), ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private Path script(String... lines) throws IOException {
        Path script = folder.resolve("start.sh");
        Files.write(script, Arrays.asList(lines));
        assertTrue(script.toFile().setExecutable(true));
        return script;
    }

    @Test
    void aScriptBehindEnvThatStartsOtherProgramsBeforeAServerWithLibrariesOfOtherVersionsThanAmos() throws Exception {
        Path other = folder.resolve("helper");
        Path script = script(
                "#!/bin/sh",
                JAVA + QUICK + " -version 2> /dev/null",
                JAVA + QUICK + " -cp " + BankCluster.location(Helper.class) + " '" + Helper.class.getName() + "' "
                        + other,
                JAVA + QUICK + " -Xmx160m -Dlogback.configurationFile=" + OtherLibrariesTest.logback(folder) + " -cp "
                        + OtherLibrariesTest.classPath() + " '" + OtherLibraries.Server.class.getName() + "' " + ior(),
                "echo the server has ended");
        assertIsMember(wrap(Map.of(), "env", "X=1", script.toString()));
        assertEquals("group null", Files.readString(other), "a program that is no server was caught");
        try (Orb orb = Orb.client()) {
            Request request = orb.object(Files.readString(ior()))._request("note");
            request.add_in_arg().insert_string("hi");
            request.set_return_type(ORB.init().get_primitive_tc(TCKind.tk_string));
            request.invoke();
            assertEquals(
                    OtherLibrariesTest.reply("script", "6869"),
                    request.return_value().extract_string(),
                    this::said);
        }
        assertFalse(said().contains("SLF4J"), this::said);
    }

    @Test
    void aClassPathInJdkJavaOptions() throws Exception {
        assertIsMember(wrap(
                Map.of("JDK_JAVA_OPTIONS", "-cp " + classPath() + QUICK),
                JAVA,
                ProbeServer.class.getName(),
                ior().toString()));
    }

    @Test
    void aPropertyThatContradictsTheOptionsIsRefusedInOneLine() throws Exception {
        Process wrapped = wrap(
                Map.of(), "env", JAVA, "-DOAPort=1", "-cp", classPath(), ProbeServer.class.getName(), ior().toString());
        assertTrue(wrapped.waitFor(60, TimeUnit.SECONDS));
        assertEquals(2, wrapped.exitValue(), this::said);
        assertTrue(said().contains("-DOAPort=1 contradicts the options of amo wrap server"), this::said);
    }

    @Test
    void aCommandWithoutAServerIsToldApart() throws Exception {
        Process wrapped = wrap(Map.of(), "sh", "-c", "exit 7");
        assertTrue(wrapped.waitFor(60, TimeUnit.SECONDS));
        assertEquals(7, wrapped.exitValue(), this::said);
        assertTrue(said().contains("amo: no virtual machine of 'sh' used CORBA"), this::said);
    }

    /** Such a server, behind a script that hides the agent from it, may serve for months. */
    @Test
    @Tag("slow")
    void aCommandThatRunsOnWithoutAServerIsToldApart() throws Exception {
        Process wrapped = wrap(Map.of(), "sh", "-c", "exec sleep 150");
        Awaitility.await("a warning").atMost(PATIENCE.multipliedBy(2)).until(() -> {
            assertTrue(wrapped.isAlive(), this::said);
            return said().contains("amo: after 60 s no virtual machine of 'sh' has used CORBA");
        });
    }
}
