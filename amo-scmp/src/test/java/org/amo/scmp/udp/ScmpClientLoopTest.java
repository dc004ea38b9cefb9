package org.amo.scmp.udp;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.scmp.RpcClientOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScmpClientLoopTest {
    private static final int CALLS = 100;
    private static final int ARGUMENTS = 60_000;

    private final Socket socket = new Socket();
    private final ScmpClientLoop loop = new ScmpClientLoop(
            // A burst takes its time where nothing is compiled yet, and no call is to be sent a second time.
            RpcClientOptions.builder()
                    .firstRetry(Duration.ofSeconds(30))
                    .maxRetry(Duration.ofSeconds(30))
                    .build(),
            DatagramSeal.of(Optional.empty()),
            Optional.empty(),
            new Clocks(Clocks::systemWallMicros, Long.MIN_VALUE));
    private final EmbeddedChannel channel = new EmbeddedChannel(socket, loop);

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

    @AfterEach
    void end() {
        channel.outboundMessages().forEach(ReferenceCountUtil::release);
        channel.outboundMessages().clear();
        channel.close().syncUninterruptibly();
    }

    private void beginCalls() {
        for (int i = 0; i < CALLS; i++) {
            loop.begin(1, new byte[ARGUMENTS], TimeUnit.MINUTES.toMicros(1), outcome -> {});
        }
    }

    /** Each retry would add the arguments once more. */
    @Test
    void callsThatTheSocketDoesNotTakeAreLostAndDoNotWait() {
        socket.takes = false;
        beginCalls();
        long pending = channel.unsafe().outboundBuffer().totalPendingWriteBytes();
        assertTrue(pending < 3 * ARGUMENTS, "bytes that wait: " + pending);
    }

    /** A socket that takes datagrams loses none of a burst, though it is more than the channel gathers. */
    @Test
    void aBurstOfCallsReachesTheSocket() {
        beginCalls();
        channel.runPendingTasks();
        assertEquals(CALLS, channel.outboundMessages().size());
    }

    @Test
    void aCallThatFindsNoMemoryForItsDatagramEnds() {
        channel.config().setAllocator(new AbstractByteBufAllocator(true) {
            @Override
            public boolean isDirectBufferPooled() {
                return false;
            }

            @Override
            protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
                throw new OutOfMemoryError("planted");
            }

            @Override
            protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                throw new OutOfMemoryError("planted");
            }
        });
        AtomicBoolean ended = new AtomicBoolean();
        assertThrows(
                OutOfMemoryError.class,
                () -> loop.begin(1, new byte[0], TimeUnit.MILLISECONDS.toMicros(50), outcome -> ended.set(true)));
        await().until(() -> {
            channel.runScheduledPendingTasks();
            return ended.get();
        });
    }

    /** A listener that throws, or memory that is short for a moment, must not leave all later calls without an end. */
    @Test
    void aTickThatThrowsIsNotTheLast() {
        AtomicBoolean ended = new AtomicBoolean();
        loop.begin(1, new byte[0], 1, outcome -> {
            throw new IllegalStateException("planted");
        });
        loop.begin(1, new byte[0], TimeUnit.MILLISECONDS.toMicros(50), outcome -> ended.set(true));
        await().until(() -> {
            channel.runScheduledPendingTasks();
            return ended.get();
        });
    }
}
