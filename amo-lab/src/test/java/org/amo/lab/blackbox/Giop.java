package org.amo.lab.blackbox;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.request.Answer;
import org.amo.core.wire.AnswerContext;

/** GIOP 1.0 to 1.2 as bytes, so that a test can send what no ORB would. */
final class Giop {
    static final Giop V12 = new Giop(2, false);

    static final int NO_EXCEPTION = 0;
    static final int USER_EXCEPTION = 1;
    static final int SYSTEM_EXCEPTION = 2;

    private static final int HEADER = 12;
    private static final int SIZE_AT = 8;
    private static final int REQUEST = 0;
    private static final int REPLY = 1;

    private final int minor;
    private final boolean littleEndian;

    Giop(int minor, boolean littleEndian) {
        this.minor = minor;
        this.littleEndian = littleEndian;
    }

    /** A whole message of any kind. */
    record Message(int minor, boolean littleEndian, int type, byte[] bytes) {
        boolean isRequest() {
            return type == REQUEST;
        }

        boolean isReply() {
            return type == REPLY;
        }
    }

    /** What a request says before its arguments. */
    record RequestHead(int id, String operation, Map<Integer, byte[]> contexts) {}

    /**
     * A reply.
     *
     * @param body from the first byte of the result on
     */
    record Reply(int status, Map<Integer, byte[]> contexts, byte[] body, boolean littleEndian) {
        /** amo's context, if there is one. */
        Optional<Answer> answer() {
            return Optional.ofNullable(contexts.get(AnswerContext.CONTEXT_ID)).map(AnswerContext::decode);
        }

        Answer amo() {
            return answer().orElseThrow(() -> new AssertionError("the reply has no context of amo: " + this));
        }

        /** The result of an operation that returns a long long. */
        long value() {
            if (status != NO_EXCEPTION) {
                throw new AssertionError("no result: " + this);
            }
            return new CdrReader(body, 0, littleEndian).longLong();
        }

        String exceptionId() {
            return status == NO_EXCEPTION ? "" : new CdrReader(body, 0, littleEndian).string();
        }

        int minorCode() {
            return system()[0];
        }

        /** 0 yes, 1 no, 2 maybe. */
        int completed() {
            return system()[1];
        }

        @Override
        public String toString() {
            return status == SYSTEM_EXCEPTION
                    ? exceptionId() + " minor 0x" + Integer.toHexString(minorCode()) + " completed " + completed()
                    : "status " + status + " " + Arrays.toString(body);
        }

        private int[] system() {
            CdrReader reader = new CdrReader(body, 0, littleEndian);
            reader.string();
            return new int[] {reader.uLong(), reader.uLong()};
        }
    }

    byte[] request(
            int id,
            boolean response,
            byte[] key,
            String operation,
            Map<Integer, byte[]> contexts,
            Consumer<CdrWriter> arguments) {
        CdrWriter out = new CdrWriter(littleEndian);
        out.raw("GIOP".getBytes(StandardCharsets.US_ASCII))
                .octet(1)
                .octet(minor)
                .octet(littleEndian ? 1 : 0);
        out.octet(REQUEST).uLong(0);
        if (minor == 2) {
            out.uLong(id).octet(response ? 3 : 0).octet(0).octet(0).octet(0);
            out.uShort(0).octets(key).string(operation);
            contexts(out, contexts);
        } else {
            contexts(out, contexts);
            out.uLong(id).octet(response ? 1 : 0);
            if (minor == 1) {
                out.octet(0).octet(0).octet(0);
            }
            out.octets(key).string(operation).uLong(0);
        }
        int head = out.size();
        if (minor == 2) {
            out.align(8);
        }
        int body = out.size();
        arguments.accept(out);
        if (out.size() == body) {
            // No arguments, no padding.
            byte[] bytes = Arrays.copyOf(out.toBytes(), head);
            ByteBuffer.wrap(bytes)
                    .order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
                    .putInt(SIZE_AT, head - HEADER);
            return bytes;
        }
        out.patchULong(SIZE_AT, out.size() - HEADER);
        return out.toBytes();
    }

    private static void contexts(CdrWriter out, Map<Integer, byte[]> contexts) {
        out.uLong(contexts.size());
        contexts.forEach((id, data) -> out.uLong(id).octets(data));
    }

    /** The next message of a stream; empty at its end. */
    static Optional<Message> read(InputStream input) throws IOException {
        byte[] header = new byte[HEADER];
        int first = input.read();
        if (first < 0) {
            return Optional.empty();
        }
        header[0] = (byte) first;
        DataInputStream data = new DataInputStream(input);
        data.readFully(header, 1, HEADER - 1);
        boolean little = (header[6] & 1) != 0;
        int size = new CdrReader(header, SIZE_AT, little).uLong();
        byte[] bytes = Arrays.copyOf(header, HEADER + size);
        data.readFully(bytes, HEADER, size);
        return Optional.of(new Message(header[5], little, header[7], bytes));
    }

    static RequestHead requestHead(Message message) {
        CdrReader in = new CdrReader(message.bytes, HEADER, message.littleEndian);
        if (message.minor == 2) {
            int id = in.uLong();
            in.uLong();
            in.uShort();
            in.octets();
            String operation = in.string();
            return new RequestHead(id, operation, contexts(in));
        }
        Map<Integer, byte[]> contexts = contexts(in);
        int id = in.uLong();
        in.octet();
        in.octets();
        return new RequestHead(id, in.string(), contexts);
    }

    static Reply reply(Message message) {
        CdrReader in = new CdrReader(message.bytes, HEADER, message.littleEndian);
        Map<Integer, byte[]> contexts;
        int status;
        if (message.minor == 2) {
            in.uLong();
            status = in.uLong();
            contexts = contexts(in);
            in.align(8);
        } else {
            contexts = contexts(in);
            in.uLong();
            status = in.uLong();
        }
        return new Reply(status, contexts, in.rest(), message.littleEndian);
    }

    private static Map<Integer, byte[]> contexts(CdrReader in) {
        Map<Integer, byte[]> contexts = new HashMap<>();
        for (int left = in.uLong(); left > 0; left--) {
            int id = in.uLong();
            contexts.put(id, in.octets());
        }
        return contexts;
    }
}
