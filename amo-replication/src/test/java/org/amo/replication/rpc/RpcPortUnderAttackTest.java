package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.ChildJvm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The port for Java clients of a member with a heap of 64 MB: strangers fill it, honest clients are served. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class RpcPortUnderAttackTest {
    private static final int MB = 1 << 20;
    private static final ClientId CLIENT = new ClientId(1, 2);

    @TempDir
    private Path folder = Path.of("unset");

    private final List<Socket> strangers = new ArrayList<>();
    private Process process;
    private int port;
    private long copies;
    private Socket honest;

    @BeforeEach
    void start() throws IOException {
        List<String> words = ChildJvm.words(List.of("-Xmx64m"));
        words.add(RpcMemberMain.class.getName());
        process = new ProcessBuilder(words)
                .redirectError(folder.resolve("err").toFile())
                .start();
        port = Integer.parseInt(
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
                        .readLine());
        honest = greeted();
        call(honest);
    }

    @AfterEach
    void stop() throws Exception {
        for (Socket stranger : strangers) {
            stranger.close();
        }
        process.destroyForcibly().waitFor();
    }

    @Test
    void framesThatAreNeverWhole() throws Exception {
        for (int i = 0; i < 150; i++) {
            Socket stranger = greeted();
            write(stranger, ByteBuffer.allocate(4).putInt(3 * MB).array());
            write(stranger, new byte[i % 10 == 0 ? MB : 200_000]);
            if (i % 10 == 9) {
                honestCalls();
            }
        }
        theHonestAreServed();
    }

    @Test
    void claimsBeyondTheLimitEndTheConnection() throws Exception {
        for (int i = 0; i < 100; i++) {
            Socket stranger = greeted();
            write(stranger, ByteBuffer.allocate(4).putInt(60 * MB).array());
            String told = new String(stranger.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertTrue(told.contains("is not between 1 and"), told);
        }
        theHonestAreServed();
    }

    @Test
    void aFrameThatComesTooSlowlyEndsTheConnection() throws Exception {
        Socket slow = greeted();
        write(slow, ByteBuffer.allocate(4).putInt(100).array());
        write(slow, new byte[50]);
        String told = new String(slow.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertTrue(told.contains("does not come, or too slowly"), told);
        theHonestAreServed();
    }

    private void honestCalls() throws IOException {
        call(honest);
        try (Socket newcomer = greeted()) {
            call(newcomer);
        }
    }

    private void theHonestAreServed() throws IOException {
        honestCalls();
        assertTrue(process.isAlive());
        String errors = Files.readString(folder.resolve("err"));
        assertFalse(errors.contains("OutOf"), errors);
        assertTrue(errors.lines().count() < 220, errors);
    }

    private void call(Socket socket) throws IOException {
        Attempt copy =
                new Attempt(++copies, RequestId.own(CLIENT, copies), 1, 2, false, FinishedNumbers.NONE, new byte[16]);
        frame(socket, RpcFrames.request(CLIENT, copy));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = in.readNBytes(in.readInt());
        while (RpcFrames.kind(answer) == RpcFrames.STATE) {
            answer = in.readNBytes(in.readInt());
        }
        assertEquals(copies, RpcFrames.readAnswer(answer).copy());
    }

    private Socket greeted() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        strangers.add(socket);
        write(socket, RpcFrames.PREAMBLE);
        frame(socket, RpcFrames.hello(new RpcFrames.Hello("group", new byte[RpcFrames.SALT_BYTES], new byte[0])));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(RpcFrames.PREAMBLE.length);
        assertEquals(RpcFrames.WELCOME, RpcFrames.kind(in.readNBytes(in.readInt())));
        return socket;
    }

    private static void frame(Socket socket, byte[] frame) {
        write(
                socket,
                ByteBuffer.allocate(4 + frame.length)
                        .putInt(frame.length)
                        .put(frame)
                        .array());
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            // The member has hung up, as it should.
            assertTrue(Optional.ofNullable(e.getMessage()).isPresent());
        }
    }
}
