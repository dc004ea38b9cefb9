package org.amo.interceptors.server;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.OperationAgent;
import org.amo.core.state.KeptTables;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.portable.ObjectImpl;

/**
 * The state of a servant that is in its fields: those of its class and of the classes above it, up to the skeleton.
 * Static and transient fields are no state, and neither are an ORB, a POA or a logger.
 */
final class ServantFields {
    private static final List<String> INFRASTRUCTURE = List.of(
            "org.omg.CORBA.ORB",
            "org.omg.CORBA.Current",
            "org.omg.PortableServer.POA",
            "org.omg.PortableServer.POAManager",
            "java.util.logging.Logger",
            "org.slf4j.Logger",
            "org.apache.logging.log4j.Logger",
            "org.apache.commons.logging.Log");

    private ServantFields() {}

    /** The current values of the fields. */
    static Map<String, @Nullable Object> values(Object servant) throws NoStateException {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Field field : of(servant.getClass())) {
            values.put(name(field), get(field, servant));
        }
        return values;
    }

    /** Why they can certainly not be serialized, as far as their types tell; empty if nothing speaks against it. */
    static Optional<String> obstacle(Object servant, boolean keepsHashOrder) {
        try {
            for (Field field : of(servant.getClass())) {
                Object value = get(field, servant);
                if (value != null && !(value instanceof Serializable) && !(value instanceof ObjectImpl)) {
                    return Optional.of("field " + name(field) + " holds a "
                            + value.getClass().getName() + ", which is not Serializable");
                }
                Optional<String> refusal =
                        keepsHashOrder ? Optional.ofNullable(value).flatMap(KeptTables::refusal) : Optional.empty();
                if (refusal.isPresent()) {
                    return Optional.of("field " + name(field) + " holds " + refusal.get());
                }
                Optional<Class<?>> held = notSerializable(field.getGenericType());
                if (held.isPresent()) {
                    return Optional.of("field " + name(field) + " can hold a "
                            + held.get().getName() + ", which is not Serializable");
                }
            }
            return Optional.empty();
        } catch (NoStateException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    static void set(Object servant, Map<String, @Nullable Object> values) {
        try {
            Map<String, Field> fields = new LinkedHashMap<>();
            of(servant.getClass()).forEach(field -> fields.put(name(field), field));
            if (!fields.keySet().equals(values.keySet())) {
                throw new IllegalStateException("the state has the fields " + values.keySet() + ", the servant "
                        + servant.getClass().getName() + " has " + fields.keySet()
                        + "; run the same version of the server at every member; if they do, its fields have changed since the"
                        + " snapshot was taken: start the version that took it (docs/how-to/upgrade.md)");
            }
            for (Map.Entry<String, Field> field : fields.entrySet()) {
                field.getValue().set(servant, values.get(field.getKey()));
            }
        } catch (NoStateException | IllegalAccessException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the fields of " + servant.getClass().getName() + " cannot be set", e);
        }
    }

    private static List<Field> of(Class<?> type) throws NoStateException {
        List<Field> fields = new ArrayList<>();
        for (Class<?> each = type; each != null && !isSkeleton(each); each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                // The identity hash of a servant is older than its state, and tables of this process depend on it.
                if (Modifier.isStatic(modifiers)
                        || Modifier.isTransient(modifiers)
                        || isInfrastructure(field)
                        || field.getName().equals(OperationAgent.IDENTITY_FIELD)) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                } catch (InaccessibleObjectException e) {
                    throw new NoStateException("field " + name(field) + " cannot be read (" + e.getMessage() + ")", e);
                }
                fields.add(field);
            }
        }
        return fields;
    }

    /** A generated class, or one of the ORB: from here on up nothing is the application's. */
    private static boolean isSkeleton(Class<?> type) {
        return type == Object.class
                || type.getName().startsWith("org.omg.")
                || type.getName().endsWith("POA");
    }

    private static boolean isInfrastructure(Field field) {
        for (Class<?> type = field.getType(); type != null; type = type.getSuperclass()) {
            if (INFRASTRUCTURE.contains(type.getName())) {
                return true;
            }
        }
        return false;
    }

    private static Optional<Class<?>> notSerializable(Type type) {
        if (type instanceof ParameterizedType parameterized) {
            for (Type argument : parameterized.getActualTypeArguments()) {
                Optional<Class<?>> found = notSerializable(argument);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
        return type instanceof Class<?> plain
                        && !plain.isInterface()
                        && !plain.isPrimitive()
                        && plain != Object.class
                        && !Serializable.class.isAssignableFrom(plain)
                        && !Modifier.isAbstract(plain.getModifiers())
                ? Optional.of(plain)
                : Optional.empty();
    }

    private static @Nullable Object get(Field field, Object servant) throws NoStateException {
        try {
            return field.get(servant);
        } catch (IllegalAccessException e) {
            throw new NoStateException("field " + name(field) + " cannot be read", e);
        }
    }

    private static String name(Field field) {
        return field.getDeclaringClass().getName() + "." + field.getName();
    }
}
