package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.Member;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.replication.ChildJvm;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Clients that call once and never come back, in processes with a small heap. */
@Execution(ExecutionMode.CONCURRENT)
class ManyClientsTest {
    @TempDir
    Path folder;

    @Test
    void sixtyThousandClientsOfAKilobyteEachFitInAHeapOf40Megabytes() throws Exception {
        clients(40, 60_000);
    }

    @Test
    @Tag("slow")
    void aMillionClientsOfAKilobyteEachFitInAHeapOf64Megabytes() throws Exception {
        clients(64, 1_000_000);
    }

    @Test
    void aThousandConnectionsComeAndGoInAHeapOf64Megabytes() throws Exception {
        connections(1_000);
    }

    @Test
    @Tag("slow")
    void aHundredThousandConnectionsComeAndGoInAHeapOf64Megabytes() throws Exception {
        connections(100_000);
    }

    private void clients(int heapMegabytes, int clients) throws Exception {
        Process process = start(heapMegabytes, "replica", folder.toString(), Integer.toString(clients));
        try (BufferedReader out = reader(process)) {
            List<String> said = out.lines().toList();
            said.forEach(System.out::println);
            assertEquals(0, process.waitFor(), said::toString);
            assertTrue(said.get(said.size() - 1).startsWith(clients + " clients"), said::toString);
        } finally {
            process.destroyForcibly();
        }
    }

    private void connections(int count) throws Exception {
        List<Member> members = FreePorts.members(1);
        Process process = start(
                64,
                "member",
                folder.toString(),
                Member.format(members),
                members.get(0).id());
        try (BufferedReader out = reader(process)) {
            String line = out.readLine();
            while (line != null && !line.equals("ready")) {
                line = out.readLine();
            }
            for (int client = 1; client <= count; client++) {
                call(members.get(0), client);
            }
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            String status = Optional.ofNullable(out.readLine()).orElse("the member has ended");
            System.out.println(count + " connections: " + status);
            assertTrue(status.startsWith(count + " clients") && status.contains("executed " + count + ","), status);
            process.getOutputStream().close();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        } finally {
            process.destroyForcibly();
        }
    }

    /** A connection with one call of a client of its own, in the bytes of docs/wire/rpc.md. */
    private static void call(Member member, int client) throws IOException {
        try (Socket socket = new Socket(member.host(), member.clientPort())) {
            socket.setSoTimeout(30_000);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            WireWriter hello = new WireWriter(64);
            hello.u8(1);
            hello.text("churn");
            hello.raw(new byte[16], 0, 16);
            hello.blob(new byte[0]);
            socket.getOutputStream().write(framed(new byte[] {'A', 'M', 'O', 'R', 4}, hello.toBytes()));
            assertEquals("AMOR\4", new String(in.readNBytes(5), StandardCharsets.US_ASCII));
            assertEquals(2, in.readNBytes(in.readInt())[0], "WELCOME");
            byte[] state = in.readNBytes(in.readInt());
            assertEquals(7, state[0], "STATE");
            // A group that has just started refuses timestamps of its first two seconds.
            long upper = ByteBuffer.wrap(state).getLong(state.length - Long.BYTES);
            // They acknowledge nothing, so that short deadlines keep them below the share of their address.
            long timestamp = Math.max(upper + 1, System.currentTimeMillis());
            byte[] context = new RequestContext(
                            new ClientId(5, client),
                            Optional.of(new RequestContext.Call(1, timestamp, timestamp + 3_000)),
                            FinishedNumbers.NONE)
                    .encode();
            WireWriter request = new WireWriter(128);
            request.u8(4);
            request.varint(1);
            request.u8(0);
            request.blob(context);
            request.raw(new byte[8], 0, 8);
            socket.getOutputStream().write(framed(new byte[0], request.toBytes()));
            byte[] answer = in.readNBytes(in.readInt());
            while (answer[0] == 7) {
                answer = in.readNBytes(in.readInt());
            }
            assertEquals(6, answer[0], "ANSWER");
            assertEquals(0, answer[2], "a reply");
        }
    }

    private static byte[] framed(byte[] before, byte[] frame) {
        WireWriter writer = new WireWriter(before.length + 4 + frame.length);
        writer.raw(before, 0, before.length);
        writer.i32(frame.length);
        writer.raw(frame, 0, frame.length);
        return writer.toBytes();
    }

    private static Process start(int heapMegabytes, String... arguments) throws IOException {
        List<String> options = new ArrayList<>(List.of("-Xmx" + heapMegabytes + "m", "-XX:+ExitOnOutOfMemoryError"));
        options.addAll(ReplyStores.jvmOptions());
        List<String> command = ChildJvm.words(options);
        command.add(ManyClients.class.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
