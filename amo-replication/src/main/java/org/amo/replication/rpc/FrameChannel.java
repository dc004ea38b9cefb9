package org.amo.replication.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.order.FatalErrors;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the received bytes of a connection into frames, and puts lengths (and seals) on sent frames. A length allocates
 * nothing before its bytes have arrived. Short frames of one flush leave in one buffer. The channel's thread owns it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close ends the channel, which is reported
final class FrameChannel extends ChannelInboundHandlerAdapter {
    private static final int LENGTH_BYTES = 4;

    /** Of short frames in one buffer; a longer frame has a buffer of its own. */
    static final int MOST_GATHERED_BYTES = 64_000;

    private static final byte TLS_ALERT = 21;
    private static final byte TLS_HANDSHAKE = 22;

    private final Channel channel;
    private final Receiver receiver;
    private final boolean tls;

    private int mostBytes = RpcFrames.MAX_GREETING_BYTES;
    private int preambleSeen;
    private @Nullable ByteBuf pending;

    /** Frames, sealed if they are to be, that the channel has not been given yet; none behind a {@link #flush}. */
    private final List<byte[]> gathered = new ArrayList<>();

    /** Of these, with their lengths. */
    private int gatheredBytes;

    private @Nullable FrameCipher outgoing;
    private @Nullable FrameCipher incoming;
    private boolean unflushed;
    private boolean ended;
    private long frames;
    private long written;

    /** Hears the events of a channel. All calls come from the channel's thread. */
    interface Receiver {
        /** @throws MalformedFrameException when it is not of the agreed form: the connection ends */
        void onFrame(byte[] frame);

        /** All that could be read has been handed over. */
        void onBatchEnd();

        /** The peer takes more, or does not. */
        void onWritable(boolean writable);

        /** The peer broke the agreed form. */
        void onMalformed(String why);

        /** The connection is gone; the last that is heard of it. */
        void onClosed();

        /** Memory or stack ran out in the thread of the connections. */
        default void onFatal(VirtualMachineError error) {
            // A client's connection ends, and its calls go to another member.
        }
    }

    /** @param tls whether the connection may go over TLS */
    FrameChannel(Channel channel, Receiver receiver, boolean tls) {
        this.channel = channel;
        this.receiver = receiver;
        this.tls = tls;
    }

    /** Before the first {@link #write}. */
    void begin() {
        channel.write(channel.alloc().buffer().writeBytes(RpcFrames.PREAMBLE), channel.voidPromise());
        unflushed = true;
    }

    /** The peer has identified itself: frames of any size may come. */
    void established(Optional<FrameCipher> in, Optional<FrameCipher> out) {
        established(in, out, RpcFrames.MAX_BYTES + FrameCipher.TAG_BYTES);
    }

    /** The peer has identified itself: frames of up to so many bytes may come. */
    void established(Optional<FrameCipher> in, Optional<FrameCipher> out, int mostFrameBytes) {
        mostBytes = mostFrameBytes;
        incoming = in.orElse(null);
        outgoing = out.orElse(null);
    }

    /** Leaves with the next {@link #flush}. */
    void write(byte[] frame) {
        FrameCipher cipher = outgoing;
        byte[] bytes = cipher == null ? frame : cipher.apply(frame).orElseThrow();
        int length = LENGTH_BYTES + bytes.length;
        if (gatheredBytes + length > MOST_GATHERED_BYTES) {
            handOver();
        }
        gathered.add(bytes);
        gatheredBytes += length;
        written += length;
        unflushed = true;
        if (gatheredBytes >= channel.bytesBeforeUnwritable()) {
            // The channel tells when it is full, so it is given the bytes that fill it. A closed one drops them.
            handOver();
        }
    }

    /** In one buffer of their exact length: a peer that reads nothing costs no more than {@link #unsentBytes}. */
    private void handOver() {
        if (gathered.isEmpty()) {
            return;
        }
        ByteBuf whole = channel.alloc().buffer(gatheredBytes);
        for (byte[] frame : gathered) {
            whole.writeInt(frame.length).writeBytes(frame);
        }
        long before = unsentBytes();
        dropGathered();
        channel.write(whole, channel.voidPromise());
        // The transport counts some bytes of its own for the buffer.
        written += unsentBytes() - before;
    }

    private void dropGathered() {
        gathered.clear();
        gatheredBytes = 0;
    }

