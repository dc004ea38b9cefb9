package org.amo.replication.service;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * The state of a service that is in its fields, as {@link TypeCodecs} writes it. Static and transient fields are no state. A
 * field that holds a collection or map keeps that object and gets its content, so it may be final and of any class.
 */
final class FieldState implements AmoState {
    private static final int VERSION = 1;

    private final Object service;
    private final List<Held> fields = new ArrayList<>();
    private final Optional<String> obstacle;

    private record Held(Field field, TypeCodec codec) {
        String name() {
            return field.getDeclaringClass().getSimpleName() + "." + field.getName();
        }
    }

    FieldState(Object service) {
        this.service = service;
        this.obstacle = collect();
    }

    /** Why the fields are no state, in one line; empty if they are. */
    Optional<String> obstacle() {
        return obstacle;
    }

    @Override
    public byte[] take() {
        WireWriter writer = new WireWriter(1 << 12);
        writer.u8(VERSION);
        for (Held held : fields) {
            writer.text(held.name() + " " + held.codec().schema());
            held.codec().write(writer, value(held));
        }
        return writer.toBytes();
    }

    @Override
    public void restore(byte[] state) {
        WireReader reader = new WireReader("state of " + service.getClass().getSimpleName(), state);
        int version = reader.u8("version");
        if (version != VERSION) {
            throw reader.malformed("version", version);
        }
        for (Held held : fields) {
            String expected = held.name() + " " + held.codec().schema();
            String found = reader.text("field", 1 << 16);
            if (!found.equals(expected)) {
                throw new IllegalStateException("the snapshot has '" + found + "' where this member has '" + expected
                        + "'; run the same version of " + service.getClass().getName() + " at every member");
            }
            put(held, held.codec().read(reader));
        }
        reader.end();
    }

    private Optional<String> collect() {
        TypeCodecs codecs = new TypeCodecs();
        for (Class<?> type = service.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (Modifier.isStatic(modifiers) || Modifier.isTransient(modifiers)) {
                    continue;
                }
                Held held;
                try {
                    field.setAccessible(true);
                    held = new Held(field, codecs.of(declared(field.getGenericType()), "field " + field.getName()));
                } catch (IllegalArgumentException | InaccessibleObjectException e) {
                    return Optional.of(String.valueOf(e.getMessage()));
                }
                boolean holder = value(held) instanceof Collection || value(held) instanceof Map;
                if (holder || !Modifier.isFinal(modifiers)) {
                    fields.add(held);
                } else if (!isImmutable(field.getType())) {
                    return Optional.of("field " + field.getName() + " is final, so its content cannot be put back");
                }
            }
            if (type.getSuperclass() == null) {
                break;
            }
        }
        return Optional.empty();
    }

    /** A field may be declared as a class of the collection or map that it holds. */
    private static Type declared(Type type) {
        if (type instanceof ParameterizedType parameterized
                && parameterized.getRawType() instanceof Class<?> raw
                && raw != Optional.class) {
            Class<?> kind = Map.class.isAssignableFrom(raw)
                    ? Map.class
                    : Set.class.isAssignableFrom(raw)
                            ? Set.class
                            : Collection.class.isAssignableFrom(raw) ? List.class : raw;
            return kind == raw ? type : new AsInterface(kind, parameterized);
        }
        return type;
    }

    /** What a final field of that type holds never changes, so it needs no snapshot. */
    private static boolean isImmutable(Class<?> type) {
        return type.isPrimitive() || type.isEnum() || (type.getName().startsWith("java.") && type != Optional.class);
    }

    private record AsInterface(Class<?> kind, ParameterizedType of) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return of.getActualTypeArguments();
        }

        @Override
        public Type getRawType() {
            return kind;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return null;
        }

        @Override
        public String toString() {
            return of.toString();
        }
    }

    private @Nullable Object value(Held held) {
        try {
            return held.field().get(service);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("field " + held.name() + " cannot be read", e);
        }
    }

    private void put(Held held, @Nullable Object content) {
        if (fill(value(held), content)) {
            return;
        }
        try {
            held.field().set(service, content);
        } catch (IllegalAccessException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "field " + held.name() + " cannot be set to what a snapshot holds; declare it as List, Set or Map",
                    e);
        }
    }

    /** Puts content into the collection or map that is there, which keeps its class. Returns whether it could be. */
    @SuppressWarnings("unchecked") // The codec of the field's own type made the content.
    private static boolean fill(@Nullable Object present, @Nullable Object content) {
        try {
            if (present instanceof Map<?, ?> map && content instanceof Map<?, ?> entries) {
                map.clear();
                ((Map<Object, Object>) map).putAll(entries);
                return true;
            }
            if (present instanceof Collection<?> collection && content instanceof Collection<?> elements) {
                collection.clear();
                ((Collection<Object>) collection).addAll(elements);
                return true;
            }
            return false;
        } catch (UnsupportedOperationException e) {
            // An immutable one: it is replaced.
            return false;
        }
    }
}
