package org.amo.lab.attack;

import java.util.ArrayList;
import java.util.List;

/** Does the damage of a careless service when a hostile client asks for it. */
final class Misuse {
    private static final int BLOCK = 1 << 20;

    private Misuse() {}

    /** Calls itself until the depth has no room in a long: ends in StackOverflowError. */
    static long descend(long depth) {
        return depth < 0 ? 0 : descend(depth + 1) + 1;
    }

    /** Allocates without bound: ends in OutOfMemoryError. */
    static long allocate() {
        List<byte[]> blocks = new ArrayList<>();
        while (blocks.size() < Integer.MAX_VALUE) {
            blocks.add(new byte[BLOCK]);
        }
        return blocks.size();
    }

    /** Ends in AssertionError. */
    static long fail() {
        throw new AssertionError("an attacked service fails on purpose");
    }

    /** So many bytes, the same at each member. */
    static byte[] bulk(int bytes) {
        return new byte[Math.max(0, Math.min(bytes, BLOCK))];
    }
}
