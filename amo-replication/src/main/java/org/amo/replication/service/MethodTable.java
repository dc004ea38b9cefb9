package org.amo.replication.service;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.FatalErrors;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads calls of an interface as requests and replies: {@code 0xA1, name, schema (64 bit), arguments}. The schema
 * is a hash of the structure of all parameters and of the result, so that a member and a client with different versions of
 * the interface notice. Immutable once made; any thread.
 */
final class MethodTable {
    private static final int MAGIC = 0xA1;
    private static final int MAX_NAME = 1_024;

    private final Class<?> type;
    private final Map<Method, Entry> byMethod = new HashMap<>();
    private final Map<String, Entry> byName = new LinkedHashMap<>();

    /** Methods with a primitive result, as an interface with stages declares them: a stage holds its box. */
    private final Map<String, Entry> boxed = new HashMap<>();

    /**
     * One method.
     *
     * @param result of the method, or of the stage that it returns
     * @param later whether it returns a stage
     */
    record Entry(Method method, String name, long schema, List<TypeCodec> arguments, TypeCodec result, boolean later) {
        Entry(Method method, List<TypeCodec> arguments, TypeCodec result, boolean later) {
            this(method, method.getName(), schema(method.getName(), arguments, result), arguments, result, later);
        }

        private static long schema(String name, List<TypeCodec> arguments, TypeCodec result) {
            StringBuilder schema = new StringBuilder(name);
            arguments.forEach(argument -> schema.append(',').append(argument.schema()));
            schema.append(':').append(result.schema());
            return Payloads.fingerprint(schema.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Of a service: a member runs an operation to its end, so its methods return results.
     *
     * @throws IllegalArgumentException in one line also when a method returns a stage
     */
    static MethodTable ofService(Class<?> type) {
        MethodTable methods = new MethodTable(type);
        methods.byName.values().stream().filter(Entry::later).findFirst().ifPresent(entry -> {
            throw new IllegalArgumentException(type.getSimpleName() + "." + entry.name()
                    + " returns a stage, and a member runs each operation to its end; let the service's method return"
                    + " the result, and clients have an interface of their own with the stage");
        });
        return methods;
    }

    /**
     * @throws IllegalArgumentException in one line when the interface uses a type that cannot be carried, or is none
     */
    MethodTable(Class<?> type) {
        this.type = type;
        if (!type.isInterface()) {
            throw new IllegalArgumentException(type.getName() + " is a class; name the interface that clients call");
        }
        TypeCodecs codecs = new TypeCodecs();
        Method[] methods = type.getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::toGenericString));
        for (Method method : methods) {
            if (Modifier.isAbstract(method.getModifiers())) {
                Entry entry = entry(codecs, method);
                byMethod.put(method, entry);
                if (byName.put(entry.name(), entry) != null) {
                    throw new IllegalArgumentException(
                            type.getName() + " has two methods " + entry.name() + "; give one of them another name");
                }
                if (method.getReturnType().isPrimitive() && method.getReturnType() != void.class) {
                    Class<?> box =
                            MethodType.methodType(method.getReturnType()).wrap().returnType();
                    TypeCodec result = codecs.of(box, entry.name());
                    boxed.put(entry.name(), new Entry(method, entry.arguments(), result, false));
                }
            }
        }
    }

    private Entry entry(TypeCodecs codecs, Method method) {
        String where = type.getSimpleName() + "." + method.getName();
        List<TypeCodec> arguments = new ArrayList<>();
        for (Type argument : method.getGenericParameterTypes()) {
            arguments.add(codecs.of(argument, where));
        }
        if (method.isAnnotationPresent(Oneway.class)) {
            checkOneway(method, where);
        }
        Optional<Type> later = resultOfStage(method.getGenericReturnType());
        Type returned = later.orElse(method.getGenericReturnType());
        // What void is in a stage.
        Type result = returned == Void.class && later.isPresent() ? void.class : returned;
        if (method.isAnnotationPresent(ReadOnly.class) && result == void.class) {
            throw new IllegalArgumentException(
                    where
                            + " is @ReadOnly and returns void, so it could do nothing; let it return a result, or drop @ReadOnly");
        }
        method.setAccessible(true);
        return new Entry(method, arguments, codecs.of(result, where), later.isPresent());
    }

