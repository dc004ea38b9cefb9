package org.amo.lab.attack;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.request.Answer;
import org.amo.core.wire.AnswerContext;

/** GIOP as bytes, the right ones and those that no ORB would send. */
final class Giop {
    static final int REQUEST = 0;
    static final int REPLY = 1;
    static final int CANCEL_REQUEST = 2;
    static final int LOCATE_REQUEST = 3;
    static final int CLOSE_CONNECTION = 5;
    static final int MESSAGE_ERROR = 6;
    static final int FRAGMENT = 7;

    static final int HEADER = 12;
    private static final int SIZE_AT = 8;
    private static final int LITTLE_ENDIAN = 1;
    private static final int MORE_FRAGMENTS = 2;
    private static final int LARGEST_REPLY = 4 << 20;

    private Giop() {}

    /** A service context. */
    record Context(int id, byte[] data) {}

    /** A reply of GIOP 1.2. */
    record Reply(int id, int status, Optional<Answer> answer) {
        boolean isResult() {
            return status == 0;
        }
    }

    /** A header alone; its claims may be false. */
    static byte[] header(int major, int minor, int flags, int type, int size) {
        return new Cdr((flags & LITTLE_ENDIAN) != 0)
                .raw("GIOP".getBytes(StandardCharsets.US_ASCII))
                .octet(major)
                .octet(minor)
                .octet(flags)
                .octet(type)
                .uLong(size)
                .toBytes();
    }

    /** A whole message of GIOP 1.2, big-endian, with its right size. */
    static byte[] message(int type, boolean moreFragments, Consumer<Cdr> body) {
        Cdr out = new Cdr(false).raw(header(1, 2, moreFragments ? MORE_FRAGMENTS : 0, type, 0));
        body.accept(out);
        return out.patchULong(SIZE_AT, out.size() - HEADER).toBytes();
    }

    /** A request with a reply and without contexts. */
    static byte[] request(int id, byte[] key, String operation, Consumer<Cdr> arguments) {
        return request(id, key, operation, List.of(), arguments);
    }

    /** A request with a reply. */
    static byte[] request(int id, byte[] key, String operation, List<Context> contexts, Consumer<Cdr> arguments) {
        return message(REQUEST, false, out -> request(out, id, key, operation, contexts, arguments));
    }

    /** The first fragment of a request; further fragments follow. */
    static byte[] firstFragment(int id, byte[] key, String operation, byte[] part) {
        return message(REQUEST, true, out -> request(out, id, key, operation, List.of(), args -> args.raw(part)));
    }

    static byte[] fragment(int id, byte[] part, boolean more) {
        return message(FRAGMENT, more, out -> out.uLong(id).raw(part));
    }

    private static void request(
            Cdr out, int id, byte[] key, String operation, List<Context> contexts, Consumer<Cdr> arguments) {
        head(out, id, key, operation).uLong(contexts.size());
        contexts.forEach(context -> out.uLong(context.id()).octets(context.data()));
        out.align(8);
        arguments.accept(out);
    }

    /** A request's header as far as its operation. */
    static Cdr head(Cdr out, int id, byte[] key, String operation) {
        return out.uLong(id)
                .octet(3)
                .octet(0)
                .octet(0)
                .octet(0)
                .uShort(0)
                .octets(key)
                .string(operation);
    }

    /** The next reply of a stream; other messages are passed over. */
    static Reply readReply(DataInputStream in) throws IOException {
        while (true) {
            byte[] header = new byte[HEADER];
            in.readFully(header);
            ByteOrder order = (header[6] & LITTLE_ENDIAN) != 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            int size = ByteBuffer.wrap(header).order(order).getInt(SIZE_AT);
            if (size < 0 || size > LARGEST_REPLY) {
                throw new IOException("a reply of " + size + " bytes");
            }
            byte[] body = new byte[size];
            in.readFully(body);
            if (header[7] == REPLY) {
                return reply(ByteBuffer.wrap(body).order(order));
            }
            if (header[7] == CLOSE_CONNECTION || header[7] == MESSAGE_ERROR) {
                throw new IOException("the member ends the connection");
            }
        }
    }

    /** Alignment counts from the header; its 12 bytes are a multiple of 4. */
    private static Reply reply(ByteBuffer body) {
        int id = body.getInt();
        int status = body.getInt();
        Optional<Answer> answer = Optional.empty();
        for (int left = body.getInt(); left > 0; left--) {
            int context = body.getInt();
            byte[] data = new byte[body.getInt()];
            body.get(data);
            if (context == AnswerContext.CONTEXT_ID) {
                answer = Optional.of(AnswerContext.decode(data));
            }
            body.position(Math.min(body.limit(), body.position() + 3 & -4));
        }
        return new Reply(id, status, answer);
    }

    /** The object key in the first profile of a stringified reference. */
    static byte[] objectKey(String reference) {
        ByteBuffer ior = encapsulation(HexFormat.of().parseHex(reference.substring("IOR:".length())));
        blob(ior);
        align(ior).getInt();
        align(ior).getInt();
        ByteBuffer profile = encapsulation(blob(ior));
        profile.getShort();
        blob(profile);
        profile.position(profile.position() + 1 & -2);
        profile.getShort();
        return blob(profile);
    }

    private static ByteBuffer encapsulation(byte[] bytes) {
        return ByteBuffer.wrap(bytes)
                .order(bytes[0] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
                .position(1);
    }

    private static byte[] blob(ByteBuffer in) {
        byte[] bytes = new byte[align(in).getInt()];
        in.get(bytes);
        return bytes;
    }

    private static ByteBuffer align(ByteBuffer in) {
        return in.position(in.position() + 3 & -4);
    }

    /** All contexts in one list, for messages that carry several. */
    static List<Context> contexts(int count, int id, byte[] data) {
        List<Context> contexts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            contexts.add(new Context(id + i, data));
        }
        return contexts;
    }
}
