package org.amo.core.state;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/** The hash tables of the JDK in a stream of Java objects: each is written as a class that keeps its order. */
public final class KeptTables {
    /** The classes that stand in a stream. */
    public static final List<Class<?>> CLASSES =
            List.of(KeptHashMap.class, KeptHashSet.class, KeptHashtable.class, KeptConcurrentMap.class);

    private static final List<Class<?>> PLAIN =
            List.of(HashMap.class, HashSet.class, Hashtable.class, ConcurrentHashMap.class);

    private KeptTables() {}

    /**
     * The object to write in place of another one: itself, unless it is a hash table.
     *
     * @throws IllegalArgumentException in one line if the order of the table cannot be kept
     */
    public static Object standIn(Object object) {
        Class<?> type = object.getClass();
        if (type == HashMap.class) {
            HashMap<?, ?> map = (HashMap<?, ?>) object;
            // The JDK reads an empty map as one that was never filled.
            return isFresh(map) ? map : new KeptHashMap(map);
        }
        if (type == ConcurrentHashMap.class) {
            ConcurrentHashMap<?, ?> map = (ConcurrentHashMap<?, ?>) object;
            return isFresh(map) ? map : new KeptConcurrentMap(map);
        }
        if (type == HashSet.class) {
            return new KeptHashSet((HashSet<?>) object);
        }
        if (type == Hashtable.class) {
            return new KeptHashtable((Hashtable<?, ?>) object);
        }
        Optional<String> refusal = refusal(object);
        if (refusal.isPresent()) {
            throw new IllegalArgumentException(refusal.get());
        }
        return object;
    }

    /** Why a table of this class cannot be written, in one line; empty if it can, or is none. */
    public static Optional<String> refusal(Object object) {
        Class<?> type = object.getClass();
        if (PLAIN.contains(type)
                || CLASSES.contains(type)
                || type == Properties.class
                || object instanceof LinkedHashMap
                || object instanceof LinkedHashSet) {
            return Optional.empty();
        }
        return PLAIN.stream()
                .filter(plain -> plain.isInstance(object))
                .findFirst()
                .map(plain -> "a " + type.getName() + " extends " + plain.getSimpleName()
                        + ", and would come back in another order; extend a LinkedHashMap, LinkedHashSet or TreeMap");
    }

    private static boolean isFresh(Map<?, ?> map) {
        return map.isEmpty()
                && (map instanceof HashMap<?, ?> hashed
                                ? HashTables.of(hashed)
                                : HashTables.of((ConcurrentHashMap<?, ?>) map))
                        .equals(HashTables.Shape.FRESH);
    }
}
