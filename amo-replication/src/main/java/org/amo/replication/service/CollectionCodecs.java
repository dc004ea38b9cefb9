package org.amo.replication.service;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Arrays, lists, sets and maps. A hash table has no order that two members need to share, so its elements are written in the
 * order of their bytes; those that have an order of their own keep it. Sorted ones come with one of the orders of the JDK.
 */
final class CollectionCodecs {
    private static final int MAX_NAME = 64;

    private CollectionCodecs() {}

    static Optional<TypeCodec> of(Type type, String where, TypeCodecs codecs) {
        if (type instanceof ParameterizedType parameterized && parameterized.getRawType() instanceof Class<?> raw) {
            Type[] arguments = parameterized.getActualTypeArguments();
            if (raw == List.class || raw == Collection.class) {
                return Optional.of(list(codecs.of(arguments[0], where)));
            }
            if (raw == Set.class) {
                return Optional.of(set(codecs.of(arguments[0], where)));
            }
            if (raw == Map.class) {
                return Optional.of(map(codecs.of(arguments[0], where), codecs.of(arguments[1], where)));
            }
            if (raw == SortedSet.class || raw == NavigableSet.class) {
                return Optional.of(sortedSet(codecs.of(comparable(arguments[0], where), where)));
            }
            if (raw == SortedMap.class || raw == NavigableMap.class) {
                return Optional.of(
                        sortedMap(codecs.of(comparable(arguments[0], where), where), codecs.of(arguments[1], where)));
            }
        }
        if (type instanceof GenericArrayType array) {
            return array(array.getGenericComponentType(), where, codecs);
        }
        return type instanceof Class<?> plain && plain.isArray() && plain != byte[].class
                ? array(plain.getComponentType(), where, codecs)
                : Optional.empty();
    }

    private static TypeCodec list(TypeCodec element) {
        return TypeCodecs.reference(
                "list " + element.schema(),
                (to, value, depth) -> write(to, element, depth, (Collection<?>) Objects.requireNonNull(value)),
                (from, depth) -> read(from, element, depth, new ArrayList<>()));
    }

    private static void write(WireWriter to, TypeCodec element, int depth, Collection<?> elements) {
        to.varint(elements.size());
        elements.forEach(each -> element.writer().write(to, each, depth + 1));
    }

    private static TypeCodec set(TypeCodec element) {
        return TypeCodecs.reference(
                "set " + element.schema(),
                (to, value, depth) -> {
                    Collection<?> elements = (Collection<?>) Objects.requireNonNull(value);
                    List<byte[]> parts = new ArrayList<>();
                    for (Object each : elements) {
                        WireWriter part = new WireWriter(16);
                        element.writer().write(part, each, depth + 1);
                        parts.add(part.toBytes());
                    }
                    boolean ordered = value instanceof SortedSet || value instanceof LinkedHashSet;
                    put(to, parts, ordered);
                },
                (from, depth) -> read(from, element, depth, new LinkedHashSet<>()));
    }

    private static Collection<@Nullable Object> read(
            WireReader from, TypeCodec element, int depth, Collection<@Nullable Object> into) {
        for (int left = count(from); left > 0; left--) {
            into.add(element.reader().read(from, depth + 1));
        }
        return into;
    }

    private static TypeCodec map(TypeCodec key, TypeCodec held) {
        return TypeCodecs.reference(
                "map " + key.schema() + " to " + held.schema(),
                (to, value, depth) -> {
                    List<byte[]> parts = new ArrayList<>();
                    for (Map.Entry<?, ?> each : ((Map<?, ?>) Objects.requireNonNull(value)).entrySet()) {
                        WireWriter part = new WireWriter(32);
                        key.writer().write(part, each.getKey(), depth + 1);
                        held.writer().write(part, each.getValue(), depth + 1);
                        parts.add(part.toBytes());
                    }
                    boolean ordered = value instanceof SortedMap || value instanceof LinkedHashMap;
                    put(to, parts, ordered);
                },
                (from, depth) -> read(from, key, held, depth, new LinkedHashMap<>()));
    }

    private static Map<@Nullable Object, @Nullable Object> read(
            WireReader from, TypeCodec key, TypeCodec held, int depth, Map<@Nullable Object, @Nullable Object> into) {
        for (int left = count(from); left > 0; left--) {
            Object name = key.reader().read(from, depth + 1);
            into.put(name, held.reader().read(from, depth + 1));
        }
        return into;
    }

