package org.amo.determinism.runtime;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of objects, by identity; an entry goes with its object. Any thread. */
final class WeakTable<K, V> {
    private final Map<Key<K>, V> values = new HashMap<>();
    private final ReferenceQueue<K> gone = new ReferenceQueue<>();

    synchronized @Nullable V get(K object) {
        return values.get(new Key<>(object, null));
    }

    synchronized void put(K object, V value) {
        for (Reference<? extends K> each = gone.poll(); each != null; each = gone.poll()) {
            values.remove(each);
        }
        values.put(new Key<>(object, gone), value);
    }

    private static final class Key<K> extends WeakReference<K> {
        private final int hash;

        Key(K object, @Nullable ReferenceQueue<K> queue) {
            super(object, queue);
            hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            K object = get();
            return object != null && other instanceof Key<?> key && key.get() == object;
        }
    }
}
