package org.amo.replication.rpc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.base.DaemonThreads;
import org.amo.core.request.Answer;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A client of a member that greets and then reads nothing, as one that is stopped. */
@Timeout(60)
@Isolated("it measures the memory of all buffers")
final class DeafMemberTest {
    private static final int MB = 1 << 20;
    private static final int ROUNDS = 12;

    @Test
    void aConnectionWhoseBytesNobodyTakesEnds() throws Exception {
        try (DeafMember member = new DeafMember();
                AmoClient client = client(member).build()) {
            long began = System.nanoTime();
            calls(client, 16, Duration.ofSeconds(50));
            // The calls go on over another connection.
            await().atMost(Duration.ofSeconds(25)).until(() -> member.accepted.size() == 2);
            long lasted = System.nanoTime() - began;
            assertTrue(lasted >= Duration.ofSeconds(10).toNanos(), () -> "it ended after " + lasted + " ns");
        }
    }

    @Test
    void bytesOfCallsThatAreOverDoNotPileUp() throws Exception {
        try (DeafMember member = new DeafMember();
                AmoClient client = client(member).maxMegabytes(4).maxCalls(64).build()) {
            long before = memory();
            long most = 0;
            long began = System.nanoTime();
            for (int round = 0; round < ROUNDS; round++) {
                List<CompletableFuture<Boolean>> failed = calls(client, 3, Duration.ofMillis(50));
                most = Math.max(most, memory() - before);
                for (CompletableFuture<Boolean> each : failed) {
                    assertTrue(each.get());
                }
            }
            System.out.println("deaf member: " + most + " bytes at most, " + member.accepted.size() + " connections, "
                    + Duration.ofNanos(System.nanoTime() - began));
            assertTrue(member.accepted.size() > 1, "all calls left over one connection");
            assertTrue(most < 20 * MB, most + " bytes waited");
        }
    }

    private static AmoClient.Builder client(DeafMember member) {
        return AmoClient.builder("group")
                .members("a=127.0.0.1:1/" + member.listening.getLocalPort())
                .insecure();
    }

    /** Each ends with whether its call has failed. */
    private static List<CompletableFuture<Boolean>> calls(AmoClient client, int count, Duration deadline) {
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(client.callAsync(new byte[MB], deadline)
                    .handle((reply, why) -> why instanceof AmoException)
                    .toCompletableFuture());
        }
        return calls;
    }

    private static long memory() {
        ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    private static final class DeafMember implements AutoCloseable {
        final ServerSocket listening = new ServerSocket();
        final List<Socket> accepted = new CopyOnWriteArrayList<>();

        DeafMember() throws IOException {
            listening.setReceiveBufferSize(8_192);
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            DaemonThreads.start("amo-test-deaf-member", this::accept);
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = listening.accept();
                    greet(socket);
                    accepted.add(socket);
                }
            } catch (IOException e) {
                // The test is over.
            }
        }

        private static void greet(Socket socket) throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.skipNBytes(RpcFrames.PREAMBLE.length);
            in.skipNBytes(in.readInt());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.write(RpcFrames.PREAMBLE);
            frame(out, RpcFrames.welcome(new RpcFrames.Welcome(new byte[RpcFrames.SALT_BYTES], new byte[0])));
            frame(out, RpcFrames.state(new RpcFrames.State("a", Answer.NO_BOUND)));
        }

        private static void frame(DataOutputStream out, byte[] frame) throws IOException {
            out.writeInt(frame.length);
            out.write(frame);
        }

        @Override
        public void close() throws IOException {
            listening.close();
            for (Socket each : accepted) {
                each.close();
            }
        }
    }
}
