package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

class FrameChannelTest implements HostileBytes {
    // Shared by the tests, since deriving a key from a secret takes a third of a second here.
    private static final GroupKey KEY = GroupKey.of("bank", "a s3cret of tests");

    private final List<byte[]> frames = new ArrayList<>();
    private final List<String> malformed = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final FrameChannel reading = new FrameChannel(channel, new Receiver(), false);

    private FrameChannel begin() {
        channel.pipeline().addLast(reading);
        return reading;
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                        "stream of frames",
                        MalformedFrameException.class,
                        bytes -> {
                            FrameChannelTest stream = new FrameChannelTest();
                            stream.begin();
                            stream.channel.writeInbound(Unpooled.wrappedBuffer(bytes));
                            stream.channel.finishAndReleaseAll();
                            if (!stream.malformed.isEmpty()) {
                                throw new MalformedFrameException(stream.malformed.get(0));
                            }
                        },
                        stream(5, 1, 9),
                        stream(40, 3, 1))
                .taking(100_000)); // the channel
    }

    @Test
    void framesAreCutAlikeHoweverTheStreamIsTorn() {
        Random random = new Random(3);
        byte[] stream = stream(4_000, 1, 900);
        for (int round = 0; round < 30; round++) {
            FrameChannelTest torn = new FrameChannelTest();
            torn.begin();
            for (int at = 0; at < stream.length; ) {
                int end = Math.min(stream.length, at + 1 + random.nextInt(2_000));
                torn.channel.writeInbound(Unpooled.copiedBuffer(stream, at, end - at));
                at = end;
            }
            assertEquals(List.of(), torn.malformed);
            assertEquals(
                    List.of(1_000, 1, 900),
                    torn.frames.stream().map(frame -> frame.length).toList());
        }
    }

    /** The first one is cut to what may come before a greeting. */
    private static byte[] stream(int first, int second, int third) {
        ByteBuf bytes = Unpooled.buffer().writeBytes(RpcFrames.PREAMBLE);
        for (int length : new int[] {Math.min(first, 1_000), second, third}) {
            bytes.writeInt(length).writeZero(length);
        }
        byte[] all = new byte[bytes.readableBytes()];
        bytes.readBytes(all).release();
        return all;
    }

    @Test
    void anotherProtocolAnotherVersionAndAnImpossibleLengthAreSaidInOneLine() {
        assertLine(
                "GIOP\1\2\0\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII),
                "this is not amo's protocol for Java clients");
        assertLine(new byte[] {'A', 'M', 'O', 'R', 3}, "this is version 3 of amo's protocol for Java clients, not 4");
        assertLine(
                new byte[] {'A', 'M', 'O', 'R', 4, 0x7F, -1, -1, -1},
                "frame: length 2147483647 is not between 1 and 1024");
        assertLine(new byte[] {'A', 'M', 'O', 'R', 4, -1, -1, -1, -1}, "frame: length 4294967295");
    }

    private static void assertLine(byte[] bytes, String line) {
        FrameChannelTest test = new FrameChannelTest();
        test.begin();
        test.channel.writeInbound(Unpooled.wrappedBuffer(bytes));
        assertEquals(1, test.malformed.size());
        assertTrue(test.malformed.get(0).startsWith(line), test.malformed.get(0));
        test.channel.writeInbound(Unpooled.wrappedBuffer(bytes));
        assertEquals(1, test.malformed.size(), "nothing is read after it");
    }

    @Test
    void aSealedFrameThatWasChangedRepeatedOrLeftOutDoesNotOpen() {
        byte[] client = new byte[16];
        byte[] server = new byte[16];
        server[0] = 1;
        FrameCipher sends = KEY.clientToServer(client, server, true);
        FrameCipher takes = KEY.clientToServer(client, server, false);
        byte[] one = sends.apply(new byte[] {1}).orElseThrow();
        byte[] two = sends.apply(new byte[] {2}).orElseThrow();
        assertEquals(1, takes.apply(one).orElseThrow()[0]);
        assertEquals(Optional.empty(), takes.apply(one));
        assertEquals(Optional.empty(), KEY.clientToServer(client, server, false).apply(two));
        one[0] ^= 1;
        assertEquals(Optional.empty(), KEY.clientToServer(client, server, false).apply(one));
        assertEquals(Optional.empty(), KEY.clientToServer(client, server, false).apply(new byte[15]));
        // Another connection has other keys, and so has the other direction.
        byte[] three =
                KEY.clientToServer(client, server, true).apply(new byte[] {3}).orElseThrow();
        assertEquals(Optional.empty(), KEY.serverToClient(client, server, false).apply(three));
        assertEquals(Optional.empty(), KEY.clientToServer(server, client, false).apply(three));
        assertFalse(GroupKey.same(
                KEY.helloProof(client),
                GroupKey.of("bank", "another s3cret of tests").helloProof(client)));
    }

    /** The bytes of docs/wire/rpc.md: members and clients of different versions understand each other. */
    @Test
    void theProofsAndTheKeysAreThoseOfTheWire() {
        byte[] client = Fuzz.bytes("01".repeat(16));
        byte[] server = Fuzz.bytes("02".repeat(16));
        assertEquals("7c0fa893d2a8b3cdd2ae422dd8dff991", Fuzz.hex(KEY.helloProof(client)));
        assertEquals("881ee529c4251e1c1510a749c33d9686", Fuzz.hex(KEY.welcomeProof(client, server)));
        FrameCipher sends = KEY.clientToServer(client, server, true);
        byte[] frame = {1, 2, 3};
        assertEquals(
                "21aef6b3dc694d23f8a565f8ed70b515517203",
                Fuzz.hex(sends.apply(frame).orElseThrow()));
        assertEquals(
                "6cab3fd6560a3e0cefa26bd4b7392b172c359f",
                Fuzz.hex(sends.apply(frame).orElseThrow()));
        assertEquals(
                "cad1ac302d62e8f2a725e009583e5ee751883f",
                Fuzz.hex(KEY.serverToClient(client, server, true).apply(frame).orElseThrow()));
    }

    @Test
    void framesOfOneFlushLeaveInOneBuffer() {
        FrameChannel sending = begin();
        for (int length : new int[] {30, 1, 500}) {
            sending.write(new byte[length]);
        }
        assertEquals(0, channel.outboundMessages().size(), "nothing leaves before the flush");
        sending.flush();
        assertEquals(
                List.of(4 + 30 + 4 + 1 + 4 + 500),
                sentBuffers().stream().map(sent -> sent.length).toList());
        sending.flush();
        assertEquals(List.of(), sentBuffers());
    }

    @Test
    void framesKeepTheirOrderAcrossBuffers() {
        FrameChannel sending = begin();
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1 << 20, 2 << 20));
        FrameChannelTest peer = new FrameChannelTest();
        peer.begin().established(Optional.empty(), Optional.empty());
        int[] lengths = {1, 40_000, 30_000, 200_000, 5, 63_996, 1, 63_000, 996, 993, 64_000, 7};
        List<Integer> written = new ArrayList<>();
        sending.begin();
        for (int flush = 0; flush < 3; flush++) {
            for (int length : lengths) {
                byte[] frame = new byte[length];
                frame[0] = (byte) written.size();
                sending.write(frame);
                written.add(length);
            }
            sending.flush();
        }
        List<Integer> alone = List.of(4 + 64_000, 4 + 200_000);
        for (byte[] sent : sentBuffers()) {
            assertTrue(
                    sent.length <= FrameChannel.MOST_GATHERED_BYTES || alone.contains(sent.length),
                    sent.length + " bytes in one buffer");
            peer.channel.writeInbound(Unpooled.wrappedBuffer(sent));
        }
        assertEquals(List.of(), peer.malformed);
        assertEquals(written, peer.frames.stream().map(frame -> frame.length).toList());
        for (int i = 0; i < written.size(); i++) {
            assertEquals((byte) i, peer.frames.get(i)[0]);
        }
    }

    /** These counts bound the bytes that a client does not read, and a peer is silent while they do not move. */
    @Test
    void bytesOfFramesCountAsUnsentFromTheirWritingToTheirTaking() {
        DeafChannel deaf = new DeafChannel();
        FrameChannel sending = new FrameChannel(deaf, new Receiver(), false);
        deaf.pipeline().addLast(sending);
        long bytes = 0;
        for (int i = 0; i < 50; i++) {
            sending.write(new byte[3_000]);
            bytes += 3_004;
            assertTrue(sending.unsentBytes() >= bytes, sending.unsentBytes() + " of " + bytes + " before the flush");
            assertEquals(sending.writtenBytes(), sending.unsentBytes(), "nothing is taken");
            if (i % 7 == 6) {
                sending.flush();
                assertTrue(sending.unsentBytes() >= bytes, sending.unsentBytes() + " of " + bytes + " behind it");
                assertEquals(sending.writtenBytes(), sending.unsentBytes(), "nothing is taken");
            }
        }
        deaf.takes = true;
        sending.flush();
        assertEquals(0, sending.unsentBytes());
        assertTrue(sending.writtenBytes() >= bytes);
        deaf.finishAndReleaseAll();
    }

    /** Answers wait in front of a full channel, and go on when it says that it has room. */
    @Test
    void theChannelIsFullAsSoonAsItsFramesReachTheMark() {
        DeafChannel deaf = new DeafChannel();
        deaf.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1_000, 10_000));
        FrameChannel sending = new FrameChannel(deaf, new Receiver(), false);
        deaf.pipeline().addLast(sending);
        long bytes = 0;
        while (sending.isWritable() && bytes < 60_000) {
            sending.write(new byte[100]);
            bytes += 104;
        }
        assertTrue(bytes <= 10_000 + 104, bytes + " bytes without a flush");
        deaf.takes = true;
        sending.flush();
        assertTrue(sending.isWritable());
        deaf.finishAndReleaseAll();
    }

    @Test
    void framesThatDidNotLeaveAreReleasedWithTheConnection() {
        List<Consumer<FrameChannelTest>> ends =
                List.of(test -> test.reading.abort(), test -> test.reading.close(), test -> test.channel.finish());
        for (Consumer<FrameChannelTest> end : ends) {
            FrameChannelTest test = new FrameChannelTest();
            UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
            test.channel.config().setAllocator(memory);
            test.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1 << 20, 2 << 20));
            FrameChannel sending = test.begin();
            for (int i = 0; i < 3; i++) {
                sending.write(new byte[30_000]);
            }
            assertTrue(used(memory) >= 60_000, "two fill a buffer: " + used(memory));
            assertTrue(sending.unsentBytes() >= 90_000, "the third waits: " + sending.unsentBytes());
            end.accept(test);
            test.channel.runPendingTasks();
            test.channel.releaseOutbound();
            assertEquals(0, used(memory));
            assertEquals(0, sending.unsentBytes(), "of a connection that has ended");
            sending.write(new byte[1_000]);
            sending.flush();
            test.channel.releaseOutbound();
            assertEquals(0, used(memory), "a frame for a closed connection");
            assertEquals(0, sending.unsentBytes(), "a frame for a closed connection");
        }
    }

    /** Bytes that nothing counts must not wait with a peer that reads nothing. */
    @Test
    void aBufferIsAsLongAsItsFrames() {
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
        channel.config().setAllocator(memory);
        FrameChannel sending = begin();
        long bytes = 0;
        for (int i = 0; i < 40; i++) {
            sending.write(new byte[1_000]);
            bytes += 1_004;
        }
        sending.flush();
        assertEquals(bytes, used(memory));
        channel.releaseOutbound();
    }

    /** The welcome leaves in the clear. A frame is sealed when it is written, whatever waits in front of it. */
    @Test
    void sealedFramesFollowOthersInOneBuffer() {
        byte[] salt = new byte[RpcFrames.SALT_BYTES];
        FrameChannel sending = begin();
        sending.write(new byte[] {1});
        sending.established(Optional.empty(), Optional.of(KEY.serverToClient(salt, salt, true)));
        sending.write(new byte[] {2});
        sending.write(new byte[] {3, 3});
        sending.flush();
        List<byte[]> sent = sentBuffers();
        int clear = 4 + 1;
        assertEquals(
                List.of(clear + 2 * (4 + FrameCipher.TAG_BYTES) + 1 + 2),
                sent.stream().map(each -> each.length).toList());
        FrameChannelTest peer = new FrameChannelTest();
        FrameChannel takes = peer.begin();
        peer.channel.writeInbound(Unpooled.wrappedBuffer(RpcFrames.PREAMBLE));
        peer.channel.writeInbound(Unpooled.wrappedBuffer(sent.get(0), 0, clear));
        takes.established(Optional.of(KEY.serverToClient(salt, salt, false)), Optional.empty());
        peer.channel.writeInbound(Unpooled.wrappedBuffer(sent.get(0), clear, sent.get(0).length - clear));
        assertEquals(List.of(), peer.malformed);
        assertEquals(
                List.of("01", "02", "0303"), peer.frames.stream().map(Fuzz::hex).toList());
    }

    private static long used(UnpooledByteBufAllocator memory) {
        return memory.metric().usedHeapMemory() + memory.metric().usedDirectMemory();
    }

    /** The buffers that have left since the last look. */
    private List<byte[]> sentBuffers() {
        List<byte[]> sent = new ArrayList<>();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            byte[] bytes = new byte[next.readableBytes()];
            next.readBytes(bytes).release();
            sent.add(bytes);
        }
        return sent;
    }

    /** A peer that takes nothing at first. */
    private static final class DeafChannel extends EmbeddedChannel {
        private boolean takes;

        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            if (takes) {
                super.doWrite(out);
            }
        }
    }

    private final class Receiver implements FrameChannel.Receiver {
        @Override
        public void onFrame(byte[] frame) {
            frames.add(frame);
        }

        @Override
        public void onBatchEnd() {}

        @Override
        public void onWritable(boolean writable) {}

        @Override
        public void onMalformed(String why) {
            malformed.add(why);
        }

        @Override
        public void onClosed() {}
    }
}
