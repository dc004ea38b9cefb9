package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

class FrameChannelTest implements HostileBytes {
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
        RpcKey key = RpcKey.of("bank", "a s3cret of tests");
        byte[] client = new byte[16];
        byte[] server = new byte[16];
        server[0] = 1;
        FrameCipher sends = key.clientToServer(client, server, true);
        FrameCipher takes = key.clientToServer(client, server, false);
        byte[] one = sends.apply(new byte[] {1}).orElseThrow();
        byte[] two = sends.apply(new byte[] {2}).orElseThrow();
        assertEquals(1, takes.apply(one).orElseThrow()[0]);
        assertEquals(Optional.empty(), takes.apply(one));
        assertEquals(Optional.empty(), key.clientToServer(client, server, false).apply(two));
        one[0] ^= 1;
        assertEquals(Optional.empty(), key.clientToServer(client, server, false).apply(one));
        assertEquals(Optional.empty(), key.clientToServer(client, server, false).apply(new byte[15]));
        // Another connection has other keys, and so has the other direction.
        byte[] three =
                key.clientToServer(client, server, true).apply(new byte[] {3}).orElseThrow();
        assertEquals(Optional.empty(), key.serverToClient(client, server, false).apply(three));
        assertEquals(Optional.empty(), key.clientToServer(server, client, false).apply(three));
        assertFalse(RpcKey.same(
                key.helloProof(client),
                RpcKey.of("bank", "another s3cret of tests").helloProof(client)));
    }

    /** The bytes of docs/wire/rpc.md: members and clients of different versions understand each other. */
    @Test
    void theProofsAndTheKeysAreThoseOfTheWire() {
        RpcKey key = RpcKey.of("bank", "a s3cret of tests");
        byte[] client = Fuzz.bytes("01".repeat(16));
        byte[] server = Fuzz.bytes("02".repeat(16));
        assertEquals("7c0fa893d2a8b3cdd2ae422dd8dff991", Fuzz.hex(key.helloProof(client)));
        assertEquals("881ee529c4251e1c1510a749c33d9686", Fuzz.hex(key.welcomeProof(client, server)));
        FrameCipher sends = key.clientToServer(client, server, true);
        byte[] frame = {1, 2, 3};
        assertEquals(
                "21aef6b3dc694d23f8a565f8ed70b515517203",
                Fuzz.hex(sends.apply(frame).orElseThrow()));
        assertEquals(
                "6cab3fd6560a3e0cefa26bd4b7392b172c359f",
                Fuzz.hex(sends.apply(frame).orElseThrow()));
        assertEquals(
                "cad1ac302d62e8f2a725e009583e5ee751883f",
                Fuzz.hex(key.serverToClient(client, server, true).apply(frame).orElseThrow()));
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
