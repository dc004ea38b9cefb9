package org.amo.replication.service;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SortedSet;
import org.amo.base.OperationAgent;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Takes and restores the state in the fields of a service, those of its superclasses included. Static and transient fields
 * are no state, and neither are helpers such as loggers and locks; they keep the values that the constructor made.
 *
 * <p>A field comes back with the content and the kind of object that it had ({@link StateContainers}). An object that the
 * constructor made is filled again where that is possible, so that other references to it stay right. A value that cannot
 * come back as it was is refused: at the start if the types or the first values tell, else when the state is taken. Equal
 * states give equal bytes.
 */
final class FieldState implements AmoState {
    private static final int VERSION = 2;
    private static final int WITHOUT_HASH_ORDER = 3;

    private static final String REMEDY = "; make it transient if it is no state, or let the service implement AmoState";

    private final Object service;
    private final int version;
    private final List<Held> fields = new ArrayList<>();
    private final List<String> leftAlone = new ArrayList<>();
    private final Comparators comparators = new Comparators();
    private final StateContainers containers;
    private final TypeCodecs codecs;
    private final Optional<String> obstacle;

    /** @param shape of the value that the constructor made */
    private record Held(Field field, TypeCodec codec, List<String> shape) {
        String name() {
            return FieldState.name(field);
        }
    }

    /**
     * @param keepsHashOrder whether hash tables iterate as before when they come back. Members need that if all of them execute; a table
     *     with many keys in one bucket cannot be kept so
     */
    FieldState(Object service, boolean keepsHashOrder) {
        this.service = service;
        this.version = keepsHashOrder ? VERSION : WITHOUT_HASH_ORDER;
        this.containers = new StateContainers(comparators, keepsHashOrder);
        this.codecs = new TypeCodecs(containers);
        this.obstacle = collect();
    }

    /** Why the fields are no state, in one line; empty if they are. */
    Optional<String> obstacle() {
        return obstacle;
    }

    /** The fields that are no part of the state, so that they must not matter. */
    List<String> leftAlone() {
        return leftAlone;
    }

    @Override
    public boolean isComparable() {
        return true;
    }

    @Override
    public byte[] take() {
        WireWriter writer = new WireWriter(1 << 12);
        writer.u8(version);
        containers.begin();
        for (Held held : fields) {
            writer.text("field", held.name() + " " + held.codec().schema(), 1 << 16);
            write(writer, held);
        }
        return writer.toBytes();
    }

    /** The bytes that {@link #take} writes of each field, by its name. For tests that look for the field that differs. */
    Map<String, byte[]> takeEach() {
        Map<String, byte[]> each = new LinkedHashMap<>();
        containers.begin();
        for (Held held : fields) {
            WireWriter writer = new WireWriter(64);
            write(writer, held);
            each.put(held.name(), writer.toBytes());
        }
        return each;
    }

    private void write(WireWriter writer, Held held) {
        try {
            containers.session().shape(held.shape());
            held.codec().write(writer, value(held.field()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "field " + held.name() + " cannot be kept in a snapshot: " + e.getMessage() + REMEDY, e);
        }
    }

    @Override
    public void restore(byte[] state) {
        try {
            read(state);
        } catch (IllegalStateException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "the state of " + service.getClass().getName() + " cannot be read: " + e.getMessage() + remedy(),
                    e);
        }
    }

    /** Members of one version lack each other's fields, too, if an earlier version took the snapshot. */
    private String remedy() {
        return "; run the same version of " + service.getClass().getName()
                + " at every member; if they do, its fields have changed since the snapshot was taken: start the version that"
                + " took it (docs/how-to/upgrade.md)";
    }

    private void read(byte[] state) {
        WireReader reader = new WireReader("state of " + service.getClass().getSimpleName(), state);
        reader.version(version);
        StateSession session = containers.begin();
        for (Held held : fields) {
            String expected = held.name() + " " + held.codec().schema();
            String field = name(reader);
            if (!field.equals(expected)) {
                throw new IllegalStateException(
                        "the snapshot has '" + field + "' where this member has '" + expected + "'" + remedy());
            }
            session.present(value(held.field()));
            put(held, held.codec().read(reader));
        }
        String more = reader.remaining() == 0 ? "" : name(reader);
        if (!more.isEmpty()) {
            throw new IllegalStateException("the snapshot has '" + more + "', this member no such field" + remedy());
        }
        reader.end();
    }

