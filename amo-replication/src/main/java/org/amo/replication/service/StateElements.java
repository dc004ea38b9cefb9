package org.amo.replication.service;

import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * The elements of one declared type of collection, or the entries of one of map.
 *
 * @param key writes elements, or keys
 * @param held writes values; empty for a collection
 * @param keyClass class of the elements or keys, if it is one without type parameters
 * @param stableHash whether their hash codes are the same in every process, so that members iterate alike
 */
record StateElements(TypeCodec key, Optional<TypeCodec> held, Optional<Class<?>> keyClass, boolean stableHash) {
    private static final int FEW = 1_024;

    /** Elements of a collection or entries of a map, in the order in which it iterates. An element is an entry without value. */
    static List<Map.Entry<@Nullable Object, @Nullable Object>> of(Object container) {
        List<Map.Entry<@Nullable Object, @Nullable Object>> entries = new ArrayList<>();
        if (container instanceof Map<?, ?> map) {
            map.forEach((key, value) -> entries.add(new AbstractMap.SimpleImmutableEntry<>(key, value)));
        } else {
            ((Collection<?>) container)
                    .forEach(each -> entries.add(new AbstractMap.SimpleImmutableEntry<>(each, null)));
        }
        return entries;
    }

    static List<@Nullable Object> keys(List<Map.Entry<@Nullable Object, @Nullable Object>> entries) {
        List<@Nullable Object> keys = new ArrayList<>(entries.size());
        entries.forEach(entry -> keys.add(entry.getKey()));
        return keys;
    }

    void write(WireWriter to, List<Map.Entry<@Nullable Object, @Nullable Object>> entries, int depth) {
        to.varint(entries.size());
        for (Map.Entry<@Nullable Object, @Nullable Object> entry : entries) {
            key.writer().write(to, entry.getKey(), depth + 1);
            held.ifPresent(codec -> codec.writer().write(to, entry.getValue(), depth + 1));
        }
    }

    /** The entries in the order of their keys' bytes, for a container that iterates in no order that members share. */
    List<Map.Entry<@Nullable Object, @Nullable Object>> sorted(
            List<Map.Entry<@Nullable Object, @Nullable Object>> entries, int depth) {
        record Keyed(byte[] bytes, Map.Entry<@Nullable Object, @Nullable Object> entry) {}
        List<Keyed> keyed = new ArrayList<>(entries.size());
        for (Map.Entry<@Nullable Object, @Nullable Object> entry : entries) {
            WireWriter bytes = new WireWriter(16);
            key.writer().write(bytes, entry.getKey(), depth + 1);
            keyed.add(new Keyed(bytes.toBytes(), entry));
        }
        keyed.sort(Comparator.comparing(Keyed::bytes, Arrays::compareUnsigned));
        List<Map.Entry<@Nullable Object, @Nullable Object>> sorted = new ArrayList<>(entries.size());
        keyed.forEach(each -> sorted.add(each.entry()));
        return sorted;
    }

    List<Map.Entry<@Nullable Object, @Nullable Object>> read(WireReader from, int depth) {
        // Each element takes a byte at least, so a count that the rest cannot hold reads nothing.
        int count = (int) from.varint("count", 0, from.remaining());
        List<Map.Entry<@Nullable Object, @Nullable Object>> entries = new ArrayList<>(Math.min(count, FEW));
        for (int i = 0; i < count; i++) {
            Object name = key.reader().read(from, depth + 1);
            Object value = held.isPresent() ? held.get().reader().read(from, depth + 1) : null;
            entries.add(new AbstractMap.SimpleImmutableEntry<>(name, value));
        }
        return entries;
    }
}
