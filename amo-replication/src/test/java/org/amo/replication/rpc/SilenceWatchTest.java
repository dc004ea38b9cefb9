package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With a channel's own clock, and a peer that takes bytes when it is told to. */
final class SilenceWatchTest {
    private final SlowChannel channel = new SlowChannel();
    private final FrameChannel frames = new FrameChannel(channel, new Unheard(), false);
    private int silences;
    private final SilenceWatch watch = new SilenceWatch(frames, channel.eventLoop(), () -> silences++);

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void aPeerThatTakesNothingForTenSecondsIsSilentHoweverMuchIsWritten() {
        begin();
        for (int second = 1; second < SilenceWatch.SECONDS; second++) {
            pass(1);
            write();
        }
        assertEquals(0, silences);
        pass(1);
        assertEquals(1, silences);
    }

    @Test
    void aPeerThatTakesAByteIsGivenTheTimeAnew() {
        begin();
        for (int round = 0; round < 5; round++) {
            pass(8);
            channel.take(1);
        }
        assertEquals(0, silences);
        // The byte is noticed at the next look.
        pass(2 + SilenceWatch.SECONDS);
        assertEquals(1, silences);
    }

    @Test
    void aPeerThatSendsAFrameIsGivenTheTimeAnew() {
        begin();
        channel.writeInbound(Unpooled.wrappedBuffer(RpcFrames.PREAMBLE));
        for (int round = 0; round < 5; round++) {
            pass(8);
            channel.writeInbound(Unpooled.buffer().writeInt(1).writeByte(RpcFrames.DRAINING));
        }
        assertEquals(0, silences);
        pass(2 + SilenceWatch.SECONDS);
        assertEquals(1, silences);
    }

    @Test
    void nothingIsWaitedForOnceAllIsTakenOrTheConnectionHasEnded() {
        begin();
        channel.take(Integer.MAX_VALUE);
        pass(30);
        write();
        watch.end();
        pass(30);
        assertEquals(0, silences);
    }

    private void begin() {
        channel.pipeline().addLast(frames);
        channel.freezeTime();
        write();
    }

    private void write() {
        frames.write(new byte[100]);
        frames.flush();
        watch.onFlushed();
    }

    private void pass(int seconds) {
        for (int second = 0; second < seconds; second++) {
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    private static final class SlowChannel extends EmbeddedChannel {
        private long room;

        void take(long bytes) {
            room = bytes;
            flush();
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer out) {
            long now = Math.min(room, out.totalPendingWriteBytes());
            room = 0;
            if (now > 0) {
                out.nioBuffers();
                out.removeBytes(now);
            }
        }
    }

    private static final class Unheard implements FrameChannel.Receiver {
        @Override
        public void onFrame(byte[] frame) {}

        @Override
        public void onBatchEnd() {}

        @Override
        public void onWritable(boolean writable) {}

        @Override
        public void onMalformed(String why) {
            throw new AssertionError(why);
        }

        @Override
        public void onClosed() {}
    }
}
