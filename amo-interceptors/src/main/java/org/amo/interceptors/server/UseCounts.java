package org.amo.interceptors.server;

import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.function.Function;

/** One thing for each key object, made at its first use and forgotten with its last. Any thread. */
final class UseCounts<K, V> {
    private final Function<K, V> make;

    // Guarded by this.
    private final IdentityHashMap<K, Entry<V>> entries = new IdentityHashMap<>();

    UseCounts(Function<K, V> make) {
        this.make = make;
    }

    /** Each call needs a {@link #release}. */
    synchronized V use(K key) {
        Entry<V> entry = entries.computeIfAbsent(key, absent -> new Entry<>(make.apply(absent)));
        entry.uses++;
        return entry.value;
    }

    /** The value in use for this key. */
    synchronized Optional<V> find(K key) {
        return Optional.ofNullable(entries.get(key)).map(entry -> entry.value);
    }

    /** One use has ended. */
    synchronized void release(K key) {
        Entry<V> entry = entries.get(key);
        if (entry != null && --entry.uses == 0) {
            entries.remove(key);
        }
    }

    private static final class Entry<V> {
        private final V value;
        private int uses;

        Entry(V value) {
            this.value = value;
        }
    }
}
