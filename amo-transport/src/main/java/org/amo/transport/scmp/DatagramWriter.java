package org.amo.transport.scmp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Makes the buffer that goes out. */
final class DatagramWriter {
    private DatagramWriter() {}

    /** @param most bytes that the encoder writes at most */
    static ByteBuf write(ByteBufAllocator allocator, DatagramSeal seal, int most, Consumer<ByteBuffer> encoder) {
        int capacity = most + seal.bytes();
        ByteBuf bytes = allocator.directBuffer(capacity, capacity);
        ByteBuffer out = bytes.internalNioBuffer(0, capacity);
        int start = out.position();
        encoder.accept(out);
        seal.seal(out, start);
        return bytes.writerIndex(out.position() - start);
    }
}
