package org.amo.core.state;

import java.nio.ByteBuffer;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds hash tables of the JDK so that the copy iterates in the same order as the original, now and after the same
 * further changes. That order depends on the number of buckets and on the order within each bucket, and neither is in the
 * content. The number of buckets is read from the serial form, which the JDK documents; the order within a bucket is kept by
 * inserting in iteration order; a {@link Hashtable} inserts before the others of a bucket, so there it is the reverse.
 *
 * <p>Limits, each refused with one line: a load factor other than the default, and more than {@value #MOST_IN_BUCKET} keys
 * in one bucket, which {@link HashMap} keeps as a tree: no insertion can repeat its order. A bucket that held more once, and
 * fewer now, cannot be told from others.
 */
@SuppressWarnings("NonApiType") // The concrete class is meant.
public final class HashTables {
    /** One more, and the bucket becomes a tree. */
    public static final int MOST_IN_BUCKET = 8;

    private static final float LOAD_FACTOR = 0.75f;
    private static final int MAX_CAPACITY = 1 << 30;
    private static final int MAP_OFFSET =
            SerialForm.of(new HashMap<>(), Integer.MAX_VALUE).length - (4 + 4 + 2 + 4 + 4 + 1);
    private static final int SET_OFFSET =
            SerialForm.of(new HashSet<>(), Integer.MAX_VALUE).length - (2 + 4 + 4 + 4 + 1);

    @SuppressWarnings("JdkObsolete") // the kind that a state has
    private static final int TABLE_OFFSET =
            SerialForm.of(new Hashtable<>(), Integer.MAX_VALUE).length - (4 + 4 + 2 + 4 + 4 + 1);

    private HashTables() {}

    /**
     * The structure that the content does not tell.
     *
     * @param capacity number of buckets, a power of two; 0 in {@link #FRESH}
     * @param allocated whether the buckets exist; a map that was never filled has none yet
     */
    public record Shape(int capacity, boolean allocated) {
        /** Of a map that was never filled and has no capacity: that follows from the size of the first {@code putAll}. */
        public static final Shape FRESH = new Shape(0, false);

        public Shape {
            if (capacity < (allocated ? 1 : 0) || capacity > MAX_CAPACITY || Integer.bitCount(capacity) > 1) {
                throw new IllegalArgumentException("the buckets of a hash table are a power of two: " + capacity);
            }
        }

        private int threshold() {
            return capacity == MAX_CAPACITY ? Integer.MAX_VALUE : (int) (capacity * LOAD_FACTOR);
        }
    }

    /**
     * The shape of a plain {@link HashMap}.
     *
     * @throws IllegalArgumentException in one line if the order of the map cannot be kept
     */
    public static Shape of(HashMap<?, ?> map) {
        if (map instanceof KeptHashMap kept) {
            checkBuckets(map.keySet(), kept.shape());
            return kept.shape();
        }
        ByteBuffer form = ByteBuffer.wrap(SerialForm.of(map, MAP_OFFSET + 14)).position(MAP_OFFSET);
        float loadFactor = form.getFloat();
        int threshold = form.getInt();
        form.getShort();
        int capacity = form.getInt();
        checkLoadFactor(loadFactor);
        // A map without buckets has its capacity as the threshold, or none: 0 with the default capacity of 16.
        boolean allocated = !map.isEmpty() || (threshold == 0 ? capacity == 1 : threshold != capacity);
        Shape shape = allocated || threshold > 0 ? new Shape(capacity, allocated) : Shape.FRESH;
        checkBuckets(map.keySet(), shape);
        return shape;
    }

    /**
     * The shape of a plain {@link HashSet}.
     *
     * @throws IllegalArgumentException in one line if the order of the set cannot be kept
     */
    public static Shape of(HashSet<?> set) {
        if (set instanceof KeptHashSet kept) {
            checkBuckets(set, kept.shape());
            return kept.shape();
        }
        ByteBuffer form = ByteBuffer.wrap(SerialForm.of(set, SET_OFFSET + 14)).position(SET_OFFSET + 2);
        Shape shape = new Shape(form.getInt(), !set.isEmpty());
        checkLoadFactor(form.getFloat());
        checkBuckets(set, shape);
        return shape;
    }

    /**
     * The shape of a {@link ConcurrentHashMap}. A capacity that was given to a map which was never filled cannot be told; to have the map
     * make its buckets would change it, and each member looks at another moment.
     *
     * @throws IllegalArgumentException in one line if the order of the map cannot be kept
     */
    public static Shape of(ConcurrentHashMap<?, ?> map) {
        int buckets = buckets(map.keySet().spliterator());
        if (map.isEmpty() && buckets == 1) {
            return Shape.FRESH;
        }
        Shape shape = new Shape(buckets, true);
        checkBuckets(map.keySet(), shape);
        return shape;
    }

    /**
     * The number of places of a {@link Hashtable}.
     *
     * @throws IllegalArgumentException in one line if the order of the table cannot be kept
     */
    static int places(Hashtable<?, ?> table) {
        if (table instanceof KeptHashtable kept) {
            return kept.places();
        }
        ByteBuffer form =
                ByteBuffer.wrap(SerialForm.of(table, TABLE_OFFSET + 14)).position(TABLE_OFFSET);
        checkLoadFactor(form.getFloat());
        form.getInt();
        form.getShort();
        return form.getInt();
    }

    /** Halves a range of buckets until one is left. */
    static int buckets(Spliterator<?> range) {
        int count = 1;
        while (range.trySplit() != null) {
            count *= 2;
        }
        return count;
    }

    /** An empty map of that shape. */
    public static HashMap<@Nullable Object, @Nullable Object> map(Shape shape) {
        if (shape.equals(Shape.FRESH)) {
            return new HashMap<>();
        }
        HashMap<@Nullable Object, @Nullable Object> map = new HashMap<>(shape.capacity);
        if (shape.allocated) {
            allocate(map);
        }
        return map;
    }

    /** An empty set of that shape. */
    public static HashSet<@Nullable Object> set(Shape shape) {
        return new HashSet<>(shape.capacity);
    }

    /** An empty map of that shape. */
    public static ConcurrentHashMap<Object, Object> concurrentMap(Shape shape) {
        if (shape.equals(Shape.FRESH)) {
            return new ConcurrentHashMap<>();
        }
        int capacity = shape.capacity;
        ConcurrentHashMap<Object, Object> map =
                new ConcurrentHashMap<>(capacity < 4 ? capacity - 1 : (int) (capacity * LOAD_FACTOR) - 1);
        allocate(map);
        check(of(map), shape);
        return map;
    }

    /**
     * Empties a map and gives it a shape, if that can be done to it: buckets are never given back.
     *
     * @return whether it has the shape now
     */
    public static boolean reshape(HashMap<@Nullable Object, @Nullable Object> map, Shape shape) {
        map.clear();
        Shape present = of(map);
        if (shape.equals(Shape.FRESH)) {
            return present.equals(shape);
        }
        if (present.capacity < shape.capacity || (map instanceof KeptHashMap && shape.capacity > 1)) {
            // A map without buckets takes a capacity that holds so many; one with buckets doubles them until they do.
            int announced = present.allocated ? shape.threshold() : Math.max(1, shape.threshold() - 1);
            map.putAll(new Announced(announced));
        }
        if (shape.allocated && !present.allocated) {
            allocate(map);
        }
        Shape now = of(map);
        return now.equals(shape) || (map instanceof KeptHashMap && shape.capacity == 1 && now.capacity == 1);
    }

    /** The same for a concurrent map. */
    public static boolean reshape(ConcurrentHashMap<Object, Object> map, Shape shape) {
        map.clear();
        if (shape.equals(Shape.FRESH)) {
            return of(map).equals(shape);
        }
        allocate(map);
        if (shape.capacity >= 8 && buckets(map.keySet().spliterator()) < shape.capacity) {
            // It doubles its buckets until three quarters of them are at least the half of those to be.
            map.putAll(new Announced(shape.capacity / 4));
        }
        for (int i = 0; buckets(map.keySet().spliterator()) < shape.capacity; i++) {
            map.put(i, HashTables.class);
        }
        map.clear();
        return of(map).equals(shape);
    }

    /** The same for a set. */
    public static boolean reshape(HashSet<@Nullable Object> set, Shape shape) {
        set.clear();
        if (of(set).capacity < shape.capacity) {
            List<Object> some = new ArrayList<>();
            for (int i = 0; i <= shape.threshold() / 2; i++) {
                some.add(new Object());
            }
            set.addAll(some);
            set.clear();
        }
        return of(set).capacity == shape.capacity;
    }

    /**
     * Puts entries into an empty map of a shape, in the order in which the original iterates.
     *
     * @throws IllegalStateException in one line if the map differs from the original afterwards
     */
    public static void fill(
            HashMap<@Nullable Object, @Nullable Object> map,
            Shape shape,
            List<? extends Map.Entry<? extends @Nullable Object, ? extends @Nullable Object>> entries) {
        put(map, shape, entries);
        if (!entries.isEmpty()) {
            check(of(map), shape);
        }
    }

    /** The same without the check, for a map whose order the reader need not keep. */
    static void put(
            HashMap<@Nullable Object, @Nullable Object> map,
            Shape shape,
            List<? extends Map.Entry<? extends @Nullable Object, ? extends @Nullable Object>> entries) {
        // HashMap.computeIfAbsent, merge and compute let one more in than put does, and put it before the others of its
        // bucket.
        boolean oneMore = entries.size() > shape.threshold();
        for (Map.Entry<? extends @Nullable Object, ? extends @Nullable Object> entry :
                oneMore ? entries.subList(1, entries.size()) : entries) {
            map.put(entry.getKey(), entry.getValue());
        }
        if (oneMore) {
            map.computeIfAbsent(entries.get(0).getKey(), key -> entries.get(0).getValue());
        }
    }

    /** The same for a set. */
    public static void fill(HashSet<@Nullable Object> set, Shape shape, List<? extends @Nullable Object> elements) {
        set.addAll(elements);
        check(of(set), new Shape(shape.capacity, !set.isEmpty()));
    }

    /**
     * Checks a concurrent map of a shape after it was filled, in the order in which the original iterates.
     *
     * @throws IllegalStateException in one line if the map differs from the original
     */
    public static void check(ConcurrentHashMap<?, ?> map, Shape shape) {
        check(of(map), shape);
    }

    /** Puts entries into an empty table, given in the order in which the original iterates. */
    static void fill(Hashtable<Object, Object> table, List<? extends Map.Entry<?, ?>> entries) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            table.put(entries.get(i).getKey(), entries.get(i).getValue());
        }
    }

    private static void allocate(ConcurrentHashMap<Object, Object> map) {
        map.put(HashTables.class, HashTables.class);
        map.remove(HashTables.class);
    }

    private static void allocate(HashMap<@Nullable Object, @Nullable Object> map) {
        // Put would double the one bucket of a map that has no more.
        map.computeIfAbsent(null, key -> HashTables.class);
        map.remove(null);
    }

    private static void check(Shape found, Shape expected) {
        if (!found.equals(expected)) {
            throw new IllegalStateException("a hash table has " + found + " after it was filled, not " + expected
                    + "; keep the content in a LinkedHashMap or TreeMap");
        }
    }

    private static void checkLoadFactor(float loadFactor) {
        if (loadFactor != LOAD_FACTOR) {
            throw new IllegalArgumentException("a hash table has the load factor " + loadFactor
                    + "; make it with the default one, or use a LinkedHashMap or TreeMap");
        }
    }

    /** Keys of one bucket follow each other. */
    private static void checkBuckets(Iterable<?> keys, Shape shape) {
        int last = -1;
        int run = 0;
        for (Object key : keys) {
            int hash = key == null ? 0 : key.hashCode();
            int bucket = (hash ^ hash >>> 16) & (shape.capacity - 1);
            run = bucket == last ? run + 1 : 1;
            last = bucket;
            if (run > MOST_IN_BUCKET) {
                throw new IllegalArgumentException("more than " + MOST_IN_BUCKET
                        + " keys share a bucket of a hash table, so that its order cannot be repeated; use a"
                        + " LinkedHashMap or TreeMap");
            }
        }
    }

    /** Says that it holds so many, and holds none. */
    private static final class Announced extends AbstractMap<@Nullable Object, @Nullable Object> {
        private final int size;

        Announced(int size) {
            this.size = size;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public Set<Map.Entry<@Nullable Object, @Nullable Object>> entrySet() {
            return Set.of();
        }
    }
}
