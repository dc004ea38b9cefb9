package org.amo.scmp.udp;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** How both sides read a packet. */
final class Datagrams {
    private Datagrams() {}

    /** The readable bytes in one piece; valid until the next call on the same buffer. */
    static ByteBuffer view(ByteBuf content) {
        int index = content.readerIndex();
        int length = content.readableBytes();
        return content.nioBufferCount() == 1
                ? content.internalNioBuffer(index, length)
                : content.nioBuffer(index, length);
    }
}
