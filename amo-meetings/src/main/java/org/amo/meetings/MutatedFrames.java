package org.amo.meetings;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Frames made from valid ones, by a seed: bits flipped, ends cut, parts of two joined, parts repeated, lengths at their
 * extremes. A decoder must accept each or refuse it by the exception that it declares, and allocate little for it.
 */
public final class MutatedFrames {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A frame's cost apart from its length: an exception with its trace, a reader, some lists. */
    private static final long BASE_ALLOCATION = 64_000;

    private static final long ALLOCATION_PER_BYTE = 200;

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

    /** @param valid what is mutated; every decoder under test should accept each */
    public MutatedFrames(long seed, List<byte[]> valid) {
        this.random = new Random(seed);
        this.valid = valid;
    }

    /** Counts of one run. */
    public record Result(int accepted, int refused, long mostAllocated) {}

    /**
     * Decodes so many mutated frames.
     *
     * @throws AssertionError naming the frame that was neither accepted nor refused as declared, or cost too much
     */
    public static Result check(
            String name,
            long seed,
            int count,
            List<byte[]> valid,
            Class<? extends Exception> declared,
            Consumer<byte[]> decoder) {
        MutatedFrames frames = new MutatedFrames(seed, valid);
        valid.forEach(decoder);
        int accepted = 0;
        long most = 0;
        for (int i = 0; i < count; i++) {
            byte[] frame = frames.next();
            long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
            boolean taken = accepts(frame, declared, decoder, seed);
            long cost = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            long limit = BASE_ALLOCATION + ALLOCATION_PER_BYTE * frame.length;
            // The first use of some code also loads its classes: only a later one counts.
            for (int again = 0; again < 3 && cost > limit; again++) {
                before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
                accepts(frame, declared, decoder, seed);
                cost = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            }
            if (cost > limit) {
                throw new AssertionError("seed " + seed + ": " + cost + " bytes were allocated for " + hex(frame));
            }
            accepted += taken ? 1 : 0;
            most = Math.max(most, cost);
        }
        if (count >= TOLD_FROM) {
            System.out.printf(
                    "%s: %d frames, %d accepted, %d refused, at most %d bytes allocated for one%n",
                    name, count, accepted, count - accepted, most);
        }
        return new Result(accepted, count - accepted, most);
    }

    private static boolean accepts(
            byte[] frame, Class<? extends Exception> declared, Consumer<byte[]> decoder, long seed) {
        byte[] given = frame.clone();
        try {
            decoder.accept(frame);
            return true;
        } catch (RuntimeException | Error e) {
            if (declared.isInstance(e)) {
                return false;
            }
            throw new AssertionError("seed " + seed + ": " + hex(given) + " gave " + e, e);
        }
    }

    /** The next one. */
    public byte[] next() {
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

    /** A big-endian number of one, two, four or eight bytes. */
    private void extreme(byte[] frame, int at, long value) {
        int width = 1 << random.nextInt(4);
        for (int i = 0; i < width && at + i < frame.length; i++) {
            frame[at + i] = (byte) (value >>> (8 * (width - 1 - i)));
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

    private static String hex(byte[] frame) {
        return HexFormat.of().formatHex(frame);
    }
}
