package org.amo.interceptors.server;

import java.io.InvalidObjectException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.omg.CORBA.portable.IDLEntity;

/**
 * Objects that a program compares by identity: enumerations from before enums. Java serialization makes another object of each, unless its
 * class has a {@code readResolve}. Then a restored member compares otherwise than the others, without an error.
 *
 * <p>The enumerations that IDL compilers make have {@code from_int} and {@code value}, so they come back as the constants that they were.
 * Any thread.
 */
final class Constants {
    private static final ClassValue<Optional<Enumeration>> ENUMERATIONS = new ClassValue<>() {
        @Override
        protected Optional<Enumeration> computeValue(Class<?> type) {
            return enumeration(type);
        }
    };

    private static final ClassValue<List<Field>> CONSTANTS = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            return constants(type);
        }
    };

    private Constants() {}

    private record Enumeration(Method fromInt, Method value) {}

    /** The constant of an enumeration of IDL that a stream holds a copy of; other objects as they are. */
    static Object resolved(Object read) throws InvalidObjectException {
        if (!(read instanceof IDLEntity)) {
            return read;
        }
        Optional<Enumeration> enumeration = ENUMERATIONS.get(read.getClass());
        if (enumeration.isEmpty()) {
            return read;
        }
        try {
            Object value = enumeration.get().value().invoke(read);
            return enumeration.get().fromInt().invoke(null, value);
        } catch (ReflectiveOperationException e) {
            InvalidObjectException invalid =
                    new InvalidObjectException("a value of " + read.getClass().getName() + " is none of its constants");
            invalid.initCause(e);
            throw invalid;
        }
    }

    /** @throws IllegalArgumentException in one line if the object is a constant that would come back as another object */
    static void check(Object written) {
        for (Field field : CONSTANTS.get(written.getClass())) {
            try {
                if (field.get(null) == written) {
                    throw new IllegalArgumentException("the constant "
                            + field.getDeclaringClass().getName() + "." + field.getName()
                            + " would come back as another object, so that == is false; make its class an enum, give it a"
                            + " readResolve or equals, or offer get_state and set_state");
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(field + " is accessible", e);
            }
        }
    }

    private static Optional<Enumeration> enumeration(Class<?> type) {
        try {
            Method fromInt = type.getDeclaredMethod("from_int", int.class);
            Method value = type.getDeclaredMethod("value");
            return Modifier.isStatic(fromInt.getModifiers())
                            && fromInt.getReturnType() == type
                            && !Modifier.isStatic(value.getModifiers())
                            && value.getReturnType() == int.class
                            && fromInt.trySetAccessible()
                            && value.trySetAccessible()
                    ? Optional.of(new Enumeration(fromInt, value))
                    : Optional.empty();
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }

    /** The fields of a class and those above it that may hold one of its objects as a constant, if no object is made elsewhere. */
    private static List<Field> constants(Class<?> type) {
        if (type.getClassLoader() == null
                || type.isArray()
                || Enum.class.isAssignableFrom(type)
                || IDLEntity.class.isAssignableFrom(type)
                || hasOwnIdentity(type)) {
            return List.of();
        }
        List<Field> fields = new ArrayList<>();
        for (Class<?> each = type; each != null && each.getClassLoader() != null; each = each.getSuperclass()) {
            Constructor<?>[] constructors = each.getDeclaredConstructors();
            if (Arrays.stream(constructors).allMatch(made -> Modifier.isPrivate(made.getModifiers()))) {
                for (Field field : each.getDeclaredFields()) {
                    int modifiers = field.getModifiers();
                    if (Modifier.isStatic(modifiers)
                            && Modifier.isFinal(modifiers)
                            && field.getType().isAssignableFrom(type)
                            && each.isAssignableFrom(field.getType())
                            && field.trySetAccessible()) {
                        fields.add(field);
                    }
                }
            }
        }
        return List.copyOf(fields);
    }

    /** Whether its copies are equal, or no copies stay. */
    private static boolean hasOwnIdentity(Class<?> type) {
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                boolean equals = method.getName().equals("equals")
                        && Arrays.equals(method.getParameterTypes(), new Class<?>[] {Object.class});
                if (equals || (method.getName().equals("readResolve") && method.getParameterCount() == 0)) {
                    return true;
                }
            }
        }
        return false;
    }
}
