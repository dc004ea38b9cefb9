package org.amo.meetings;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.amo.base.wire.MalformedFrameException;

/** Provides checks that every decoder of bytes from outside must pass. */
public final class Fuzz {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A frame's cost apart from its length: an exception with its trace, a reader, some lists. */
    private static final long BASE_ALLOCATION = 40_000;

    private static final long ALLOCATION_PER_BYTE = 120;

    private Fuzz() {}

    public static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", "").replace("\n", ""));
    }

    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** A valid frame cut anywhere, or with one byte more, is malformed. */
    public static void truncations(byte[] valid, Consumer<byte[]> decoder) {
        decoder.accept(valid);
        for (int length = 0; length < valid.length; length++) {
            byte[] cut = Arrays.copyOf(valid, length);
            assertThrows(MalformedFrameException.class, () -> decoder.accept(cut), "cut at " + length);
        }
        assertThrows(MalformedFrameException.class, () -> decoder.accept(Arrays.copyOf(valid, valid.length + 1)));
    }

    /**
     * Random and mutated frames are malformed or decoded, never anything else, at little cost.
     *
     * @param decoder decodes and encodes again
     * @param canonical whether a decoded frame must be encoded to the very same bytes
     */
    public static void mutations(
            long seed, int count, byte[] valid, Function<byte[], byte[]> decoder, boolean canonical) {
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) {
            byte[] frame = i % 4 == 0 ? randomFrame(random, valid) : mutated(random, valid);
            byte[] given = frame.clone();
            try {
                byte[] again = costOf(frame, decoder);
                assertTrue(
                        !canonical || Arrays.equals(given, again),
                        () -> "seed " + seed + ": " + hex(given) + " decoded, but encodes to " + hex(again));
            } catch (MalformedFrameException e) {
                assertTrue(String.valueOf(e.getMessage()).length() > 10, String.valueOf(e));
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + hex(given) + " gave " + e, e);
            }
        }
    }

    /** A frame that claims more than it holds is malformed, and nothing is allocated on its word. */
    public static void claims(byte[] frame, Function<byte[], byte[]> decoder) {
        assertThrows(MalformedFrameException.class, () -> costOf(frame, decoder), () -> hex(frame));
    }

    private static byte[] costOf(byte[] frame, Function<byte[], byte[]> decoder) {
        long limit = BASE_ALLOCATION + ALLOCATION_PER_BYTE * frame.length;
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        try {
            return decoder.apply(frame);
        } finally {
            if (THREADS.getThreadAllocatedBytes(thread) - before >= limit) {
                // The first use of some code also loads its classes, here too: only later ones count.
                long cost = LongStream.generate(() -> costOfAgain(frame, decoder, thread))
                        .limit(3)
                        .min()
                        .orElseThrow();
                assertTrue(
                        cost < limit,
                        () -> "allocated " + cost + " bytes for a frame of " + frame.length + ": " + hex(frame));
            }
        }
    }

    private static long costOfAgain(byte[] frame, Function<byte[], byte[]> decoder, long thread) {
        long before = THREADS.getThreadAllocatedBytes(thread);
        try {
            assertNotNull(decoder.apply(frame));
        } catch (MalformedFrameException e) {
            assertTrue(String.valueOf(e.getMessage()).length() > 10, String.valueOf(e));
        }
        return THREADS.getThreadAllocatedBytes(thread) - before;
    }

    /** Random after a valid beginning, so that it gets past the version. */
    private static byte[] randomFrame(Random random, byte[] valid) {
        byte[] frame = new byte[random.nextInt(2 * valid.length + 2)];
        random.nextBytes(frame);
        int kept = random.nextInt(Math.min(valid.length, frame.length) + 1);
        System.arraycopy(valid, 0, frame, 0, kept);
        return frame;
    }

    private static byte[] mutated(Random random, byte[] valid) {
        byte[] frame = random.nextInt(6) == 0 ? Arrays.copyOf(valid, random.nextInt(valid.length + 4)) : valid.clone();
        for (int i = random.nextInt(4); i >= 0 && frame.length > 0; i--) {
            int at = random.nextInt(frame.length);
            frame[at] = switch (random.nextInt(4)) {
                case 0 -> (byte) 0xFF;
                case 1 -> (byte) 0x80;
                case 2 -> (byte) (frame[at] ^ 1 << random.nextInt(8));
                default -> (byte) random.nextInt();
            };
        }
        return frame;
    }
}
