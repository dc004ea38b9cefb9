package org.amo.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EventLoopsTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static EventLoops open(boolean nio) {
        return nio ? EventLoops.openNio("amo-test", 1) : EventLoops.open("amo-test", 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theThreadsAreDaemonsOfTheName(boolean nio) throws Exception {
        try (EventLoops loops = open(nio)) {
            Thread thread = loops.group().submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
            assertTrue(thread.isDaemon());
            assertTrue(thread.getName().startsWith("amo-test-"), thread.getName());
            assertEquals(!nio && Epoll.isAvailable(), loops.isEpoll());
        }
    }

    /** As large as UDP over IPv4 carries, and larger than the buffers that Netty takes by itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLargestDatagramComesWhole(boolean nio) throws Exception {
        CompletableFuture<byte[]> came = new CompletableFuture<>();
        try (EventLoops loops = open(nio)) {
            Channel channel = bind(loops, came);
            byte[] largest = new byte[65_507];
            largest[65_506] = 7;
            channel.writeAndFlush(new DatagramPacket(
                            Unpooled.wrappedBuffer(largest), (InetSocketAddress) channel.localAddress()))
                    .sync();
            assertArrayEquals(largest, came.get(10, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingEndsTheChannelsAndTheLoops(boolean nio) throws Exception {
        EventLoops loops = open(nio);
        Channel datagrams = bind(loops, new CompletableFuture<>());
        loops.opened(datagrams);
        Channel server = loops.server()
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(ANY)
                .sync()
                .channel();
        loops.opened(server);
        Channel client = loops.client()
                .handler(new ChannelInboundHandlerAdapter())
                .connect(server.localAddress())
                .sync()
                .channel();
        loops.opened(client);
        loops.close();
        assertFalse(datagrams.isOpen());
        assertFalse(server.isOpen());
        assertFalse(client.isOpen());
        assertTrue(loops.group().isTerminated());
    }

    @Test
    void aChannelThatOpensTooLateIsClosed() throws Exception {
        try (EventLoops others = open(true)) {
            EventLoops loops = open(true);
            loops.close();
            Channel late = bind(others, new CompletableFuture<>());
            loops.opened(late);
            assertTrue(late.closeFuture().await(10, TimeUnit.SECONDS));
        }
    }

    /** A future that its task completes would stay open for ever if the loop took the task and dropped it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyTaskGivenToAnEndingLoopHearsOfTheEnd(boolean nio) throws Exception {
        EventLoops loops = open(nio);
        EventLoop loop = loops.group().next();
        CountDownLatch ending = new CountDownLatch(1);
        assertTrue(EventLoops.execute(loop, () -> await(ending), () -> {}));
        List<CompletableFuture<Boolean>> told = new ArrayList<>();
        Future<?> unused = loops.group().shutdownGracefully(0, 2, TimeUnit.SECONDS);
        boolean taken = true;
        while (taken && told.size() < 100_000) {
            CompletableFuture<Boolean> one = new CompletableFuture<>();
            // The end comes behind the task, if the task was run.
            taken = EventLoops.execute(loop, () -> {}, () -> one.complete(true));
            if (taken) {
                told.add(one);
            }
            ending.countDown();
        }
        assertFalse(told.isEmpty());
        for (CompletableFuture<Boolean> each : told) {
            assertTrue(each.get(10, TimeUnit.SECONDS));
        }
        loops.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Channel bind(EventLoops loops, CompletableFuture<byte[]> came) throws Exception {
        return loops.datagrams(1 << 18, 4)
                .handler(new SimpleChannelInboundHandler<DatagramPacket>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, DatagramPacket datagram) {
                        came.complete(ByteBufUtil.getBytes(datagram.content()));
                    }
                })
                .bind(ANY)
                .sync()
                .channel();
    }
}
