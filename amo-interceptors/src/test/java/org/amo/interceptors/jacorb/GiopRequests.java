package org.amo.interceptors.jacorb;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.amo.core.wire.RequestContext;

/**
 * GIOP requests built by field, from bytes that choose: version, byte order, flags, target, operation, service contexts and
 * arguments. Some lengths lie. So whatever the bytes are, a request comes of them that reaches the reader's inner parts.
 */
final class GiopRequests {
    private static final int HEADER = 12;
    private static final int[] CONTEXTS = {0, 1, 5, 10, 12, 13, 15, 17, RequestContext.CONTEXT_ID, 0x414D4F02};
    private static final int[] LIES = {0, 1, 7, 0x7F, 0xFFFF, 0x10000, Integer.MAX_VALUE, Integer.MIN_VALUE, -1, -8};
    private static final String[] OPERATIONS = {"", "deposit", "_get_name", "_set_name", "_is_a", "_non_existent"};

    private final byte[] choices;
    private int next;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private ByteOrder order = ByteOrder.BIG_ENDIAN;

    private GiopRequests(byte[] choices) {
        this.choices = choices;
    }

    /** The request that these bytes choose. */
    static byte[] of(byte[] choices) {
        return new GiopRequests(choices).build();
    }

    private int choose(int most) {
        return next < choices.length ? (choices[next++] & 0xFF) % most : 0;
    }

    private byte[] bytes(int length) {
        byte[] some =
                Arrays.copyOfRange(choices, Math.min(next, choices.length), Math.min(next + length, choices.length));
        next += some.length;
        return some;
    }

    private byte[] build() {
        int minor = choose(3);
        order = choose(2) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        out.writeBytes("GIOP".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(new byte[] {1, (byte) minor, (byte) (order == ByteOrder.LITTLE_ENDIAN ? 1 : 0), 0, 0, 0, 0, 0});
        if (minor == 2) {
            number(choose(256));
            out.writeBytes(new byte[] {(byte) choose(5), 0, 0, 0});
            target();
            string(OPERATIONS[choose(OPERATIONS.length)]);
            contexts();
            align(8);
        } else {
            contexts();
            number(choose(256));
            out.writeBytes(new byte[] {(byte) choose(3), 0, 0, 0});
            align(4);
            octets(bytes(choose(32)));
            string(OPERATIONS[choose(OPERATIONS.length)]);
            octets(new byte[0]);
        }
        out.writeBytes(bytes(choices.length));
        byte[] message = out.toByteArray();
        ByteBuffer.wrap(message).order(order).putInt(8, message.length - HEADER);
        return message;
    }

    /** By key, by profile or by a whole reference. */
    private void target() {
        int kind = choose(4);
        align(2);
        out.writeBytes(
                ByteBuffer.allocate(2).order(order).putShort((short) kind).array());
        switch (kind) {
            case 0 -> octets(bytes(choose(32)));
            case 1 -> {
                number(choose(3));
                octets(bytes(choose(64)));
            }
            default -> {
                number(choose(2));
                string("IDL:X:1.0");
                lengthOf(1);
                number(choose(3));
                octets(bytes(choose(64)));
            }
        }
    }

    private void contexts() {
        int count = choose(5);
        lengthOf(count);
        for (int i = 0; i < count; i++) {
            number(CONTEXTS[choose(CONTEXTS.length)]);
            octets(bytes(choose(80)));
        }
    }

    private void octets(byte[] bytes) {
        lengthOf(bytes.length);
        out.writeBytes(bytes);
    }

    private void string(String text) {
        octets((text + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    /** One in 16 lies. */
    private void lengthOf(int length) {
        number(choose(16) == 15 ? LIES[choose(LIES.length)] : length);
    }

    private void number(int value) {
        align(4);
        out.writeBytes(ByteBuffer.allocate(4).order(order).putInt(value).array());
    }

    private void align(int boundary) {
        while (out.size() % boundary != 0) {
            out.write(0);
        }
    }
}