    /** The next field's name and type. Earlier versions took the identity hash for a field. */
    private static String name(WireReader reader) {
        String field = reader.text("field", 1 << 16);
        while (field.endsWith("." + OperationAgent.IDENTITY_FIELD + " int")) {
            reader.i32(OperationAgent.IDENTITY_FIELD);
            field = reader.remaining() == 0 ? "" : reader.text("field", 1 << 16);
        }
        return field;
    }

    private Optional<String> collect() {
        List<Class<?>> types = new ArrayList<>();
        for (Class<?> type = service.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            types.add(type);
        }
        try {
            types.forEach(this::findComparators);
            types.forEach(this::collect);
            // The values that the constructor made must be of a kind that can be made again.
            take();
            return Optional.empty();
        } catch (IllegalArgumentException | InaccessibleObjectException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private void collect(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            // An identity hash may be asked for at one member alone.
            if (Modifier.isStatic(field.getModifiers()) || field.getName().equals(OperationAgent.IDENTITY_FIELD)) {
                continue;
            }
            field.setAccessible(true);
            boolean isFinal = Modifier.isFinal(field.getModifiers());
            if (Modifier.isTransient(field.getModifiers()) || Stateless.isHelper(field, value(field))) {
                checkFunction(field);
                leftAlone.add(name(field));
            } else if (!isFinal || !Stateless.isValue(field.getGenericType())) {
                fields.add(held(field));
                if (isFinal && (type.isRecord() || type.isHidden())) {
                    throw new IllegalArgumentException("field " + name(field) + " cannot be put back, since "
                            + type.getName() + " is a record or a lambda; make the service a class");
                }
            }
        }
    }

    private void checkFunction(Field field) {
        if (!Modifier.isTransient(field.getModifiers())) {
            Stateless.stateOfFunction(field, value(field), service.getClass()).ifPresent(state -> {
                throw new IllegalArgumentException(
                        "field " + name(field) + " cannot be kept in a snapshot: it is a function"
                                + " with a state of its own, " + name(state) + REMEDY);
            });
        }
    }

    private Held held(Field field) {
        try {
            return new Held(
                    field,
                    codecs.of(field.getGenericType(), "field " + name(field)),
                    StateContainers.shape(value(field)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "field " + name(field) + " cannot be kept in a snapshot: amo does not know the type "
                            + field.getGenericType().getTypeName() + " as state" + REMEDY,
                    e);
        }
    }

    /** A sorted collection keeps its comparator if that is in a field, or if a field's first collection has it. */
    private void findComparators(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            Class<?> declared = field.getType();
            if (Comparator.class.isAssignableFrom(declared)
                    || Map.class.isAssignableFrom(declared)
                    || Collection.class.isAssignableFrom(declared)) {
                field.setAccessible(true);
                Optional<Comparator<?>> found = comparator(value(field));
                found.ifPresent(comparator -> comparators.add(name(field), comparator));
            }
        }
    }

    private static Optional<Comparator<?>> comparator(@Nullable Object value) {
        if (value instanceof Comparator<?> comparator) {
            return Optional.of(comparator);
        }
        if (value instanceof SortedMap<?, ?> map) {
            return Optional.ofNullable(map.comparator());
        }
        if (value instanceof SortedSet<?> set) {
            return Optional.ofNullable(set.comparator());
        }
        return value instanceof PriorityQueue<?> queue ? Optional.ofNullable(queue.comparator()) : Optional.empty();
    }

    private static String name(Field field) {
        return field.getDeclaringClass().getSimpleName() + "." + field.getName();
    }

    private @Nullable Object value(Field field) {
        try {
            return field.get(Modifier.isStatic(field.getModifiers()) ? null : service);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("field " + name(field) + " cannot be read", e);
        }
    }

    private void put(Held held, @Nullable Object content) {
        if (value(held.field()) == content) {
            return;
        }
        try {
            // A final field of a class, too.
            held.field().set(service, content);
        } catch (IllegalAccessException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "field " + held.name() + " cannot be set to the value in a snapshot" + REMEDY, e);
        }
    }
}
