package org.amo.replication.service;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Names for comparators, since a comparator itself cannot be written: those of the JDK, and those that the service keeps in its
 * fields or that its constructor gave to a collection in a field. One thread owns it.
 */
final class Comparators {
    private static final Map<String, Comparator<?>> OF_THE_JDK = Map.of(
            "natural", Comparator.naturalOrder(),
            "reverse", Comparator.reverseOrder(),
            "ignoring case", String.CASE_INSENSITIVE_ORDER,
            "reverse ignoring case", Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER));

    private final Map<String, Comparator<?>> byName = new HashMap<>(OF_THE_JDK);
    private final IdentityHashMap<Comparator<?>, String> names = new IdentityHashMap<>();

    Comparators() {
        OF_THE_JDK.forEach((name, comparator) -> names.put(comparator, name));
    }

    /** A comparator of the service, known under the name of its field at every member. */
    void add(String field, Comparator<?> comparator) {
        if (names.putIfAbsent(comparator, field) == null) {
            byName.put(field, comparator);
        }
    }

    /** @throws IllegalArgumentException in one line for one that has no name */
    String name(@Nullable Comparator<?> comparator) {
        if (comparator == null) {
            return "";
        }
        String name = names.get(comparator);
        return name != null
                ? name
                : ofJdk(comparator)
                        .orElseThrow(
                                () -> new IllegalArgumentException("a sorted collection has a comparator of its own, "
                                        + comparator.getClass().getName()
                                        + "; keep that comparator in a static final field of the service"));
    }

    /** The name of a comparator of the JDK; empty for another one. */
    static Optional<String> ofJdk(Comparator<?> comparator) {
        return OF_THE_JDK.entrySet().stream()
                .filter(known -> known.getValue().equals(comparator))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The comparator of the JDK with that name. */
    static Optional<Comparator<?>> inJdk(String name) {
        return Optional.ofNullable(OF_THE_JDK.get(name));
    }

    /** Empty for an unknown name. The name of the natural order of a collection without comparator is not asked for. */
    Optional<Comparator<?>> of(String name) {
        return Optional.ofNullable(byName.get(name));
    }
}
