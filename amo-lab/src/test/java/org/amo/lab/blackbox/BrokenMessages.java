package org.amo.lab.blackbox;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/**
 * Broken GIOP messages, contexts and bodies, of which the client's requests are the whole ones.
 *
 * @param random chooses them
 */
record BrokenMessages(Random random) {
    private static final int GIOP_HEADER = 12;
    private static final int SIZE_AT = 8;
    private static final int[] EXTREMES = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x0001_0000, 0x7FFF_FFF0};

    /** Another one. */
    byte[] next(RawClient client) {
        Giop dialect = new Giop(random.nextInt(3), random.nextBoolean());
        byte[] whole = dialect.request(
                random.nextInt(),
                random.nextInt(8) > 0,
                client.objectKey(),
                pick(List.of("deposit", "transfer", "balances", "_is_a", "_non_existent", "no_such_operation")),
                contexts(client),
                out -> out.string("fuzz").longLong(1));
        List<UnaryOperator<byte[]>> ways = List.of(
                this::cut,
                bytes -> sized(cut(bytes)),
                bytes -> flip(bytes, 0),
                bytes -> flip(bytes, GIOP_HEADER),
                this::extreme,
                bytes -> with(bytes, 7, random.nextInt(256)),
                bytes -> with(bytes, 6, random.nextInt(256)),
                bytes -> sized(longer(bytes)),
                bytes -> glued(bytes, flip(bytes, GIOP_HEADER)));
        return pick(ways).apply(whole);
    }

    private Map<Integer, byte[]> contexts(RawClient client) {
        byte[] own =
                new RequestContext(client.id(), java.util.Optional.of(client.call()), FinishedNumbers.NONE).encode();
        return switch (random.nextInt(4)) {
            case 0 -> Map.of();
            case 1 -> Map.of(RequestContext.CONTEXT_ID, own);
            case 2 -> Map.of(RequestContext.CONTEXT_ID, flip(own, 0));
            default -> Map.of(13, noise(), 1, noise());
        };
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(60)];
        random.nextBytes(bytes);
        return bytes;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private byte[] cut(byte[] bytes) {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }

    private byte[] longer(byte[] bytes) {
        return Arrays.copyOf(bytes, bytes.length + random.nextInt(5_000));
    }

    private byte[] flip(byte[] bytes, int from) {
        byte[] changed = bytes.clone();
        for (int i = random.nextInt(6); i >= 0 && changed.length > from; i--) {
            changed[from + random.nextInt(changed.length - from)] = (byte) random.nextInt(256);
        }
        return changed;
    }

    /** A length, a count or an id that cannot be. */
    private byte[] extreme(byte[] bytes) {
        byte[] changed = bytes.clone();
        int at = SIZE_AT + 4 * random.nextInt((changed.length - SIZE_AT) / 4);
        ByteBuffer.wrap(changed).putInt(at, EXTREMES[random.nextInt(EXTREMES.length)]);
        return changed;
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    /** The header says how long it really is. */
    private static byte[] sized(byte[] bytes) {
        if (bytes.length >= GIOP_HEADER) {
            boolean little = (bytes[6] & 1) == 1;
            ByteBuffer.wrap(bytes)
                    .order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
                    .putInt(SIZE_AT, bytes.length - GIOP_HEADER);
        }
        return bytes;
    }

    private static byte[] glued(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
