package org.amo.replication.service;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/** A record as its components in the order of their declaration. Its own constructor makes it, with the checks in it. */
final class RecordCodec implements TypeCodec.Writer, TypeCodec.Reader {
    private final Class<?> type;
    private final RecordComponent[] components;
    private final Constructor<?> constructor;
    private final List<TypeCodec> codecs = new ArrayList<>();

    RecordCodec(Class<?> type) {
        this.type = type;
        this.components = type.getRecordComponents();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            for (RecordComponent component : components) {
                component.getAccessor().setAccessible(true);
            }
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every record has its constructor", e);
        }
    }

    /** Finds the codecs of the components; returns the schema. */
    String resolve(Function<Type, TypeCodec> codecOf) {
        StringBuilder schema = new StringBuilder("record(");
        for (RecordComponent component : components) {
            TypeCodec codec = codecOf.apply(component.getGenericType());
            codecs.add(codec);
            schema.append(codec.named(component.getName()));
        }
        return schema.append(')').toString();
    }

    @Override
    public void write(WireWriter to, @Nullable Object value, int depth) {
        TypeCodec.checkDepth(depth);
        to.u8(value == null ? 0 : 1);
        if (value == null) {
            return;
        }
        for (int i = 0; i < components.length; i++) {
            try {
                codecs.get(i).writer().write(to, components[i].getAccessor().invoke(value), depth + 1);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalArgumentException(
                        "component " + components[i].getName() + " of record " + type.getName() + " cannot be read", e);
            }
        }
    }

    @Override
    public @Nullable Object read(WireReader from, int depth) {
        TypeCodec.checkDepth(depth);
        if (!from.flag(type.getSimpleName())) {
            return null;
        }
        @Nullable Object[] values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = codecs.get(i).reader().read(from, depth + 1);
        }
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            // It becomes a part of a reply.
            String message = ImplicitExceptions.message(cause);
            throw new IllegalArgumentException(
                    "record " + type.getName() + " refuses these values: "
                            + (message.isEmpty() ? cause.getClass().getName() : message),
                    e);
        } catch (InstantiationException | IllegalAccessException e) {
            throw new IllegalArgumentException("record " + type.getName() + " cannot be made", e);
        }
    }
}
