package org.amo.core.state;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The same for a {@link Hashtable} as {@link KeptHashMap} for a map. One thread owns it.
 *
 * <p>The JDK makes the places of a Hashtable when it reads it: at most as many as there were, and at most about four thirds of the
 * number of entries. No later step can choose them. So as many entries are written as it takes, without a meaning; then the
 * places are cleared, and the entries of the original follow.
 */
@SuppressWarnings("JdkObsolete") // the kind that the program has
final class KeptHashtable extends Hashtable<Object, Object> {
    private static final long serialVersionUID = 1L;

    private transient @Nullable Hashtable<?, ?> source;
    private transient int places;

    /** To write a table. */
    @SuppressWarnings("NonApiType") // The concrete class is meant.
    KeptHashtable(Hashtable<?, ?> source) {
        super(HashTables.places(source));
        this.source = source;
        this.places = HashTables.places(source);
        // One more could have the JDK choose a place more, for the sake of its load factor.
        for (int i = 0; i < (int) (places * 0.75f) - 1; i++) {
            put(i, "");
        }
    }

    int places() {
        return places;
    }

    @Override
    protected void rehash() {
        super.rehash();
        places = 2 * places + 1;
    }

    /** As {@link KeptHashMap}. */
    private Object writeReplace() {
        if (source != null) {
            return this;
        }
        Hashtable<Object, Object> plain = new Hashtable<>(places);
        HashTables.fill(plain, List.copyOf(entrySet()));
        return plain;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        out.defaultWriteObject();
        Hashtable<?, ?> table = source == null ? this : source;
        out.writeInt(places);
        out.writeInt(table.size());
        for (Map.Entry<?, ?> entry : table.entrySet()) {
            out.writeObject(entry.getKey());
            out.writeObject(entry.getValue());
        }
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        places = in.readInt();
        int size = in.readInt();
        clear();
        List<Map.Entry<Object, Object>> entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Object key = in.readObject();
            entries.add(new AbstractMap.SimpleImmutableEntry<>(key, in.readObject()));
        }
        HashTables.fill(this, entries);
        Iterator<Object> keys = keySet().iterator();
        for (Map.Entry<Object, Object> entry : entries) {
            if (!keys.hasNext() || keys.next() != entry.getKey()) {
                throw new IOException(
                        "a Hashtable has another order after it was filled; keep the content in a TreeMap");
            }
        }
    }
}
