package org.amo.scmp.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.scmp.Call;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.RpcDatagrams;
import org.amo.scmp.RpcServer;
import org.amo.scmp.RpcServerOptions;
import org.amo.scmp.ScmpOptions;
import org.amo.scmp.StartModes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServerLoopTest {
    private static final int REPLY = 60_000;
    private static final int CALLS = 100;
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
    private static final ConnectionId CONNECTION = new ConnectionId(1, 2, 3);

    private final AtomicInteger threadsRefused = new AtomicInteger();
    private final ExecutorService workers = Executors.newFixedThreadPool(1, task -> {
        if (threadsRefused.getAndIncrement() == 0) {
            throw new OutOfMemoryError("planted");
        }
        return new Thread(task);
    });
    private final Socket socket = new Socket();
    private final Clocks clock = new Clocks(Clocks::systemWallMicros, Long.MIN_VALUE);
    private final ServerSeals unsealed = ServerSeals.of(Optional.empty());

    private StoreThread store;
    private ServerLoop loop;
    private EmbeddedChannel channel;

    /** Takes datagrams, or does not. */
    private static final class Socket extends ChannelOutboundHandlerAdapter {
        private boolean takes = true;

        @Override
        public void flush(ChannelHandlerContext context) {
            if (takes) {
                context.flush();
            }
        }
    }

    @BeforeEach
    void begin() throws Exception {
        store = StoreThread.open(Optional.empty());
        ScmpServerOptions options = ScmpServerOptions.builder(CLIENT)
                .inlineService(1, (connection, body) -> new byte[REPLY])
                .service(2, (connection, body) -> new byte[1])
                .insecure()
                .build();
        ScmpOptions scmp = ScmpOptions.defaults();
        RpcServerOptions core =
                RpcServerOptions.builder().scmp(scmp).services(Set.of(1, 2)).build();
        loop = new ServerLoop(options, unsealed, clock, workers, store);
        loop.core(new RpcServer(core, StartModes.of(scmp).volatileFirstCreation(clock.micros()), loop));
        channel = new EmbeddedChannel(socket, loop);
    }

    @AfterEach
    void end() {
        channel.outboundMessages().forEach(ReferenceCountUtil::release);
        channel.close().syncUninterruptibly();
        store.close();
        workers.shutdown();
    }

    private void call(long timestamp) {
        call(timestamp, 1);
    }

    private void call(long timestamp, int service) {
        ByteBuffer out = ByteBuffer.allocate(RpcDatagrams.MAX_DATAGRAM);
        RpcDatagrams.call(out, new Call(CONNECTION, timestamp, service, new byte[0]), REPLY);
        ByteBuf content = Unpooled.directBuffer().writeBytes(out.flip());
        ChannelFuture unused = channel.writeOneInbound(new DatagramPacket(content, CLIENT, CLIENT));
    }

    /** A client that repeats its call must not fill the memory with replies, and one that waits gets its reply later. */
    @Test
    void answersThatTheSocketDoesNotTakeAreLostAndAskedForAgain() {
        long timestamp = clock.micros();
        socket.takes = false;
        for (int i = 0; i < CALLS; i++) {
            call(timestamp);
        }
        channel.flushInbound();
        long pending = channel.unsafe().outboundBuffer().totalPendingWriteBytes();
        assertTrue(pending < 3 * REPLY, "bytes that wait: " + pending);
        assertTrue(
                loop.dropped().sum() >= CALLS - 3, "dropped: " + loop.dropped().sum());
        assertEquals(1, loop.counters().accepted());
        socket.takes = true;
        channel.flush();
        channel.outboundMessages().forEach(ReferenceCountUtil::release);
        channel.outboundMessages().clear();
        call(timestamp);
        channel.flushInbound();
        assertEquals(1, channel.outboundMessages().size(), "the reply, for the next attempt");
        assertEquals(1, loop.counters().accepted());
    }

    /** The system refuses a thread: the call ends, and its room and that of its reply come back. */
    @Test
    void aCallWithoutAThreadEnds() {
        long timestamp = clock.micros();
        call(timestamp, 2);
        channel.flushInbound();
        channel.runPendingTasks();
        assertEquals(0, loop.counters().computing());
        assertEquals(1, channel.outboundMessages().size(), "it is told");
        call(timestamp + 1, 2);
        channel.flushInbound();
        Awaitility.await().until(() -> {
            channel.runPendingTasks();
            return channel.outboundMessages().size() == 2;
        });
        assertEquals(0, loop.counters().computing());
        assertEquals(2, loop.counters().accepted());
    }

    /** A socket that takes datagrams loses none of a burst, though it is more than the channel gathers. */
    @Test
    void aBurstOfAnswersReachesTheSocket() {
        long timestamp = clock.micros();
        for (int i = 0; i < CALLS; i++) {
            call(timestamp);
        }
        channel.flushInbound();
        assertEquals(CALLS, channel.outboundMessages().size());
        assertEquals(0, loop.dropped().sum());
    }
}
