package org.amo.replication.service;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.state.HashTables;
import org.jspecify.annotations.Nullable;

/** The kinds of collections and maps in the order of a hash table: the table gets the same shape again. */
final class HashedKinds {
    /** The head of a map that was never filled. */
    private static final int FRESH = 62;

    private HashedKinds() {}

    /** If the hashes of the elements differ between processes, so does the order of the table: then its shape says nothing. */
    private abstract static class OfTable implements StateKind {
        private final Class<?> type;

        OfTable(Class<?> type) {
            this.type = type;
        }

        /** @param value of the type */
        abstract HashTables.Shape shape(Object value);

        @Override
        public final boolean is(Object value) {
            return value.getClass() == type;
        }

        @Override
        public final boolean isUnordered(StateElements elements) {
            return !elements.stableHash();
        }

        @Override
        public final void writeHead(WireWriter to, Object value, StateElements elements, Comparators comparators) {
            if (elements.stableHash()) {
                HashTables.Shape shape = shape(value);
                to.u8(
                        shape.equals(HashTables.Shape.FRESH)
                                ? FRESH
                                : 2 * Integer.numberOfTrailingZeros(shape.capacity()) + (shape.allocated() ? 1 : 0));
            }
        }
    }

    private static HashTables.Shape readShape(WireReader from) {
        int code = from.u8("buckets");
        if (code == FRESH) {
            return HashTables.Shape.FRESH;
        }
        if (code > FRESH) {
            throw from.malformed("buckets", code);
        }
        return new HashTables.Shape(1 << (code / 2), code % 2 == 1);
    }

    static final class OfMap extends OfTable {
        OfMap() {
            super(HashMap.class);
        }

        @Override
        HashTables.Shape shape(Object value) {
            return HashTables.of((HashMap<?, ?>) value);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            Optional<HashMap<@Nullable Object, @Nullable Object>> old =
                    present.filter(this::is).map(map -> (HashMap<@Nullable Object, @Nullable Object>) map);
            if (!elements.stableHash()) {
                return StateKinds.refilled(old, HashMap::new);
            }
            HashTables.Shape shape = readShape(from);
            HashMap<@Nullable Object, @Nullable Object> map =
                    old.filter(each -> HashTables.reshape(each, shape)).orElseGet(() -> HashTables.map(shape));
            return new Begun(map, entries -> {
                HashTables.fill(map, shape, entries);
                return map;
            });
        }
    }

    static final class OfSet extends OfTable {
        OfSet() {
            super(HashSet.class);
        }

        @Override
        HashTables.Shape shape(Object value) {
            return HashTables.of((HashSet<?>) value);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            Optional<HashSet<@Nullable Object>> old =
                    present.filter(this::is).map(set -> (HashSet<@Nullable Object>) set);
            if (!elements.stableHash()) {
                return StateKinds.refilled(old, HashSet::new);
            }
            HashTables.Shape shape = readShape(from);
            if (shape.equals(HashTables.Shape.FRESH)) {
                throw from.malformed("buckets", FRESH);
            }
            HashSet<@Nullable Object> set =
                    old.filter(each -> HashTables.reshape(each, shape)).orElseGet(() -> HashTables.set(shape));
            return new Begun(set, entries -> {
                HashTables.fill(set, shape, StateElements.keys(entries));
                return set;
            });
        }
    }

    static final class OfConcurrentMap extends OfTable {
        OfConcurrentMap() {
            super(ConcurrentHashMap.class);
        }

        @Override
        HashTables.Shape shape(Object value) {
            return HashTables.of((ConcurrentHashMap<?, ?>) value);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            Optional<ConcurrentHashMap<Object, Object>> old =
                    present.filter(this::is).map(map -> (ConcurrentHashMap<Object, Object>) map);
            if (!elements.stableHash()) {
                return StateKinds.refilled(old, ConcurrentHashMap::new);
            }
            HashTables.Shape shape = readShape(from);
            ConcurrentHashMap<Object, Object> map = old.filter(each -> HashTables.reshape(each, shape))
                    .orElseGet(() -> HashTables.concurrentMap(shape));
            return new Begun(map, entries -> {
                StateKinds.filled(map, entries);
                HashTables.check(map, shape);
                return map;
            });
        }
    }
}
