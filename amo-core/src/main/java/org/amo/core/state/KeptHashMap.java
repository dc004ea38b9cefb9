package org.amo.core.state;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a {@link HashMap} in a stream of Java objects, and takes its place when it is read: with the same number of buckets,
 * so that it iterates in the same order. The JDK's own serial form chooses another number when it is read. One thread owns it.
 */
final class KeptHashMap extends HashMap<@Nullable Object, @Nullable Object> implements Externalizable {
    private static final long serialVersionUID = 1L;

    private transient @Nullable HashMap<?, ?> source;
    private transient int capacityToBe = 1;

    /** For streams. Its one bucket can still become any number. */
    public KeptHashMap() {
        super(1);
    }

    /** To write a map. */
    @SuppressWarnings("NonApiType") // The concrete class is meant.
    KeptHashMap(HashMap<?, ?> source) {
        super(1);
        this.source = source;
    }

    HashTables.Shape shape() {
        int buckets = HashTables.buckets(keySet().spliterator());
        boolean allocated = !isEmpty() || buckets > 1;
        return new HashTables.Shape(allocated ? buckets : capacityToBe, allocated);
    }

    /** The program may write it, too, as a part of its own objects; then the class must be one that others know. */
    private Object writeReplace() {
        if (source != null) {
            return this;
        }
        HashMap<@Nullable Object, @Nullable Object> plain = HashTables.map(shape());
        HashTables.put(plain, shape(), List.copyOf(entrySet()));
        return plain;
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        HashMap<?, ?> map = source == null ? this : source;
        HashTables.Shape shape = HashTables.of(map);
        out.writeInt(shape.capacity());
        out.writeBoolean(shape.allocated());
        out.writeInt(map.size());
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.writeObject(entry.getKey());
            out.writeObject(entry.getValue());
        }
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException {
        HashTables.Shape shape = new HashTables.Shape(in.readInt(), in.readBoolean());
        int size = in.readInt();
        List<Map.Entry<@Nullable Object, @Nullable Object>> entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Object key = in.readObject();
            entries.add(new AbstractMap.SimpleImmutableEntry<>(key, in.readObject()));
        }
        capacityToBe = shape.capacity();
        if (!HashTables.reshape(this, shape)) {
            throw new IOException("a hash table cannot have " + shape);
        }
        HashTables.fill(this, shape, entries);
    }
}
