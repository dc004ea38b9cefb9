package org.amo.replication.service;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Lists, sets and maps. A hash table has no order that two members need to share, so its elements are written in the order
 * of their bytes; those that have an order of their own keep it.
 */
final class CollectionCodecs {
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
        }
        return Optional.empty();
    }

    private static TypeCodec list(TypeCodec element) {
        return TypeCodecs.reference(
                "list " + element.schema(),
                (to, value, depth) -> {
                    Collection<?> elements = (Collection<?>) Objects.requireNonNull(value);
                    to.varint(elements.size());
                    elements.forEach(each -> element.writer().write(to, each, depth + 1));
                },
                (from, depth) -> read(from, element, depth, new ArrayList<>()));
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
                (from, depth) -> {
                    int count = count(from);
                    LinkedHashMap<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
                    for (int i = 0; i < count; i++) {
                        Object name = key.reader().read(from, depth + 1);
                        entries.put(name, held.reader().read(from, depth + 1));
                    }
                    return entries;
                });
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
