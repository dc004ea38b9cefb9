package org.amo.replication.service;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.state.SerialForm;
import org.jspecify.annotations.Nullable;

/**
 * Gives the codecs of the types of a service's state that have a changeable content. A collection comes back as the kind
 * that it was: its class, its comparator, its order and, for hash tables, its buckets. Shared objects come back shared. One
 * thread owns it.
 */
final class StateContainers implements TypeCodecs.Containers {
    private static final int NULL = 0;
    private static final int SHARED = 1;
    private static final int WRAPPER = 2;
    private static final int FIRST_KIND = 3;

    private final Comparators comparators;
    private final boolean keepsHashOrder;
    private final StateScalars scalars = new StateScalars(this);
    private StateSession session = new StateSession();

    StateContainers(Comparators comparators, boolean keepsHashOrder) {
        this.comparators = comparators;
        this.keepsHashOrder = keepsHashOrder;
    }

    /** Begins to write or read a state. */
    StateSession begin() {
        session = new StateSession();
        return session;
    }

    StateSession session() {
        return session;
    }

    /** The wrappers of a value, the outermost first, and the class behind them. */
    static List<String> shape(@Nullable Object value) {
        List<String> shape = new ArrayList<>();
        Object behind = value;
        while (behind != null && Wrappers.isOne(behind)) {
            shape.add(Integer.toString(Wrappers.number(behind)));
            behind = SerialForm.behind(behind).orElseThrow();
        }
        if (behind != null) {
            shape.add(behind.getClass().getName());
        }
        return List.copyOf(shape);
    }

    @Override
    public Optional<TypeCodec> of(Type type, String where, TypeCodecs codecs) {
        if (type instanceof ParameterizedType parameterized
                && parameterized.getRawType() instanceof Class<?> raw
                && raw.getName().startsWith("java.util.")) {
            Type[] arguments = parameterized.getActualTypeArguments();
            if (Map.class.isAssignableFrom(raw) && arguments.length == 2) {
                return Optional.of(codec(
                        checked(raw, where),
                        "<" + codecs.of(arguments[0], where).schema() + ", "
                                + codecs.of(arguments[1], where).schema() + ">",
                        new StateElements(
                                codecs.of(arguments[0], where),
                                Optional.of(codecs.of(arguments[1], where)),
                                plain(arguments[0]),
                                isStable(arguments[0], new HashSet<>()))));
            }
            if (Collection.class.isAssignableFrom(raw) && arguments.length == 1) {
                return Optional.of(codec(
                        checked(raw, where),
                        "<" + codecs.of(arguments[0], where).schema() + ">",
                        new StateElements(
                                codecs.of(arguments[0], where),
                                Optional.empty(),
                                plain(arguments[0]),
                                isStable(arguments[0], new HashSet<>()))));
            }
        }
        return scalars.of(type, where, codecs);
    }

    private static Class<?> checked(Class<?> raw, String where) {
        if (!StateKinds.mayBe(raw)) {
            throw new IllegalArgumentException(where + ": a " + raw.getName()
                    + " cannot be made again from a snapshot; declare another collection");
        }
        return raw;
    }

    private static Optional<Class<?>> plain(Type type) {
        return type instanceof Class<?> plain ? Optional.of(plain) : Optional.empty();
    }

    /**
     * Whether hash tables iterate alike at all members, so far as they have to: hash codes of a type are the same in every process. Those of
     * enums and arrays are not.
     */
    private boolean isStable(Type type, Set<Type> seen) {
        if (!keepsHashOrder) {
            return false;
        }
        if (!seen.add(type)) {
            return true;
        }
        Class<?> raw = TypeArguments.raw(type).orElse(Object[].class);
        if (raw.isEnum() || raw.isArray()) {
            return false;
        }
        List<Type> parts = new ArrayList<>();
        if (type instanceof ParameterizedType parameterized) {
            parts.addAll(List.of(parameterized.getActualTypeArguments()));
        }
        if (raw.isRecord()) {
            TypeArguments arguments = TypeArguments.of(type);
            for (RecordComponent component : raw.getRecordComponents()) {
                parts.add(arguments.in(component.getGenericType()));
            }
        }
        if (raw.isSealed()) {
            for (Class<?> permitted : raw.getPermittedSubclasses()) {
                parts.add(TypeArguments.below(type, permitted));
            }
        }
        return parts.stream().allMatch(part -> isStable(part, seen));
    }

