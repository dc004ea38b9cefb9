package org.amo.replication.service;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the objects with a changeable content that one writing or reading of a service's state has met, so that fields
 * that share an object share it afterwards. One thread owns it.
 */
final class StateSession {
    private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
    private final List<Object> made = new ArrayList<>();
    private final IdentityHashMap<Object, Boolean> filled = new IdentityHashMap<>();
    private @Nullable Object present;
    private List<String> shape = List.of();

    /** How the constructor of the service makes the field to be written; for the next container. */
    void shape(List<String> made) {
        shape = made;
    }

    /** Once; empty if the container is not the value of a field. */
    List<String> takeShape() {
        List<String> taken = shape;
        shape = List.of();
        return taken;
    }

    /** The number that an object got when it was met first; if it is met now, it gets one. */
    Optional<Integer> numberOf(Object value) {
        return Optional.ofNullable(numbers.putIfAbsent(value, numbers.size()));
    }

    /** The object that the field to be read holds; the next container may be read into it. */
    void present(@Nullable Object value) {
        present = value;
    }

    /** That object, once, if no other field has been read into it. */
    Optional<Object> takePresent() {
        Object taken = present;
        present = null;
        return taken == null || filled.containsKey(taken) ? Optional.empty() : Optional.of(taken);
    }

    /** An object was made, or is about to be filled; its content is still to be read. */
    void made(Object value) {
        made.add(value);
        filled.put(value, true);
    }

    Object made(WireReader from) {
        return made.get((int) from.varint("shared object", 0, made.size() - 1L));
    }
}
