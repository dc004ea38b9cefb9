package org.amo.replication.service;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/** One class of collection or map: what of it is written besides its elements, and how it is made again. */
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

    /** Whatever the elements do not tell. */
    default void writeHead(WireWriter to, Object value, StateElements elements, Comparators comparators) {}

    /**
     * Reads that again.
     *
     * @param present the object that the field holds; it is taken, emptied, if it can become what is read
     */
    Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present);

    /**
     * A container whose elements are still to be read.
     *
     * @param shared the container, which the elements may refer to; null if it is made of them
     * @param end gives it its elements
     */
    record Begun(@Nullable Object shared, Function<List<Map.Entry<@Nullable Object, @Nullable Object>>, Object> end) {}
}
