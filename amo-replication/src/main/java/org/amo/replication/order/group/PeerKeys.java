package org.amo.replication.order.group;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Keys of the processes that wrote to us, by their salts; the oldest goes first, and is derived again if needed. Any thread. */
final class PeerKeys<K> {
    private final int most;
    private final Function<byte[], K> derive;

    // Guarded by this.
    private final Map<ByteBuffer, K> keys = new LinkedHashMap<>();

    PeerKeys(int most, Function<byte[], K> derive) {
        this.most = most;
        this.derive = derive;
    }

    /** @param salt not changed afterwards */
    synchronized K of(byte[] salt) {
        K key = keys.computeIfAbsent(ByteBuffer.wrap(salt), absent -> derive.apply(salt));
        if (keys.size() > most) {
            keys.remove(keys.keySet().iterator().next());
        }
        return key;
    }

    synchronized int size() {
        return keys.size();
    }
}
