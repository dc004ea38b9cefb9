package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.amo.core.order.Member;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member with a heap of 64 MB whose IIOP port strangers fill: it lives, and serves those who behave. One member bears all tests. */
class IiopUnderAttackTest {
    private static final byte[] KEY = "everything/calls/one".getBytes(StandardCharsets.US_ASCII);
    private static final int MB = 1 << 20;

    @TempDir
    private static Path folder;

    private static Process process;
    private static Member member;

    private final List<Socket> strangers = new ArrayList<>();
    private GiopSocket honest;

    /** How much the member had said before the test. */
    private int said;

    @BeforeAll
    static void start() throws Exception {
        String members = Server.members(1);
        member = Member.parseList(members).get(0);
        Properties properties = Server.properties("process", "a", members);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.add("-Djava.util.logging.config.file=" + System.getProperty("java.util.logging.config.file"));
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(PlainServerMain.class.getName());
        command.add("persistent");
        process = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        String reference = out.readLine();
        assertTrue(reference != null && reference.startsWith("IOR:"), () -> all());
    }

    @BeforeEach
    void connect() throws Exception {
        said = all().length();
        honest = new GiopSocket(member.host(), member.clientPort());
        honestCall(honest);
    }

    @AfterEach
    void leave() throws Exception {
        for (Socket stranger : strangers) {
            stranger.close();
        }
        honest.close();
    }

    @AfterAll
    static void stop() throws Exception {
        process.destroyForcibly().waitFor();
    }

    @Test
    void headersThatClaimTwelveMegabytes() throws Exception {
        for (int i = 0; i < 500; i++) {
            write(stranger(), header(0, 0, 12 * MB));
            honestCalls(i, 10);
        }
        theHonestAreServed();
    }

    @Test
    void headersThatClaimWhatIsAllowedAndSendAPartOfIt() throws Exception {
        for (int i = 0; i < 800; i++) {
            Socket stranger = stranger();
            write(stranger, header(0, 0, MB));
            write(stranger, new byte[200 << 10]);
            honestCalls(i, 50);
        }
        theHonestAreServed();
    }

    @Test
    void fragmentsThatNeverEnd() throws Exception {
        Socket one = stranger();
        for (int i = 0; i < 200; i++) {
            fragment(one, i == 0, 1, MB - 20);
        }
        honestCall(honest);
        for (int i = 0; i < 100; i++) {
            Socket stranger = stranger();
            for (int id = 0; id < 10; id++) {
                fragment(stranger, true, id, 150 << 10);
            }
            honestCalls(i, 10);
        }
        theHonestAreServed();
    }

    @Test
    void requestsOfEightMegabytes() throws Exception {
        for (int i = 0; i < 40; i++) {
            Socket stranger = stranger();
            write(stranger, header(0, 0, 8 * MB));
            write(stranger, new byte[8 * MB]);
            honestCalls(i, 5);
        }
        theHonestAreServed();
    }

    @Test
    void moreConnectionsThanThePortTakes() throws Exception {
        for (int i = 0; i < 1_200; i++) {
            stranger();
            // A call in time: where too many wait to be accepted, the system tries again a second later.
            honestCalls(i, 10);
        }
        theHonestAreServed();
    }

    private void theHonestAreServed() throws Exception {
        honestCall(honest);
        try (GiopSocket newcomer = new GiopSocket(member.host(), member.clientPort())) {
            honestCall(newcomer);
        }
        assertTrue(process.isAlive(), () -> errors());
        assertTrue(!errors().contains("OutOfMemory"), () -> errors());
        assertTrue(errors().lines().count() <= 20, () -> errors());
    }

    private void honestCalls(int round, int every) throws Exception {
        if (round % every == every - 1) {
            honestCall(honest);
            try (GiopSocket newcomer = new GiopSocket(member.host(), member.clientPort())) {
                honestCall(newcomer);
            }
        }
    }

    private static void honestCall(GiopSocket client) throws IOException {
        assertEquals(0, client.call(2, false, KEY, "count", new byte[4]).status());
    }

    private Socket stranger() throws IOException {
        Socket socket = new Socket(member.host(), member.clientPort());
        strangers.add(socket);
        return socket;
    }

    /** What the member hangs up on is what the test wants. */
    private static void write(Socket socket, byte[] bytes) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            assertTrue(e.getMessage() != null);
        }
    }

    private static void fragment(Socket socket, boolean first, int id, int size) {
        ByteBuffer message = ByteBuffer.allocate(12 + 4 + size);
        message.put(header(2, first ? 0 : 7, 4 + size)).putInt(id);
        write(socket, message.array());
    }

    private static byte[] header(int flags, int type, int size) {
        return ByteBuffer.allocate(12)
                .put(new byte[] {'G', 'I', 'O', 'P', 1, 2, (byte) flags, (byte) type})
                .putInt(size)
                .array();
    }

    /** Of this test. */
    private String errors() {
        return all().substring(said);
    }

    private static String all() {
        try {
            return Files.readString(folder.resolve("err"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
