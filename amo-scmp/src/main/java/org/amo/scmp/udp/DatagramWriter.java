package org.amo.scmp.udp;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Fills the buffer that goes out. */
final class DatagramWriter {
    private DatagramWriter() {}

    /** @param bytes an empty buffer with room for the encoder's bytes and for the seal */
    static ByteBuf write(ByteBuf bytes, DatagramSeal seal, Consumer<ByteBuffer> encoder) {
        ByteBuffer out = bytes.internalNioBuffer(0, bytes.capacity());
        int start = out.position();
        encoder.accept(out);
        seal.seal(out, start);
        return bytes.writerIndex(out.position() - start);
    }
}
