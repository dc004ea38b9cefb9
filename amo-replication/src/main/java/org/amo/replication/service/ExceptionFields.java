package org.amo.replication.service;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.amo.base.OperationAgent;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.FatalErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data of one class of exceptions: its own fields, except for static and transient ones, as they come from the service to the
 * client. Classes of the JDK have no data. Immutable; any thread.
 */
final class ExceptionFields {
    private static final Logger LOG = LoggerFactory.getLogger(ExceptionFields.class);

    private static final ClassValue<ExceptionFields> OF = new ClassValue<>() {
        @Override
        protected ExceptionFields computeValue(Class<?> type) {
            return new ExceptionFields(type);
        }
    };

    private final Class<?> type;
    private final List<Carried> declared;
    private final List<Carried> byName;
    private final long schema;
    private final Optional<String> obstacle;

    private record Carried(Field field, TypeCodec codec) {
        String name() {
            return field.getName();
        }
    }

    /**
     * The data of a class in a reply.
     *
     * @param schema of the class that the service has
     */
    record Written(long schema, byte[] bytes) {}

    private ExceptionFields(Class<?> type) {
        this.type = type;
        List<Carried> found = new ArrayList<>();
        Optional<String> why = Optional.empty();
        try {
            for (Field field : isOfJdk(type) ? new Field[0] : type.getDeclaredFields()) {
                if (isData(field)) {
                    field.setAccessible(true);
                    String where = type.getSimpleName() + "." + field.getName();
                    found.add(new Carried(field, new TypeCodecs().of(field.getGenericType(), where)));
                }
            }
        } catch (RuntimeException | LinkageError e) {
            // Not accessible, of a type that cannot be carried, or of a class that is missing.
            why = Optional.of(String.valueOf(e.getMessage()));
        }
        declared = List.copyOf(found);
        byName = declared.stream().sorted(Comparator.comparing(Carried::name)).toList();
        obstacle = why;
        String text =
                byName.stream().map(each -> each.codec().named(each.name())).collect(Collectors.joining());
        schema = Payloads.fingerprint(text.getBytes(StandardCharsets.UTF_8));
    }

    static ExceptionFields of(Class<?> type) {
        return OF.get(type);
    }

    static boolean isOfJdk(Class<?> type) {
        return type.getClassLoader() == null || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
    }

    private static boolean isData(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && !Modifier.isTransient(field.getModifiers())
                && !field.isSynthetic()
                && !field.getName().equals(OperationAgent.IDENTITY_FIELD);
    }

    String className() {
        return type.getName();
    }

    boolean isEmpty() {
        return declared.isEmpty() && obstacle.isEmpty();
    }

    /** Why the data cannot be carried, in one line. */
    Optional<String> obstacle() {
        return obstacle;
    }

    /** In the order of their declaration. */
    List<Field> fields() {
        return declared.stream().map(Carried::field).toList();
    }

    /** The fields of an exception; empty if they cannot be carried, or if there are none. The same at every member. */
    Optional<Written> write(Throwable thrown) {
        if (declared.isEmpty() || obstacle.isPresent()) {
            return Optional.empty();
        }
        try {
            WireWriter writer = new WireWriter(64);
            for (Carried each : byName) {
                each.codec().write(writer, each.field().get(thrown));
            }
            return Optional.of(new Written(schema, writer.toBytes()));
        } catch (RuntimeException | IllegalAccessException e) {
            // The accessor of a record may have run out of memory or stack.
            FatalErrors.in(e).ifPresent(error -> {
                throw error;
            });
            LOG.debug("the data of a {} cannot be carried", type, e);
            return Optional.empty();
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @return false if the service has the class with other fields
     * @throws RuntimeException if the bytes are damaged
     */
    boolean read(Written written, Map<Field, @Nullable Object> into) {
        if (written.schema() != schema || obstacle.isPresent()) {
            return false;
        }
        WireReader reader = new WireReader("data of " + type.getSimpleName(), written.bytes());
        for (Carried each : byName) {
            into.put(each.field(), each.codec().read(reader));
        }
        reader.end();
        return true;
    }
}
