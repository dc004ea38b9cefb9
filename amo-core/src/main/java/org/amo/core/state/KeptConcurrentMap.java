package org.amo.core.state;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The same for a {@link ConcurrentHashMap} as {@link KeptHashMap} for a map. One thread owns it while it is written or read. */
final class KeptConcurrentMap extends ConcurrentHashMap<Object, Object> implements Externalizable {
    private static final long serialVersionUID = 1L;

    private transient @Nullable ConcurrentHashMap<?, ?> source;

    /** For streams. Its buckets can still become any number. */
    public KeptConcurrentMap() {
        super(0);
    }

    /** To write a map. */
    @SuppressWarnings("NonApiType") // The concrete class is meant.
    KeptConcurrentMap(ConcurrentHashMap<?, ?> source) {
        super(0);
        this.source = source;
    }

    /** As {@link KeptHashMap}. */
    private Object writeReplace() {
        if (source != null) {
            return this;
        }
        ConcurrentHashMap<Object, Object> plain =
                HashTables.concurrentMap(new HashTables.Shape(HashTables.buckets(keySet().spliterator()), true));
        forEach(plain::put);
        return plain;
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        ConcurrentHashMap<?, ?> map = source == null ? this : source;
        out.writeInt(HashTables.of(map).capacity());
        out.writeInt(map.size());
        for (Entry<?, ?> entry : map.entrySet()) {
            out.writeObject(entry.getKey());
            out.writeObject(entry.getValue());
        }
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException {
        HashTables.Shape shape = new HashTables.Shape(in.readInt(), true);
        int size = in.readInt();
        if (!HashTables.reshape(this, shape)) {
            throw new IOException("a hash table cannot have " + shape);
        }
        for (int i = 0; i < size; i++) {
            Object key = in.readObject();
            put(key, in.readObject());
        }
        HashTables.check(this, shape);
    }
}