    private TypeCodec codec(Class<?> raw, String arguments, StateElements elements) {
        return new TypeCodec(
                raw.getName() + arguments,
                (to, value, depth) -> write(to, value, elements, session.takeShape(), depth),
                (from, depth) -> {
                    Object value = read(from, elements, session.takePresent(), depth);
                    if (value != null && !raw.isInstance(value)) {
                        throw new IllegalArgumentException("a snapshot holds a "
                                + value.getClass().getName() + " where a " + raw.getName() + " belongs");
                    }
                    return value;
                });
    }

    /** @param made how the constructor of the service makes this container; empty if it is no value of a field */
    private void write(WireWriter to, @Nullable Object value, StateElements elements, List<String> made, int depth) {
        TypeCodec.checkDepth(depth);
        if (value == null) {
            to.u8(NULL);
            return;
        }
        if (Wrappers.isOne(value)) {
            to.u8(WRAPPER);
            int wrapper = Wrappers.number(value);
            to.u8(wrapper);
            boolean same = !made.isEmpty() && made.get(0).equals(Integer.toString(wrapper));
            List<String> madeBehind = same ? made.subList(1, made.size()) : List.of();
            write(to, SerialForm.behind(value).orElseThrow(), elements, madeBehind, depth + 1);
            return;
        }
        int number = StateKinds.of(value);
        StateKind kind = StateKinds.ALL.get(number);
        if (kind.isShared()) {
            Optional<Integer> met = session.numberOf(value);
            if (met.isPresent()) {
                to.u8(SHARED);
                to.varint(met.get());
                return;
            }
        }
        if (kind.needsPresent() && !made.equals(List.of(value.getClass().getName()))) {
            throw new IllegalArgumentException("a " + value.getClass().getName()
                    + " cannot be made again from a snapshot, since the constructor of the service makes none in its place;"
                    + " use a collection of the JDK");
        }
        to.u8(FIRST_KIND + number);
        kind.writeHead(to, value, elements, comparators);
        List<Map.Entry<@Nullable Object, @Nullable Object>> entries = StateElements.of(value);
        elements.write(to, kind.isUnordered(elements) ? sorted(entries, elements, depth) : entries, depth);
    }

    private List<Map.Entry<@Nullable Object, @Nullable Object>> sorted(
            List<Map.Entry<@Nullable Object, @Nullable Object>> entries, StateElements elements, int depth) {
        StateSession before = session;
        // Objects that are only compared do not count as met.
        session = new StateSession();
        try {
            return elements.sorted(entries, depth);
        } finally {
            session = before;
        }
    }

    private @Nullable Object read(WireReader from, StateElements elements, Optional<Object> present, int depth) {
        TypeCodec.checkDepth(depth);
        int code = from.u8("kind");
        if (code == NULL) {
            return null;
        }
        if (code == SHARED) {
            return session.made(from);
        }
        if (code == WRAPPER) {
            return readWrapper(from, elements, present, depth);
        }
        if (code - FIRST_KIND >= StateKinds.ALL.size()) {
            throw from.malformed("kind", code);
        }
        StateKind.Begun begun = StateKinds.ALL.get(code - FIRST_KIND).read(from, elements, comparators, present);
        if (begun.shared() != null) {
            session.made(begun.shared());
        }
        return begun.end().apply(elements.read(from, depth));
    }

    private Object readWrapper(WireReader from, StateElements elements, Optional<Object> present, int depth) {
        int number = from.u8("wrapper");
        if (number >= Wrappers.count()) {
            throw from.malformed("wrapper", number);
        }
        Optional<Object> old = present.filter(value -> Wrappers.isOne(value) && Wrappers.number(value) == number);
        Optional<Object> behindOld = old.flatMap(SerialForm::behind);
        Object behind = read(from, elements, behindOld, depth + 1);
        if (behind == null) {
            throw from.malformed("wrapped", NULL);
        }
        try {
            return behindOld.isPresent() && behindOld.get() == behind
                    ? old.orElseThrow()
                    : Wrappers.wrap(number, behind);
        } catch (ClassCastException e) {
            throw new IllegalArgumentException("a snapshot holds a wrapper that cannot be: " + e.getMessage(), e);
        }
    }
}
