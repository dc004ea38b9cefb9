package org.amo.replication.service;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the exception that a service threw again at the client, with its data, if its method declares it or a class above it. The
 * class that was thrown is made if the client has it with the same fields; else the nearest declared class above it that can be made.
 *
 * <p>A class can be made if it is not abstract and has a public constructor with its fields in the order of their declaration, with or
 * without the message before or behind them, or (String), (String, Throwable) or (). A field that the constructor does not set is set
 * behind it.
 */
final class DeclaredExceptions {
    private static final Logger LOG = LoggerFactory.getLogger(DeclaredExceptions.class);
    private static final Part MESSAGE = new Part(String.class, Optional.empty());
    private static final Part CAUSE = new Part(Throwable.class, Optional.empty());

    private DeclaredExceptions() {}

    /** A parameter of a constructor. */
    private record Part(Class<?> type, Optional<Field> field) {}

    private record Maker(Constructor<?> constructor, List<Part> parts) {}

    /**
     * @throws IllegalArgumentException in one line if a declared exception cannot be made again with its data
     * @param where names the method, for the message
     */
    static void check(Method method, String where) {
        for (Class<?> declared : method.getExceptionTypes()) {
            String what = where + " declares " + declared.getName();
            for (ExceptionFields each : classes(declared)) {
                each.obstacle().ifPresent(why -> {
                    throw new IllegalArgumentException(
                            what + ", whose data clients cannot get; make the field transient, or change it: " + why);
                });
            }
            if (!Modifier.isAbstract(declared.getModifiers())
                    && makers(declared).isEmpty()) {
                String fields =
                        fields(classes(declared)).stream().map(Field::getName).collect(Collectors.joining(", "));
                throw new IllegalArgumentException(what + ", which clients cannot make again; "
                        + (ExceptionFields.isOfJdk(declared)
                                ? "declare an exception of your own"
                                : "give it a public constructor (String)"
                                        + (fields.isEmpty() ? "" : ", or one with its fields: " + fields)));
            }
        }
    }

    /** Whether a method may throw exceptions with data. */
    static boolean mayHaveData(Method method) {
        return Arrays.stream(method.getExceptionTypes()).anyMatch(each -> !ExceptionFields.isOfJdk(each));
    }

    static boolean isDeclared(Method method, Throwable thrown) {
        return Arrays.stream(method.getExceptionTypes()).anyMatch(each -> each.isInstance(thrown));
    }

    /** The exception that the client throws; empty if no exception that the method declares can be made. */
    static Optional<Throwable> of(Method method, AmoServiceException thrown) {
        for (String name : thrown.types()) {
            for (Class<?> declared : method.getExceptionTypes()) {
                Optional<Throwable> made = find(name, declared).flatMap(type -> make(type, thrown));
                if (made.isPresent()) {
                    return made;
                }
            }
        }
        return Optional.empty();
    }

    /** The class of that name, if it is the declared class or below it. No code of another class runs. */
    private static Optional<Class<?>> find(String name, Class<?> declared) {
        if (declared.getName().equals(name)) {
            return Optional.of(declared);
        }
        try {
            Class<?> type = Class.forName(name, false, declared.getClassLoader());
            return declared.isAssignableFrom(type) ? Optional.of(type) : Optional.empty();
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }

    /** Without the data of a class it is not made: it would have values that the service did not give it. */
    private static Optional<Throwable> make(Class<?> type, AmoServiceException thrown) {
        Map<Field, @Nullable Object> data = new HashMap<>();
        try {
            for (ExceptionFields each : classes(type)) {
                Optional<ExceptionFields.Written> written = thrown.data(each.className());
                if (written.isEmpty() || !each.read(written.get(), data)) {
                    return Optional.empty();
                }
            }
        } catch (RuntimeException e) {
            LOG.debug("the data of a {} cannot be read", type, e);
            return Optional.empty();
        }
        Optional<Throwable> first = Optional.empty();
        for (Maker maker : makers(type)) {
            Optional<Throwable> made = make(maker, thrown.serviceMessage(), data);
            if (made.filter(each -> message(each).equals(thrown.serviceMessage()))
                    .isPresent()) {
                first = made;
                break;
            }
            first = first.or(() -> made);
        }
        first.ifPresent(made -> made.addSuppressed(thrown));
        return first;
    }

    private static String message(Throwable made) {
        return Objects.requireNonNullElse(made.getMessage(), "");
    }

    private static Optional<Throwable> make(Maker maker, String message, Map<Field, @Nullable Object> data) {
        @Nullable Object[] arguments = new @Nullable Object[maker.parts.size()];
        for (int i = 0; i < arguments.length; i++) {
            Part part = maker.parts.get(i);
            arguments[i] = part.field.isPresent() ? data.get(part.field.get()) : part.equals(MESSAGE) ? message : null;
        }
        try {
            Throwable made = (Throwable) maker.constructor.newInstance(arguments);
            for (Map.Entry<Field, @Nullable Object> each : data.entrySet()) {
                Object value = each.getKey().get(made);
                if (!Objects.deepEquals(value, each.getValue())) {
                    // A final field, too: no other thread has the exception yet.
                    each.getKey().set(made, each.getValue());
                }
            }
            return Optional.of(made);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("{} refuses these values; another constructor may not", maker.constructor, e);
            return Optional.empty();
        }
    }

    /** Those with data from the topmost class down. */
    private static List<ExceptionFields> classes(Class<?> type) {
        List<ExceptionFields> classes = new ArrayList<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (!ExceptionFields.of(each).isEmpty()) {
                classes.add(0, ExceptionFields.of(each));
            }
        }
        return classes;
    }

    private static List<Field> fields(List<ExceptionFields> classes) {
        return classes.stream().flatMap(each -> each.fields().stream()).toList();
    }

    /** Those that can make it, the best first. */
    private static List<Maker> makers(Class<?> type) {
        List<Maker> found = new ArrayList<>();
        if (Modifier.isAbstract(type.getModifiers()) || !Throwable.class.isAssignableFrom(type)) {
            return found;
        }
        for (List<Part> form : forms(type)) {
            try {
                Constructor<?> constructor =
                        type.getConstructor(form.stream().map(Part::type).toArray(Class<?>[]::new));
                constructor.setAccessible(true);
                found.add(new Maker(constructor, form));
            } catch (NoSuchMethodException | RuntimeException e) {
                LOG.trace("{} has no such constructor", type, e);
            }
        }
        return found;
    }

    private static Set<List<Part>> forms(Class<?> type) {
        List<ExceptionFields> ownLast = classes(type);
        List<ExceptionFields> ownFirst = new ArrayList<>(ownLast);
        Collections.reverse(ownFirst);
        Set<List<Part>> forms = new LinkedHashSet<>();
        for (List<ExceptionFields> order : List.of(ownLast, ownFirst)) {
            List<Part> data = fields(order).stream()
                    .map(field -> new Part(field.getType(), Optional.of(field)))
                    .toList();
            if (!data.isEmpty()) {
                forms.add(data);
                forms.add(joined(List.of(MESSAGE), data));
                forms.add(joined(data, List.of(MESSAGE)));
                forms.add(joined(joined(List.of(MESSAGE), data), List.of(CAUSE)));
            }
        }
        forms.addAll(List.of(List.of(MESSAGE), List.of(MESSAGE, CAUSE), List.of()));
        return forms;
    }

    private static List<Part> joined(List<Part> first, List<Part> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
