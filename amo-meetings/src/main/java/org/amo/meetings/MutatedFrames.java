package org.amo.meetings;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Frames made from valid ones, by a seed: bits flipped, ends cut, parts of two joined, parts repeated, lengths at their
 * extremes.
 */
final class MutatedFrames {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A run of so many frames tells its counts. */
    private static final int TOLD_FROM = 1_000_000;

    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        0x7F,
        0x80,
        0xFF,
        0x7FFF,
        0x8000,
        0xFFFF,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final Random random;
    private final List<byte[]> valid;

    private MutatedFrames(long seed, List<byte[]> valid) {
        this.random = new Random(seed);
        this.valid = valid;
    }

    /**
     * Reads so many mutated frames.
     *
     * @throws AssertionError naming the frame that was neither accepted nor refused as declared, or cost too much
     */
    static void check(Decoder decoder, int count) {
        for (byte[] frame : decoder.valid()) {
            if (!decoder.accepts(frame)) {
                throw new AssertionError(decoder + " refuses the valid " + hex(frame));
            }
        }
        MutatedFrames frames = new MutatedFrames(decoder.name().hashCode(), decoder.valid());
        int accepted = 0;
        long most = 0;
        for (int i = 0; i < count; i++) {
            byte[] frame = frames.next();
            long limit = decoder.mostBytes(frame.length);
            long before = allocated();
            accepted += decoder.accepts(frame) ? 1 : 0;
            long cost = allocated() - before;
            // The first use of some code also loads its classes: only a later one counts.
            for (int again = 0; again < 3 && cost > limit; again++) {
                before = allocated();
                decoder.accepts(frame);
                cost = allocated() - before;
            }
            if (cost > limit) {
                throw new AssertionError(decoder + ": " + cost + " bytes were allocated for " + hex(frame));
            }
            most = Math.max(most, cost);
        }
        if (count >= TOLD_FROM) {
            System.out.printf(
                    "%s: %d frames, %d accepted, %d refused, at most %d bytes allocated for one%n",
                    decoder, count, accepted, count - accepted, most);
        }
    }

    private static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private byte[] next() {
        byte[] frame = pick().clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            frame = mutated(frame);
        }
        return frame;
    }

    private byte[] pick() {
        return valid.get(random.nextInt(valid.size()));
    }

    private byte[] mutated(byte[] frame) {
        if (frame.length == 0) {
            return new byte[] {(byte) random.nextInt()};
        }
        int at = random.nextInt(frame.length);
        switch (random.nextInt(8)) {
            case 0 -> frame[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> frame[at] = (byte) random.nextInt();
            case 2 -> {
                return Arrays.copyOf(frame, at);
            }
            case 3 -> {
                return Arrays.copyOf(frame, frame.length + 1 + random.nextInt(16));
            }
            case 4 -> {
                byte[] other = pick();
                int from = random.nextInt(other.length + 1);
                return joined(frame, at, other, from, other.length - from);
            }
            case 5 -> {
                int length = Math.min(frame.length - at, 1 + random.nextInt(64));
                return joined(frame, at + length, frame, at, frame.length - at);
            }
            case 6 -> extreme(frame, at, EXTREMES[random.nextInt(EXTREMES.length)]);
            default -> varint(frame, at);
        }
        return frame;
    }

    /** A number of one, two, four or eight bytes, most often big-endian. */
    private void extreme(byte[] frame, int at, long value) {
        int width = 1 << random.nextInt(4);
        boolean bigEndian = random.nextInt(4) > 0;
        for (int i = 0; i < width && at + i < frame.length; i++) {
            frame[at + i] = (byte) (value >>> (8 * (bigEndian ? width - 1 - i : i)));
        }
    }

    /** A length of seven bits a byte that claims much. */
    private void varint(byte[] frame, int at) {
        int width = 1 + random.nextInt(9);
        for (int i = 0; i < width && at + i < frame.length; i++) {
            frame[at + i] = (byte) (i == width - 1 ? 0x7F : 0xFF);
        }
    }

    private static byte[] joined(byte[] first, int kept, byte[] second, int from, int length) {
        byte[] joined = Arrays.copyOf(first, kept + length);
        System.arraycopy(second, from, joined, kept, length);
        return joined;
    }

    static String hex(byte[] frame) {
        return HexFormat.of().formatHex(frame);
    }
}
