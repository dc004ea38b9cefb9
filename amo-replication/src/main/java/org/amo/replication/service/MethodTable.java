package org.amo.replication.service;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.FatalErrors;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads calls of an interface as requests and replies: {@code 0xA1, name, schema (64 bit), arguments}. The schema
 * is a hash of the structure of all parameters and of the result, so that a member and a client with different versions of
 * the interface notice, and that overloads are told apart. Immutable once made; any thread.
 */
final class MethodTable {
    private static final int MAGIC = 0xA1;
    private static final int MAX_NAME = 1_024;

    private final Class<?> type;
    private final Map<Method, Entry> byMethod = new LinkedHashMap<>();

    /** By their names and schemas, which tell overloads apart, too. */
    private final Map<String, Map<Long, Entry>> byName = new HashMap<>();

    /**
     * One method, in one of the forms in which a client may call it.
     *
     * @param parameters their types, with those of the interface in the place of type parameters
     * @param result of the method, or of the stage that it returns
     * @param later whether it returns a stage
     * @param readsData whether the client reads the data of exceptions
     */
    record Entry(
            Method method,
            List<Type> parameters,
            long schema,
            List<TypeCodec> arguments,
            TypeCodec result,
            boolean later,
            boolean readsData) {
        Entry(
                Method method,
                List<Type> parameters,
                List<TypeCodec> arguments,
                TypeCodec result,
                boolean later,
                boolean readsData) {
            this(
                    method,
                    parameters,
                    schema(method.getName(), arguments, result, readsData),
                    arguments,
                    result,
                    later,
                    readsData);
        }

        private static long schema(String name, List<TypeCodec> arguments, TypeCodec result, boolean readsData) {
            StringBuilder schema = new StringBuilder(name);
            arguments.forEach(argument -> schema.append(',').append(argument.schema()));
            schema.append(':').append(result.schema()).append(readsData ? ";data" : "");
            return Payloads.fingerprint(schema.toString().getBytes(StandardCharsets.UTF_8));
        }

        String name() {
            return method.getName();
        }
    }

    /**
     * Of a service: a member runs an operation to its end, so its methods return results.
     *
     * @throws IllegalArgumentException in one line also when a method returns a stage
     */
    static MethodTable ofService(Class<?> type) {
        MethodTable methods = new MethodTable(type);
        methods.byMethod.values().stream().filter(Entry::later).findFirst().ifPresent(entry -> {
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
        TypeArguments arguments = TypeArguments.above(type);
        Method[] methods = type.getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::toGenericString));
        for (Method method : methods) {
            if (Modifier.isAbstract(method.getModifiers())) {
                add(method, arguments);
            }
        }
    }

    private void add(Method method, TypeArguments ofType) {
        String where = type.getSimpleName() + "." + method.getName();
        if (method.isAnnotationPresent(Oneway.class)) {
            checkOneway(method, where);
        }
        DeclaredExceptions.check(method, where);
        Type declared = ofType.in(method.getGenericReturnType());
        Optional<Type> later = resultOfStage(declared);
        Type returned = later.orElse(declared);
        // What void is in a stage.
        Type result = returned == Void.class && later.isPresent() ? void.class : returned;
        if (method.isAnnotationPresent(ReadOnly.class) && result == void.class) {
            throw new IllegalArgumentException(
                    where
                            + " is @ReadOnly and returns void, so it could do nothing; let it return a result, or drop @ReadOnly");
        }
        method.setAccessible(true);
        List<Type> parameters =
                Arrays.stream(method.getGenericParameterTypes()).map(ofType::in).toList();
        // Each of them by itself: the schema of a type does not depend on the other methods of the interface.
        List<TypeCodec> arguments = parameters.stream()
                .map(parameter -> new TypeCodecs().of(parameter, where))
                .toList();
        boolean readsData = DeclaredExceptions.mayHaveData(method);
        for (Type form : forms(result)) {
            TypeCodec codec = new TypeCodecs().of(form, where);
            for (boolean withData : List.of(false, true)) {
                Entry entry = new Entry(method, parameters, arguments, codec, later.isPresent(), withData);
                register(entry);
                if (form.equals(result) && withData == readsData) {
                    byMethod.put(method, entry);
                }
            }
        }
    }

    /** The types under which clients may know a result: an interface with stages has the box of a primitive. */
    private static List<Type> forms(Type result) {
        return result instanceof Class<?> plain && plain.isPrimitive() && plain != void.class
                ? List.of(result, MethodType.methodType(plain).wrap().returnType())
                : List.of(result);
    }

    private void register(Entry entry) {
        Entry other =
                byName.computeIfAbsent(entry.name(), name -> new HashMap<>()).putIfAbsent(entry.schema(), entry);
        if (other != null && !other.parameters().equals(entry.parameters())) {
            throw new IllegalArgumentException(type.getName() + " has two methods " + entry.name()
                    + " whose parameters are written alike; give one of them another name");
        }
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

    /** Whether it looks like a request that a proxy has written. */
    static boolean isOfProxy(byte[] request) {
        return request.length > 0 && (request[0] & 0xFF) == MAGIC;
    }

    /** A method and its arguments, as the member reads them. */
    record Call(Entry entry, @Nullable Object[] arguments) {}

    /** @throws AmoProtocolException in one line when the request was not written for this interface */
    Call read(byte[] request) {
        try {
            WireReader reader = new WireReader("call of " + type.getSimpleName(), request);
            if (!isOfProxy(request)) {
                throw new AmoProtocolException("the request was not written by a proxy of " + type.getName()
                        + "; call the service through AmoClient.proxy(" + type.getSimpleName() + ".class)");
            }
            Head head = head(reader);
            Entry entry = head.entry()
                    .orElseThrow(() -> new AmoProtocolException("the client's " + type.getSimpleName() + "."
                            + head.name() + " is not this member's; run the same version of " + type.getName()
                            + " on both sides"));
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

    /** @param entry empty if the interface has no such method */
    private record Head(String name, Optional<Entry> entry) {}

    /** Reads a proxy's request up to the arguments. */
    private Head head(WireReader reader) {
        reader.u8("magic");
        String name = reader.text("method", MAX_NAME);
        return new Head(
                name, Optional.ofNullable(byName.getOrDefault(name, Map.of()).get(reader.i64("schema"))));
    }

    /** The method that a request calls, with any arguments; empty if it calls none of this interface. */
    Optional<Entry> named(byte[] request) {
        try {
            return isOfProxy(request)
                    ? head(new WireReader("call of " + type.getSimpleName(), request))
                            .entry()
                    : Optional.empty();
        } catch (MalformedFrameException e) {
            return Optional.empty();
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