    /** Bytes that the peer has not taken, unflushed ones too, with the transport's own for each buffer. */
    long unsentBytes() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        return gatheredBytes + (unsent == null ? 0 : unsent.totalPendingWriteBytes() - unsent.currentProgress());
    }

    /** All frames written so far, counted like {@link #unsentBytes}. */
    long writtenBytes() {
        return written;
    }

    void flush() {
        if (unflushed) {
            handOver();
            // Before the flush: while it writes, the channel may tell of room, and more frames come.
            unflushed = false;
            channel.flush();
        }
    }

    /** Bytes of a frame that has not come whole. */
    int pendingBytes() {
        ByteBuf rest = pending;
        return rest == null ? 0 : rest.capacity();
    }

    /** The length of the frame of which a part is there; 0 when none is. */
    int pendingLength() {
        ByteBuf rest = pending;
        if (rest == null) {
            return 0;
        }
        return rest.readableBytes() < LENGTH_BYTES ? LENGTH_BYTES : rest.getInt(rest.readerIndex());
    }

    /** Frames that have come so far. */
    long frames() {
        return frames;
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    void read(boolean on) {
        channel.config().setAutoRead(on);
    }

    /** Sends the written frames and ends the connection. */
    void close() {
        ended = true;
        flush();
        channel.close();
    }

    /** Ends the connection at once and drops what the peer has not taken: over TLS, too, an ordinary close waits for it. */
    void abort() {
        ended = true;
        dropGathered();
        channel.unsafe().close(channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf arrived = (ByteBuf) message;
        if (ended) {
            arrived.release();
            return;
        }
        ByteBuf before = pending;
        ByteBuf bytes = arrived;
        if (before != null) {
            before.writeBytes(arrived);
            arrived.release();
            bytes = before;
        }
        pending = null;
        try {
            take(bytes);
        } catch (MalformedFrameException e) {
            ended = true;
            receiver.onMalformed(String.valueOf(e.getMessage()));
        }
        keep(context, bytes, before != null);
    }

    /** Keeps the part of an incomplete frame, in a buffer of its own, until the rest arrives. */
    private void keep(ChannelHandlerContext context, ByteBuf bytes, boolean own) {
        if (ended || !bytes.isReadable()) {
            bytes.release();
            return;
        }
        if (own) {
            pending = bytes.discardSomeReadBytes();
            return;
        }
        ByteBuf rest = context.alloc().buffer(Math.max(256, bytes.readableBytes()));
        rest.writeBytes(bytes);
        bytes.release();
        pending = rest;
    }

    private void take(ByteBuf bytes) {
        while (preambleSeen < RpcFrames.PREAMBLE.length && bytes.isReadable()) {
            byte next = bytes.readByte();
            if (next != RpcFrames.PREAMBLE[preambleSeen]) {
                if (preambleSeen == 0 && (next == TLS_HANDSHAKE || next == TLS_ALERT)) {
                    throw new MalformedFrameException(
                            "the other side uses TLS and this one does not; give both a tls(...), or neither");
                }
                throw new MalformedFrameException(
                        preambleSeen < 4
                                ? "this is not amo's protocol for Java clients: byte " + preambleSeen + " is "
                                        + (next & 0xFF)
                                : "this is version " + next + " of amo's protocol for Java clients, not "
                                        + RpcFrames.PREAMBLE[4] + "; run the same version of amo on both sides");
            }
            preambleSeen++;
        }
        while (!ended && bytes.readableBytes() >= LENGTH_BYTES) {
            int length = bytes.getInt(bytes.readerIndex());
            if (length < 1 || length > mostBytes) {
                throw new MalformedFrameException(
                        "frame: length " + (length & 0xFFFF_FFFFL) + " is not between 1 and " + mostBytes);
            }
            if (bytes.readableBytes() < LENGTH_BYTES + length) {
                return;
            }
            bytes.skipBytes(LENGTH_BYTES);
            frames++;
            byte[] frame = new byte[length];
            bytes.readBytes(frame);
            receiver.onFrame(open(frame));
        }
    }

    private byte[] open(byte[] frame) {
        FrameCipher cipher = incoming;
        return cipher == null
                ? frame
                : cipher.apply(frame)
                        .orElseThrow(() -> new MalformedFrameException("frame: the seal of " + frame.length
                                + " bytes is wrong; they were changed on their way"));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        receiver.onBatchEnd();
        flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        receiver.onWritable(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended = true;
        ByteBuf rest = pending;
        if (rest != null) {
            pending = null;
            rest.release();
        }
        dropGathered();
        receiver.onClosed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        FatalErrors.in(cause).ifPresent(receiver::onFatal);
        Optional<String> mistake = tls && !ended ? TlsHandlers.mistake(cause) : Optional.empty();
        if (mistake.isPresent()) {
            ended = true;
            receiver.onMalformed(mistake.get());
        }
        context.close();
        if (!(cause instanceof IOException || cause.getCause() instanceof IOException)) {
            super.exceptionCaught(context, cause);
        }
    }
}
