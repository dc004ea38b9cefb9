package org.amo.interceptors.jacorb;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.jacorb.orb.giop.RequestOutputStream;
import org.jacorb.orb.portableInterceptor.ClientRequestInfoImpl;
import org.jspecify.annotations.Nullable;
import org.omg.PortableInterceptor.ClientRequestInfo;

/**
 * Tells of an attempt whether a byte of it may have left, also after its stub has closed the stream to write the request again. The
 * thread of the attempt owns it.
 */
public final class SentMark {
    /** Where a GIOP message keeps its length: zero until JacORB sends it. */
    private static final int SIZE_OFFSET = 8;

    private static final int SIZE_BYTES = 4;

    private final RequestOutputStream stream;

    /** Weak: it keeps no large request of an asynchronous call. */
    private final WeakReference<byte @Nullable []> buffer;

    private SentMark(RequestOutputStream stream, byte @Nullable [] buffer) {
        this.stream = stream;
        this.buffer = new WeakReference<>(buffer);
    }

    /** Of an attempt that has not left. Call it in send_request. */
    public static SentMark unsent(ClientRequestInfo info) {
        ClientRequestInfoImpl attempt = (ClientRequestInfoImpl) info;
        RequestOutputStream stream = attempt.getRequestStream();
        JacorbClientAccess.markUnsent(stream);
        // JacORB's own buffers serve other messages once their stream is closed.
        return new SentMark(stream, FreshBuffers.isUsedBy(attempt.orb()) ? BufferTaker.bufferOf(stream) : null);
    }

    /** True where it is not known. */
    public boolean hasLeft() {
        if (!JacorbClientAccess.hasLeft(stream)) {
            return false;
        }
        byte[] kept = buffer.get();
        return kept == null || ByteBuffer.wrap(kept).getInt(SIZE_OFFSET) != 0;
    }

    /** Takes the array itself from a stream that writes. */
    private static final class BufferTaker extends OutputStream {
        private byte @Nullable [] taken;

        static byte @Nullable [] bufferOf(RequestOutputStream stream) {
            BufferTaker taker = new BufferTaker();
            try {
                stream.write(taker, SIZE_OFFSET, SIZE_BYTES);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return taker.taken;
        }

        @Override
        public void write(int octet) {
            throw new IllegalStateException("JacORB writes its whole buffer");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            taken = bytes;
        }
    }
}
