package org.amo.core.state;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The same for a {@link HashSet} as {@link KeptHashMap} for a map. One thread owns it. */
final class KeptHashSet extends HashSet<@Nullable Object> implements Externalizable {
    private static final long serialVersionUID = 1L;

    private transient @Nullable HashSet<?> source;

    /** For streams. */
    public KeptHashSet() {
        super(1);
    }

    /** To write a set. */
    @SuppressWarnings("NonApiType") // The concrete class is meant.
    KeptHashSet(HashSet<?> source) {
        super(1);
        this.source = source;
    }

    HashTables.Shape shape() {
        return new HashTables.Shape(HashTables.buckets(spliterator()), !isEmpty());
    }

    /** As {@link KeptHashMap}. */
    private Object writeReplace() {
        if (source != null) {
            return this;
        }
        HashSet<@Nullable Object> plain = HashTables.set(shape());
        plain.addAll(this);
        return plain;
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        HashSet<?> set = source == null ? this : source;
        out.writeInt(HashTables.of(set).capacity());
        out.writeInt(set.size());
        for (Object element : set) {
            out.writeObject(element);
        }
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException {
        int capacity = in.readInt();
        int size = in.readInt();
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            elements.add(in.readObject());
        }
        HashTables.Shape shape = new HashTables.Shape(capacity, size > 0);
        if (!HashTables.reshape(this, shape)) {
            throw new IOException("a hash table cannot have " + shape);
        }
        HashTables.fill(this, shape, elements);
    }
}
