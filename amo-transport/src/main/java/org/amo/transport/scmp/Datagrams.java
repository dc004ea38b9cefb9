package org.amo.transport.scmp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import java.nio.ByteBuffer;

/** How both sides open their sockets and read a packet. */
final class Datagrams {
    /** More than any UDP datagram carries, so that none is cut. */
    private static final int SLOT = 65_536;

    /** Datagrams that epoll takes with one system call. */
    private static final int BATCH = 16;

    private Datagrams() {}

    static Bootstrap bootstrap(ScmpTransport transport, ChannelHandler handler, int bufferBytes) {
        Bootstrap bootstrap = new Bootstrap()
                .group(transport.group())
                .channel(transport.channel())
                .option(ChannelOption.SO_RCVBUF, bufferBytes)
                .option(ChannelOption.SO_SNDBUF, bufferBytes)
                .handler(handler);
        if (transport.isEpoll()) {
            return bootstrap
                    .option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, SLOT)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SLOT * BATCH));
        }
        return bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SLOT));
    }

    /** What is readable, in one piece; valid until the next call on the same buffer. */
    static ByteBuffer view(ByteBuf content) {
        int index = content.readerIndex();
        int length = content.readableBytes();
        return content.nioBufferCount() == 1
                ? content.internalNioBuffer(index, length)
                : content.nioBuffer(index, length);
    }
}
