package org.amo.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaStatus;
import org.amo.interceptors.status.StatusServant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TRANSIENT;

class StatusTest {
    private final AtomicLong position = new AtomicLong(12);
    private volatile String leader = "b";
    private volatile Optional<GroupMembers> members = Optional.empty();

    private ORB orb = ORB.init();
    private int port;

    @TempDir
    private Path folder;

    @BeforeEach
    void startOrb() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Properties properties = new Properties();
        properties.put("jacorb.log.default.verbosity", "0");
        properties.put("jacorb.implname", "bank");
        properties.put("OAIAddr", "127.0.0.1");
        properties.put("OAPort", Integer.toString(port));
        orb = ORB.init(new String[0], properties);
    }

    @AfterEach
    void stopOrb() {
        orb.shutdown(true);
    }

    @Test
    void theJsonHasTheFieldsOfAReplicasStatus() throws IOException {
        StatusServant.install(orb, Answering::new);
        Run run = Run.of("status", "127.0.0.1:" + port, "--json", "-");
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        JsonNode json = new ObjectMapper().readTree(run.out());
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        assertEquals(
                Stream.concat(
                                Arrays.stream(ReplicaStatus.class.getRecordComponents())
                                        .map(RecordComponent::getName),
                                Stream.of("pendingTimers", "uninstrumentedClasses"))
                        .toList(),
                names);
        assertEquals("a", json.path("id").asText());
        assertEquals(Long.MIN_VALUE, json.path("upperMillis").asLong());
        assertEquals(3, json.path("refusals").path("STALE").asLong());
        assertEquals(1, run.out().lines().count());
    }

    @Test
    void eachAnswerIsOfItsMoment() throws IOException {
        StatusServant.install(orb, Answering::new);
        ObjectMapper mapper = new ObjectMapper();
        Path file = folder.resolve("status.json");
        for (long now = 100; now < 103; now++) {
            position.set(now);
            assertEquals(
                    ExitCodes.OK,
                    Run.of("status", "127.0.0.1:" + port, "--json", file.toString())
                            .exitCode());
            assertEquals(
                    now,
                    mapper.readTree(Files.readString(file)).path("position").asLong());
        }
    }

    @Test
    void inWordsItTellsWhatTheContractLists() {
        StatusServant.install(orb, Answering::new);
        Run run = Run.of("status", "127.0.0.1:" + port);
        assertEquals(ExitCodes.OK, run.exitCode(), run.err());
        for (String word : List.of(
                "leader b",
                "style       passive, primary b",
                "TROUBLE     its disk is full; make room",
                "3 damaged places repaired",
                "position    12",
                "level       2, the feature level of the group",
                "orderedTime 1000",
                "upper",
                "entries",
                "bytes",
                "by acknowledgement",
                "by time-out",
                "6 ranges of resolved numbers",
                "took 14 ms to be applied (peak 230)",
                "STALE 3",
                "plain calls 8",
                "FORGED 2",
                "acknowledgements",
                "1 requests",
                "snapshot    of position 1000, 2048 bytes",
                "digest      \"odd\\ \u00e9; of the state at position 1024 00000000000000ff")) {
            assertTrue(run.out().contains(word), word + " is missing in " + run.out());
        }
    }

    @Test
    void aDeadPortIsAFaultOfTheEnvironment() throws IOException {
        int dead;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            dead = socket.getLocalPort();
        }
        Run run = Run.of("status", "127.0.0.1:" + dead);
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode());
        assertTrue(run.isOneLineOfError(), run.err());
    }

    /** The system accepts connections for a process that is stopped. */
    @Test
    void aReplicaThatDoesNotAnswerIsAFaultOfTheEnvironment() throws IOException {
        try (ServerSocket hung = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Run run = Run.of("status", "127.0.0.1:" + hung.getLocalPort());
            assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
            assertTrue(run.isOneLineOfError() && run.err().contains("has not answered"), run.err());
        }
    }

    @Test
    void aMemberThatStillJoinsIsAFaultOfTheEnvironment() {
        StatusServant.install(orb, () -> {
            throw new TRANSIENT("still joining the group", 0, CompletionStatus.COMPLETED_NO);
        });
        Run run = Run.of("status", "127.0.0.1:" + port);
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError() && run.err().contains("still joins its group"), run.err());
    }

    /** The first step of the replacement of a member that hangs, which is still in the list. */
    @Test
    void aChangeOfMembersAsksThoseThatAnswer() throws IOException {
        members = Optional.of(new GroupMembers(0, Member.parseList("b=127.0.0.1:2/" + port)));
        StatusServant.install(orb, Answering::new);
        try (ServerSocket hung = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String given = "h=127.0.0.1:1/" + hung.getLocalPort() + ",b=127.0.0.1:2/" + port;
            Run run = Run.of("member", "remove", "b", "--members", given, "--group", "bank", "--insecure");
            assertTrue(run.err().contains("members never change here"), run.err());
        }
    }

    @Test
    void aChangeThatReachesOnlyAMemberThatHangsIsAFaultOfTheEnvironment() throws IOException {
        try (ServerSocket hung = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String given = "h=127.0.0.1:1/" + hung.getLocalPort();
            Run run = Run.of("member", "remove", "h", "--members", given, "--group", "bank", "--insecure");
            assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
            assertTrue(run.isOneLineOfError() && run.err().contains("has not answered"), run.err());
        }
    }

    @Test
    void aGroupWithoutALeaderIsNotChangedAndTheLineNamesTheRemedy() {
        String only = "a=127.0.0.1:1/" + port;
        leader = "";
        members = Optional.of(new GroupMembers(0, Member.parseList(only)));
        StatusServant.install(orb, Answering::new);
        Run run = Run.of("member", "add", "d=127.0.0.1:2/3", "--members", only, "--group", "bank", "--insecure");
        assertEquals(ExitCodes.ENVIRONMENT, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.err());
        assertTrue(run.err().contains("no member leads the group; start a majority"), run.err());
    }

    @Test
    void anOrbWithoutAReplicaIsTheUsersMistake() throws Exception {
        // Resolving it opens the port.
        orb.resolve_initial_references("RootPOA");
        assertNoReplica(port);
    }

    @Test
    void aPortThatSpeaksSomethingElseIsTheUsersMistake() throws Exception {
        for (String answer : List.of(
                "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH", "", "GIOP\1\2\0\1\0\0\377\377", "GIOP\1\2\0\6\0\0\0\0")) {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Thread thread = new Thread(() -> answer(server, answer), "amo-test-peer");
                thread.setDaemon(true);
                thread.start();
                assertNoReplica(server.getLocalPort());
                thread.join();
            }
        }
    }

    private static void assertNoReplica(int port) {
        Run run = Run.of("status", "127.0.0.1:" + port);
        assertEquals(ExitCodes.USER, run.exitCode(), run.err());
        assertTrue(run.isOneLineOfError(), run.err());
        assertTrue(run.err().contains("is no replica of amo"), run.err());
    }

    private static void answer(ServerSocket server, String text) {
        try (Socket socket = server.accept();
                InputStream input = socket.getInputStream()) {
            assertTrue(input.read() >= 0);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private final class Answering extends WithoutClients {
        @Override
        public ReplicaStatus status() {
            return StatusTest.this.status();
        }

        @Override
        public Optional<GroupMembers> members() {
            return members;
        }
    }

    private ReplicaStatus status() {
        return new ReplicaStatus(
                "a",
                leader,
                position.get(),
                11,
                10,
                1_000,
                Long.MIN_VALUE,
                5,
                4,
                9,
                400,
                900,
                70,
                80,
                60,
                2,
                6,
                1,
                Map.of("STALE", 3L, "EXPIRED", 0L),
                Map.of(),
                8,
                Map.of("TAKEN", 12L, "FORGED", 2L),
                Map.of("total", 20L, "ticks", 1L),
                5_000,
                50,
                0,
                14,
                230,
                1,
                1_500,
                "\"odd\\ \u00e9",
                "1024@00000000000000ff",
                "its disk is full; make room",
                3,
                0,
                0,
                0,
                0,
                "",
                "passive",
                "b",
                2,
                Map.of("accepted", 2L, "changes", 1L, "refused", 0L),
                Map.of("position", 1_000L, "bytes", 2_048L, "takeMicros", 1_500L, "writeMicros", 20_000L, "taken", 3L));
    }
}
