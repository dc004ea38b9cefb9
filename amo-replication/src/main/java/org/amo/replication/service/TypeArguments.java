package org.amo.replication.service;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells the types that the type parameters of a class stand for where it is used, for example T of {@code Page<T>} in
 * {@code Page<String>}. The types that it makes are equal if they mean the same. Immutable; any thread.
 */
final class TypeArguments {
    private static final TypeArguments NONE = new TypeArguments(Map.of());

    private final Map<TypeVariable<?>, Type> arguments;

    private TypeArguments(Map<TypeVariable<?>, Type> arguments) {
        this.arguments = Map.copyOf(arguments);
    }

    private record Parameterized(Class<?> raw, List<Type> arguments) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return arguments.toArray(Type[]::new);
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return raw.getDeclaringClass();
        }

        @Override
        public String toString() {
            return raw.getName() + "<"
                    + arguments.stream().map(Type::getTypeName).collect(Collectors.joining(", ")) + ">";
        }
    }

    private record ArrayOf(Type component) implements GenericArrayType {
        @Override
        public Type getGenericComponentType() {
            return component;
        }

        @Override
        public String toString() {
            return component.getTypeName() + "[]";
        }
    }

    /** Those that a use of a class gives it. */
    static TypeArguments of(Type used) {
        if (!(used instanceof ParameterizedType given) || !(given.getRawType() instanceof Class<?> raw)) {
            return NONE;
        }
        Map<TypeVariable<?>, Type> arguments = new HashMap<>();
        for (int i = 0; i < raw.getTypeParameters().length; i++) {
            arguments.put(raw.getTypeParameters()[i], given.getActualTypeArguments()[i]);
        }
        return new TypeArguments(arguments);
    }

    /** Those of all interfaces above one. */
    static TypeArguments above(Class<?> type) {
        Map<TypeVariable<?>, Type> arguments = new HashMap<>();
        collectAbove(type, NONE, arguments);
        return new TypeArguments(arguments);
    }

    private static void collectAbove(Class<?> type, TypeArguments ofType, Map<TypeVariable<?>, Type> into) {
        for (Type each : type.getGenericInterfaces()) {
            Type used = ofType.in(each);
            TypeArguments ofEach = of(used);
            into.putAll(ofEach.arguments);
            raw(used).ifPresent(raw -> collectAbove(raw, ofEach, into));
        }
    }

    /** A class below a type with the arguments that follow from that type's. */
    static Type below(Type above, Class<?> type) {
        if (type.getTypeParameters().length == 0) {
            return type;
        }
        Map<TypeVariable<?>, Type> found = new HashMap<>();
        for (Type each : type.getGenericInterfaces()) {
            if (each instanceof ParameterizedType extended
                    && above instanceof ParameterizedType given
                    && extended.getRawType().equals(given.getRawType())) {
                for (int i = 0; i < extended.getActualTypeArguments().length; i++) {
                    if (extended.getActualTypeArguments()[i] instanceof TypeVariable<?> variable) {
                        found.put(variable, given.getActualTypeArguments()[i]);
                    }
                }
            }
        }
        return new TypeArguments(found).in(new Parameterized(type, List.of(type.getTypeParameters())));
    }

    /** The class of a type; empty for a type parameter. */
    static Optional<Class<?>> raw(Type type) {
        if (type instanceof Class<?> plain) {
            return Optional.of(plain);
        }
        if (type instanceof ParameterizedType parameterized) {
            return raw(parameterized.getRawType());
        }
        return type instanceof GenericArrayType array
                ? raw(array.getGenericComponentType()).map(Class::arrayType)
                : Optional.empty();
    }

    /** The same type, in the form in which types that mean the same are equal. */
    static Type plain(Type type) {
        return NONE.in(type);
    }

    /** The type with the arguments in the place of the parameters. Parameters without an argument stay. */
    Type in(Type type) {
        if (type instanceof TypeVariable<?> variable) {
            return arguments.getOrDefault(variable, variable);
        }
        if (type instanceof WildcardType wildcard) {
            return in(wildcard.getUpperBounds()[0]);
        }
        if (type instanceof GenericArrayType array) {
            Type component = in(array.getGenericComponentType());
            return component instanceof Class<?> plain ? plain.arrayType() : new ArrayOf(component);
        }
        return type instanceof ParameterizedType parameterized && parameterized.getRawType() instanceof Class<?> raw
                ? new Parameterized(
                        raw,
                        Arrays.stream(parameterized.getActualTypeArguments())
                                .map(this::in)
                                .toList())
                : type;
    }
}
