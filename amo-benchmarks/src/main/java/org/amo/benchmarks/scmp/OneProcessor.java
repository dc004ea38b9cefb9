package org.amo.benchmarks.scmp;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Optional;

/**
 * Keeps all threads of this process on one processor, those of the virtual machine too, and the thread that opens this on another one.
 * Threads that start later stay where the thread is that starts them. One thread uses it.
 */
final class OneProcessor implements AutoCloseable {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final int MASK_BYTES = 128;

    /** A thread may start another one while the first round reads. */
    private static final int ROUNDS = 2;

    private final BitSet before;

    static {
        Native.register(OneProcessor.class, "c");
    }

    private OneProcessor(BitSet before) {
        this.before = before;
    }

    private static native int sched_getaffinity(int thread, NativeLong bytes, byte[] mask);

    private static native int sched_setaffinity(int thread, NativeLong bytes, byte[] mask);

    /** Empty if this thread may run on one processor only. */
    static Optional<OneProcessor> open() throws IOException {
        byte[] mask = new byte[MASK_BYTES];
        if (sched_getaffinity(0, new NativeLong(MASK_BYTES), mask) < 0) {
            throw new IOException("this system does not tell the processors of a thread: " + Native.getLastError());
        }
        BitSet before = BitSet.valueOf(mask);
        int first = before.nextSetBit(0);
        int second = before.nextSetBit(first + 1);
        if (second < 0) {
            return Optional.empty();
        }
        OneProcessor opened = new OneProcessor(before);
        placeAll(only(first));
        place(0, only(second));
        return Optional.of(opened);
    }

    private static BitSet only(int processor) {
        BitSet one = new BitSet();
        one.set(processor);
        return one;
    }

    private static void placeAll(BitSet processors) throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
                for (Path thread : threads) {
                    place(Integer.parseInt(thread.getFileName().toString()), processors);
                }
            }
        }
    }

    /** Nothing happens if the thread has ended. */
    private static void place(int thread, BitSet processors) {
        byte[] mask = new byte[MASK_BYTES];
        byte[] bits = processors.toByteArray();
        System.arraycopy(bits, 0, mask, 0, bits.length);
        int unused = sched_setaffinity(thread, new NativeLong(MASK_BYTES), mask);
    }

    /** All threads may run again where this one could. */
    @Override
    public void close() throws IOException {
        placeAll(before);
    }
}
