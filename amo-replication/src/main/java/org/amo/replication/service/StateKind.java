package org.amo.replication.service;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/** Writes one class of collection or map, apart from the elements, and makes it again. */
interface StateKind {

    /** Whether a value is of it. */
    boolean is(Object value);

    /** Whether its own order is none that members share. */
    default boolean isUnordered(StateElements elements) {
        return false;
    }

    /** Whether it can change, so that it matters which fields share it. */
    default boolean isShared() {
        return true;
    }

    /** Whether it can only be read into an object that is there. */
    default boolean needsPresent() {
        return false;
    }

    /** Writes the properties that the elements do not tell. */
    default void writeHead(WireWriter to, Object value, StateElements elements, Comparators comparators) {}

    /**
     * Reads those properties again.
     *
     * @param present the object that the field holds; it is taken, emptied, if it can become the object to be read
     */
    Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present);

    /**
     * A container with elements that are still to be read.
     *
     * @param shared the container, which the elements may refer to; null if it is made of them
     * @param end gives it its elements
     */
    record Begun(@Nullable Object shared, Function<List<Map.Entry<@Nullable Object, @Nullable Object>>, Object> end) {}
}
