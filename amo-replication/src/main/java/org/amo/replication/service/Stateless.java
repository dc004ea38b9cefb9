package org.amo.replication.service;

import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Currency;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes fields that hold no state: helpers of a service, which keep the value that its constructor made, and values
 * that never change.
 */
final class Stateless {
    private static final List<String> HELPERS = List.of(
            "org.slf4j.Logger",
            "java.util.logging.Logger",
            "java.lang.System$Logger",
            "org.apache.logging.log4j.Logger",
            "org.apache.commons.logging.Log",
            "org.jboss.logging.Logger",
            "com.google.common.flogger.AbstractLogger",
            "java.util.concurrent.locks.Lock",
            "java.util.concurrent.locks.ReadWriteLock",
            "java.util.concurrent.locks.StampedLock",
            "java.util.concurrent.locks.Condition",
            "java.util.concurrent.Executor",
            "java.util.concurrent.ThreadFactory",
            "java.lang.Thread",
            "java.lang.ThreadLocal",
            "java.lang.ThreadGroup",
            "java.lang.ClassLoader",
            "java.util.Comparator",
            "java.text.Format",
            "java.time.Clock");

    private static final List<String> HELPER_PACKAGES = List.of(
            "java.util.function.",
            "java.lang.management.",
            "java.lang.invoke.",
            "javax.management.",
            "io.micrometer.",
            "io.prometheus.",
            "io.opentelemetry.",
            "com.codahale.metrics.");

    private static final Set<Class<?>> VALUES = Set.of(
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Class.class,
            Pattern.class,
            Locale.class,
            Currency.class,
            URI.class,
            URL.class,
            File.class,
            Path.class,
            Charset.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class);

    private Stateless() {}

    /** A logger, a lock, an executor, a metric, a function, the object around an inner class, or an object without content. */
    static boolean isHelper(Field field, @Nullable Object value) {
        return (field.isSynthetic() && field.getName().startsWith("this$"))
                || (value != null && value.getClass() == Object.class)
                || isHelper(field.getType());
    }

    private static boolean isHelper(@Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        String name = type.getName();
        if (HELPERS.contains(name) || HELPER_PACKAGES.stream().anyMatch(name::startsWith)) {
            return true;
        }
        for (Class<?> each : type.getInterfaces()) {
            if (isHelper(each)) {
                return true;
            }
        }
        return isHelper(type.getSuperclass());
    }

    /**
     * The field by which a function of the application's own has a state, as a counter that is a {@code LongSupplier}; empty if the field
     * holds none. Functions of libraries are left alone: they may keep results.
     *
     * @param service the class of the service, which stands for the application
     */
    static Optional<Field> stateOfFunction(Field field, @Nullable Object value, Class<?> service) {
        if (value == null || !isFunction(field.getType())) {
            return Optional.empty();
        }
        for (Class<?> type = value.getClass(); type != null && isOf(service, type); type = type.getSuperclass()) {
            for (Field each : type.getDeclaredFields()) {
                int modifiers = each.getModifiers();
                if (!Modifier.isStatic(modifiers)
                        && !Modifier.isFinal(modifiers)
                        && !Modifier.isTransient(modifiers)
                        && !each.isSynthetic()) {
                    return Optional.of(each);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isOf(Class<?> service, Class<?> type) {
        return Objects.equals(
                type.getProtectionDomain().getCodeSource(),
                service.getProtectionDomain().getCodeSource());
    }

    private static boolean isFunction(@Nullable Class<?> type) {
        return type != null
                && (type.getName().startsWith("java.util.function.")
                        || isFunction(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(Stateless::isFunction));
    }

    /** Whether the content of a final field of a type never changes, so that it needs no snapshot. */
    static boolean isValue(Type type) {
        return isValue(type, new HashSet<>());
    }

    private static boolean isValue(Type type, Set<Type> seen) {
        if (!seen.add(type)) {
            return true;
        }
        if (type instanceof ParameterizedType parameterized) {
            return (parameterized.getRawType() == Optional.class
                            && isValue(parameterized.getActualTypeArguments()[0], seen))
                    || parameterized.getRawType() == Class.class;
        }
        if (!(type instanceof Class<?> plain)) {
            return false;
        }
        if (plain.isRecord()) {
            for (RecordComponent component : plain.getRecordComponents()) {
                if (!isValue(component.getGenericType(), seen)) {
                    return false;
                }
            }
            return true;
        }
        return plain.isPrimitive()
                || plain.isEnum()
                || VALUES.contains(plain)
                || (plain.getName().startsWith("java.time.") && !Modifier.isAbstract(plain.getModifiers()));
    }
}