    /** Empty for an array of a type parameter. */
    private static Optional<TypeCodec> array(Type component, String where, TypeCodecs codecs) {
        return TypeArguments.raw(component).map(raw -> {
            TypeCodec element = codecs.of(component, where);
            return TypeCodecs.reference(
                    "array " + element.schema(),
                    (to, value, depth) -> {
                        int length = Array.getLength(Objects.requireNonNull(value));
                        to.varint(length);
                        for (int i = 0; i < length; i++) {
                            element.writer().write(to, Array.get(value, i), depth + 1);
                        }
                    },
                    // A list first: a length that the rest cannot hold takes no memory.
                    (from, depth) -> filled(raw, read(from, element, depth, new ArrayList<>())));
        });
    }

    private static Object filled(Class<?> component, Collection<@Nullable Object> elements) {
        Object array = Array.newInstance(component, elements.size());
        int place = 0;
        for (Object each : elements) {
            Array.set(array, place, each);
            place++;
        }
        return array;
    }

    private static Type comparable(Type element, String where) {
        Class<?> raw = TypeArguments.raw(element).orElse(Object.class);
        if (!Comparable.class.isAssignableFrom(raw)) {
            throw new IllegalArgumentException(where + ": the elements or keys of a sorted collection are of the type "
                    + element.getTypeName()
                    + ", which is not Comparable; let it implement Comparable, or declare a List,"
                    + " Set or Map");
        }
        return element;
    }

    private static TypeCodec sortedSet(TypeCodec element) {
        return TypeCodecs.reference(
                "sorted set " + element.schema(),
                (to, value, depth) -> {
                    SortedSet<?> elements = (SortedSet<?>) Objects.requireNonNull(value);
                    putOrder(to, elements.comparator());
                    write(to, element, depth, elements);
                },
                (from, depth) -> {
                    TreeSet<@Nullable Object> elements = new TreeSet<>(order(from));
                    return sorted(() -> read(from, element, depth, elements));
                });
    }

    private static TypeCodec sortedMap(TypeCodec key, TypeCodec held) {
        return TypeCodecs.reference(
                "sorted map " + key.schema() + " to " + held.schema(),
                (to, value, depth) -> {
                    SortedMap<?, ?> entries = (SortedMap<?, ?>) Objects.requireNonNull(value);
                    putOrder(to, entries.comparator());
                    to.varint(entries.size());
                    entries.forEach((name, each) -> {
                        key.writer().write(to, name, depth + 1);
                        held.writer().write(to, each, depth + 1);
                    });
                },
                (from, depth) -> {
                    TreeMap<@Nullable Object, @Nullable Object> entries = new TreeMap<>(order(from));
                    return sorted(() -> read(from, key, held, depth, entries));
                });
    }

    private static void putOrder(WireWriter to, @Nullable Comparator<?> comparator) {
        to.text(
                comparator == null
                        ? ""
                        : Comparators.ofJdk(comparator)
                                .orElseThrow(
                                        () -> new IllegalArgumentException(
                                                "a sorted collection has a comparator of its own, "
                                                        + comparator.getClass().getName()
                                                        + ", which cannot be sent; send a List, LinkedHashSet or LinkedHashMap")));
    }

    @SuppressWarnings("unchecked") // If it does not suit the elements, the first comparison says so.
    private static @Nullable Comparator<@Nullable Object> order(WireReader from) {
        String name = from.text("order", MAX_NAME);
        if (name.isEmpty()) {
            return null;
        }
        return (Comparator<@Nullable Object>) Comparators.inJdk(name)
                .orElseThrow(() -> new IllegalArgumentException("a sorted collection has an unknown order"));
    }

    /** Reads values that are compared: the sender may have sent one that cannot be. */
    private static <T> T sorted(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (ClassCastException | NullPointerException e) {
            throw new IllegalArgumentException("a sorted collection holds a value that its order cannot compare", e);
        }
    }

    private static void put(WireWriter to, List<byte[]> parts, boolean ordered) {
        if (!ordered) {
            parts.sort(Arrays::compareUnsigned);
        }
        to.varint(parts.size());
        parts.forEach(part -> to.raw(part, 0, part.length));
    }

    /** Each element takes a byte at least, so a count that the rest cannot hold reads nothing. */
    private static int count(WireReader from) {
        return (int) from.varint("count", 0, from.remaining());
    }
}
