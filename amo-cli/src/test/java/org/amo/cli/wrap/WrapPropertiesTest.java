package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.SecretRing;
import org.amo.cli.Amo;
import org.amo.cli.CliException;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.wrap.ServerAgent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrapPropertiesTest {
    private static final String MEMBERS = "a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802,c=127.0.0.1:7803/9803";

    @Test
    void whatWrapServerSetsIsWhatAReplicaReads() {
        Map<String, String> properties = server().apply(program()).properties();
        ReplicaSettings settings = ReplicaSettings.fromProperties(properties::get, Optional.of(SecretRing.of("key")));
        assertEquals("bank", settings.group());
        assertEquals("b", settings.id());
        assertEquals(MEMBERS, Member.format(settings.members()));
        assertEquals(Order.SEQUENCER, settings.order());
        assertEquals(Log.FILE, settings.log());
        assertEquals(Path.of("data").toAbsolutePath(), settings.data());
        assertEquals(1 << 20, settings.parameters().budgetBytes());
        assertEquals(Optional.of(Path.of("h.jsonl").toAbsolutePath()), settings.history());
    }

    @Test
    void aServerListensWhereItsMemberSays() {
        Map<String, String> properties = server().apply(program()).properties();
        assertEquals("9802", properties.get("OAPort"));
        assertEquals("127.0.0.1", properties.get("OAIAddr"));
        assertEquals("bank", properties.get("jacorb.implname"));
        assertEquals("on", properties.get("jacorb.orb_initializer.fail_on_error"));
        assertTrue(properties.containsKey(
                "org.omg.PortableInterceptor.ORBInitializerClass.org.amo.wrap.ServerInitializer"));
        assertEquals(Path.of("secret").toAbsolutePath().toString(), properties.get("amo.secretFile"));
        assertFalse(properties.containsKey("amo.insecure"));
    }

    @Test
    void aServerEndsWhenItsMemoryDoesUnlessTheUserSaidOtherwise() {
        assertTrue(server().apply(program()).options().contains("-XX:+ExitOnOutOfMemoryError"));
        List<String> own =
                server().apply(program("-XX:+CrashOnOutOfMemoryError")).options();
        assertFalse(own.contains("-XX:+ExitOnOutOfMemoryError"), own.toString());
    }

    @Test
    void aServerWhoseMemoryEndsLeavesAFileForItsNextProcess() {
        Path file =
                Path.of("data").toAbsolutePath().resolve("bank").resolve("b").resolve("out-of-memory");
        assertEquals(
                List.of("-XX:+ExitOnOutOfMemoryError", "-XX:OnOutOfMemoryError=:>" + file),
                aboutMemory(server().tellingOfMemory(server().apply(program()), program())));
        String own = "-XX:-ExitOnOutOfMemoryError";
        assertEquals(List.of(own), aboutMemory(server().tellingOfMemory(server().apply(program(own)), program(own))));
    }

    /** Each virtual machine of the script would run the command. */
    @Test
    void aStartScriptLeavesNoFileWhenItsMemoryEnds() {
        assertEquals(List.of("-XX:+ExitOnOutOfMemoryError"), aboutMemory(server().apply(AgentLaunch.unknown())));
    }

    /** Compiled code throws them without a message otherwise, at each member from another moment on. */
    @Test
    void implicitExceptionsOfAServerHaveTheirMessageUnlessTheUserSaidOtherwise() {
        assertTrue(server().apply(program()).options().contains("-XX:-OmitStackTraceInFastThrow"));
        List<String> own =
                server().apply(program("-XX:+OmitStackTraceInFastThrow")).options();
        assertFalse(own.contains("-XX:-OmitStackTraceInFastThrow"), own.toString());
    }

    @Test
    void theSecondCompilerOfAServerBeginsLateUnlessTheUserTunedIt() {
        assertTrue(server().apply(program()).options().containsAll(ServerWrap.LATE_COMPILER));
        List<String> own =
                server().apply(program("-XX:Tier4CompileThreshold=15000")).options();
        assertEquals(
                List.of("-XX:Tier4CompileThreshold=15000"),
                own.stream().filter(option -> option.contains("Tier4")).toList());
    }

    /** The later one of two options counts. */
    @Test
    void aStartScriptGetsTheOptionsInFrontOfThoseOfTheUser() {
        JavaCommandLine wrapped = server().apply(AgentLaunch.unknown());
        String added = "-XX:+ExitOnOutOfMemoryError -XX:-OmitStackTraceInFastThrow "
                + String.join(" ", ServerWrap.LATE_COMPILER);
        assertEquals(
                added + " -XX:+OmitStackTraceInFastThrow \"-javaagent:a b.jar\"",
                AgentLaunch.options(wrapped, Optional.of("-XX:+OmitStackTraceInFastThrow"), "-javaagent:a b.jar"));
        assertEquals(added + " -javaagent:a.jar", AgentLaunch.options(wrapped, Optional.empty(), "-javaagent:a.jar"));
    }

    /** As of the folder of a user called O'Brien. */
    @Test
    void aVirtualMachineReadsAnyOptionOfTheVariableAsItWas() throws Exception {
        isReadAsItWas("/home/o'brien");
        isReadAsItWas("/home/o'brien/the \"bank\" '");
    }

    private static void isReadAsItWas(String value) throws Exception {
        ProcessBuilder java = new ProcessBuilder(
                AmoClassPath.java("-XshowSettings:properties", "-XX:TieredStopAtLevel=1", "-version"));
        java.environment()
                .put(
                        "JAVA_TOOL_OPTIONS",
                        AgentLaunch.options(AgentLaunch.unknown(), Optional.of("-Down=1"), "-Dpath=" + value));
        Process process = java.redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
        assertTrue(out.contains(" own = 1\n") && out.contains(" path = " + value + "\n"), out);
        assertEquals(0, process.waitFor());
    }

    @Test
    void aFolderInWhichNoMachineFindsAnAgentIsRefused(@TempDir Path folder) {
        String why = assertThrows(
                        CliException.class, () -> AgentJars.write(folder.resolve("zone=a"), ServerAgent.class))
                .getMessage();
        assertTrue(why.contains("zone=a") && why.contains("'='"), why);
    }

    @Test
    void theAgentOfAServiceComesWithTheSameOption(@TempDir Path folder) {
        StringWriter out = new StringWriter();
        assertEquals(
                0,
                Amo.commandLine()
                        .setOut(new PrintWriter(out))
                        .execute("agent", "--out", folder.resolve("the agent").toString()));
        List<String> options = out.toString().lines().toList();
        assertEquals("-XX:-OmitStackTraceInFastThrow", options.get(0));
        assertTrue(options.get(1).startsWith("-javaagent:" + folder.resolve("the agent")), options.toString());
        assertEquals(2, options.size());
    }

    private static List<String> aboutMemory(JavaCommandLine line) {
        return line.options().stream()
                .filter(option -> option.contains("OnOutOfMemoryError"))
                .toList();
    }

    @Test
    void aServerWithCertificatesIsNotInsecure() {
        Map<String, String> tls = Map.of("amo.tls.keyStore", "/keys/a.p12");
        Map<String, String> properties = new ServerWrap(
                        "bank",
                        "b",
                        Member.parseList(MEMBERS),
                        Path.of("data"),
                        Order.RAFT,
                        Log.FSYNC,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        tls)
                .withHistory(Path.of("h.jsonl"))
                .apply(program())
                .properties();
        assertEquals("/keys/a.p12", properties.get("amo.tls.keyStore"));
        assertFalse(properties.containsKey("amo.insecure"));
    }

    @Test
    void aClientGetsItsInterceptorAndDefaults() {
        ClientWrap wrap = new ClientWrap(
                List.of(), Optional.of(10_000L), false, Optional.of(Path.of("h.jsonl")), Optional.of("c1"));
        Map<String, String> properties = wrap.apply(program()).properties();
        assertTrue(properties.containsKey(
                "org.omg.PortableInterceptor.ORBInitializerClass.org.amo.wrap.ClientInitializer"));
        assertEquals("10000", properties.get("amo.deadlineMillis"));
        assertEquals("off", properties.get("amo.sack"));
        assertEquals("c1", properties.get("amo.clientName"));
        assertEquals("0", properties.get("jacorb.retries"));
        assertFalse(
                properties.containsKey("jacorb.connection.client.pending_reply_timeout"),
                "it would end slow calls to servers that are not replicated, too");
        assertEquals("3000", properties.get("jacorb.connection.client.connect_timeout"));
        assertFalse(properties.containsKey("amo.members"));
        assertFalse(properties.containsKey("amo.firstCall"));
        Map<String, String> byDatagram = new ClientWrap(
                        List.of(),
                        Optional.empty(),
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Path.of("secret")))
                .apply(program())
                .properties();
        assertEquals("udp", byDatagram.get("amo.firstCall"));
        assertEquals(Path.of("secret").toAbsolutePath().toString(), byDatagram.get("amo.secretFile"));
    }

    @Test
    void theUsersOwnValueOfADefaultWins() {
        JavaCommandLine wrapped = server().apply(program("-Djacorb.poa.thread_pool_max=8", "-Djacorb.implname=branch"));
        assertEquals("8", wrapped.properties().get("jacorb.poa.thread_pool_max"));
        assertEquals("branch", wrapped.properties().get("jacorb.implname"));
        assertEquals(
                1,
                wrapped.options().stream()
                        .filter(option -> option.startsWith("-Djacorb.implname="))
                        .count());
    }

    @Test
    void aContradictionIsTheUsersMistakeAndAgreementIsNone() {
        CliException e = assertThrows(CliException.class, () -> server().apply(program("-DOAPort=1234")));
        assertEquals(
                "the program's -DOAPort=1234 contradicts --members, which needs 9802; remove it, or change --members",
                e.getMessage());
        assertEquals(
                "9802", server().apply(program("-DOAPort=9802")).properties().get("OAPort"));
    }

    @Test
    void amosClassPathStandsBehindTheUsersAndHoldsNothingOfTheCommandLine() {
        String path = server().apply(program()).classPath();
        assertTrue(path.startsWith("app.jar" + java.io.File.pathSeparator), path);
        assertTrue(path.contains("amo-wrap") && path.contains("jacorb"), path);
        for (String other :
                List.of("amo-core", "amo-interceptors", "netty", "jgroups", "picocli", "jackson", "amo-cli")) {
            assertFalse(path.contains(other), path);
        }
    }

    @Test
    void anIdThatIsNoMemberIsTheUsersMistake() {
        CliException e = assertThrows(CliException.class, () -> server("x"));
        assertEquals("--id 'x' is not in --members; write one of a, b, c, or add it to --members", e.getMessage());
    }

    private static JavaCommandLine program(String... options) {
        List<String> words = new java.util.ArrayList<>(List.of("java", "-cp", "app.jar"));
        words.addAll(List.of(options));
        words.add("Main");
        return JavaCommandLine.parse(words, Optional.empty());
    }

    private static ServerWrap server() {
        return server("b");
    }

    private static ServerWrap server(String id) {
        return new ServerWrap(
                "bank",
                id,
                Member.parseList(MEMBERS),
                Path.of("data"),
                Order.SEQUENCER,
                Log.FILE,
                Optional.of(1L << 20),
                Optional.of(Path.of("secret")),
                Optional.of(Path.of("h.jsonl")));
    }
}