    /** The type that a stage holds; empty for another type. */
    private static Optional<Type> resultOfStage(Type type) {
        return type instanceof ParameterizedType stage
                        && (stage.getRawType() == CompletionStage.class
                                || stage.getRawType() == CompletableFuture.class)
                ? Optional.of(stage.getActualTypeArguments()[0])
                : Optional.empty();
    }

    private static void checkOneway(Method method, String where) {
        if (method.getReturnType() != void.class) {
            throw new IllegalArgumentException(where + " is @Oneway, so no result comes back, and it returns "
                    + method.getReturnType().getSimpleName() + "; let it return void, or drop @Oneway");
        }
        for (Class<?> thrown : method.getExceptionTypes()) {
            if (!RuntimeException.class.isAssignableFrom(thrown) && !Error.class.isAssignableFrom(thrown)) {
                throw new IllegalArgumentException(where + " is @Oneway, so no exception comes back, and it declares "
                        + thrown.getName() + "; drop the one or the other");
            }
        }
    }

    /** Warnings, in one line each, of declarations that will not work as the interface says. */
    List<String> warnings() {
        return byName.values().stream()
                .flatMap(entry -> DeclaredExceptions.warnings(entry.method()).stream())
                .toList();
    }

    Class<?> type() {
        return type;
    }

    Entry of(Method method) {
        Entry entry = byMethod.get(method);
        if (entry == null) {
            throw new IllegalArgumentException(method + " is no method of " + type.getName());
        }
        return entry;
    }

    static byte[] request(Entry entry, @Nullable Object[] arguments) {
        WireWriter writer = new WireWriter(64);
        writer.u8(MAGIC);
        writer.text("method", entry.name(), MAX_NAME);
        writer.i64(entry.schema());
        for (int i = 0; i < arguments.length; i++) {
            entry.arguments().get(i).write(writer, arguments[i]);
        }
        return writer.toBytes();
    }

    /** A method and its arguments, as the member reads them. */
    record Call(Entry entry, @Nullable Object[] arguments) {}

    /** @throws AmoProtocolException in one line when the request was not written for this interface */
    Call read(byte[] request) {
        try {
            WireReader reader = new WireReader("call of " + type.getSimpleName(), request);
            if (request.length == 0 || reader.u8("magic") != MAGIC) {
                throw new AmoProtocolException("the request was not written by a proxy of " + type.getName()
                        + "; call the service through AmoClient.proxy(" + type.getSimpleName() + ".class)");
            }
            String name = reader.text("method", MAX_NAME);
            long schema = reader.i64("schema");
            Entry declared = byName.get(name);
            Entry entry = declared != null && declared.schema() != schema ? boxed.get(name) : declared;
            if (entry == null || entry.schema() != schema) {
                throw new AmoProtocolException("the client's " + type.getSimpleName() + "." + name
                        + " is not this member's; run the same version of " + type.getName() + " on both sides");
            }
            @Nullable
            Object[] arguments = new @Nullable Object[entry.arguments().size()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = entry.arguments().get(i).read(reader);
            }
            reader.end();
            return new Call(entry, arguments);
        } catch (AmoProtocolException e) {
            throw e;
        } catch (RuntimeException e) {
            // The constructor of a record may have run out of memory or stack.
            FatalErrors.in(e).ifPresent(error -> {
                throw error;
            });
            throw new AmoProtocolException("the request is damaged: " + e.getMessage());
        }
    }

    static byte[] result(Entry entry, @Nullable Object value) {
        WireWriter writer = new WireWriter(32);
        entry.result().write(writer, value);
        return writer.toBytes();
    }

    static @Nullable Object readResult(Entry entry, byte[] reply) {
        WireReader reader = new WireReader("result of " + entry.name(), reply);
        Object value = entry.result().read(reader);
        reader.end();
        return value;
    }
}
