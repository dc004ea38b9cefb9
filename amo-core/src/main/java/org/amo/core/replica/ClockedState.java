package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * A servant's state with the clock of its operations, which is in front of it where the clock is ahead of the group's time
 * (docs/wire/snapshot.md, "The clock of operations"). A state that happens to begin like one with a clock gets one, too.
 *
 * @param clockNanos since 1970; empty if the clock is the group's time
 */
record ClockedState(Optional<Long> clockNanos, byte[] state) {
    private static final byte[] MARK = {
        (byte) 0xA3, 'a', 'm', 'o', 'C', 'l', 'o', 'c', 'k', (byte) 0x9E, 0x37, 0x79, (byte) 0xB9, 0x7F, 0x4A, 1
    };
    private static final int HEAD = MARK.length + Long.BYTES;

    byte[] encode() {
        return clockNanos.isEmpty() && !isMarked(state)
                ? state
                : ByteBuffer.allocate(HEAD + state.length)
                        .put(MARK)
                        .putLong(clockNanos.orElse(0L))
                        .put(state)
                        .array();
    }

    static ClockedState decode(byte[] bytes) {
        if (!isMarked(bytes) || bytes.length < HEAD) {
            return new ClockedState(Optional.empty(), bytes);
        }
        long clock = ByteBuffer.wrap(bytes).getLong(MARK.length);
        return new ClockedState(
                clock == 0 ? Optional.empty() : Optional.of(clock), Arrays.copyOfRange(bytes, HEAD, bytes.length));
    }

    private static boolean isMarked(byte[] bytes) {
        return bytes.length >= MARK.length && Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length);
    }
}
