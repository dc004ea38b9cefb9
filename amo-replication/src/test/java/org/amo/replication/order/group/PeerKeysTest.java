package org.amo.replication.order.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class PeerKeysTest {

    @Test
    void theOldestGoesWhenThereAreTooMany() {
        AtomicInteger derived = new AtomicInteger();
        PeerKeys<Integer> keys = new PeerKeys<>(2, salt -> derived.incrementAndGet());
        for (int salt : new int[] {1, 2, 3, 3, 2}) {
            keys.of(salt(salt));
        }
        assertEquals(3, derived.get());
        keys.of(salt(1));
        assertEquals(4, derived.get());
        assertEquals(2, keys.size());
    }

    @Test
    void whoeverReadsFramesOfAPeerAtOnceDerivesItsKeyOnce() {
        Meetings.prove(
                () -> {
                    AtomicInteger derived = new AtomicInteger();
                    PeerKeys<Integer> keys = new PeerKeys<>(8, salt -> derived.incrementAndGet());
                    return reading(keys::of, derived);
                },
                () -> {
                    AtomicInteger derived = new AtomicInteger();
                    Map<ByteBuffer, Integer> keys = new LinkedHashMap<>();
                    return reading(
                            salt -> keys.computeIfAbsent(ByteBuffer.wrap(salt), absent -> derived.incrementAndGet()),
                            derived);
                });
    }

    private static Meeting reading(Function<byte[], Integer> keyOf, AtomicInteger derived) {
        Meeting.Act act = () -> {
            for (int salt = 0; salt < 8; salt++) {
                Integer unused = keyOf.apply(salt(salt));
            }
        };
        return Meeting.of(() -> derived.get() == 8 ? "" : derived + " keys of 8 peers were derived", act, act);
    }

    private static byte[] salt(int number) {
        return new byte[] {(byte) number};
    }
}
