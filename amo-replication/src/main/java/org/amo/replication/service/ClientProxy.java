package org.amo.replication.service;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Calls of an interface as requests of a client. Any thread. */
record ClientProxy(AmoCalls calls, MethodTable methods) implements InvocationHandler {
    private static final Object[] NONE = {};

    static <T> T of(AmoCalls calls, Class<T> type) {
        MethodTable methods = new MethodTable(type);
        ClientProxy handler = new ClientProxy(calls, methods);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given) throws Throwable {
        @Nullable Object[] arguments = given == null ? NONE : given;
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> methods.type().getSimpleName() + " by " + calls;
            };
        }
        if (method.isDefault()) {
            return InvocationHandler.invokeDefault(proxy, method, arguments);
        }
        MethodTable.Entry entry = methods.of(method);
        byte[] request = MethodTable.request(entry, arguments);
        if (method.isAnnotationPresent(Oneway.class)) {
            calls.oneway(request);
            return null;
        }
        boolean reads = method.isAnnotationPresent(ReadOnly.class);
        if (entry.later()) {
            return result(entry, reads ? calls.queryAsync(request) : calls.callAsync(request));
        }
        try {
            return MethodTable.readResult(entry, reads ? calls.query(request) : calls.call(request));
        } catch (AmoServiceException thrown) {
            throw declared(method, thrown);
        }
    }

    /** Ends where the stage of the reply ends, so that its dependent actions belong to the handling of the outcome. */
    @SuppressWarnings("FutureReturnValueIgnored") // the stage that is returned tells everything
    private static CompletableFuture<@Nullable Object> result(MethodTable.Entry entry, CompletionStage<byte[]> reply) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        reply.whenComplete((bytes, why) -> {
            if (why == null) {
                AmoClient.complete(result, () -> MethodTable.readResult(entry, bytes));
            } else {
                result.completeExceptionally(
                        why instanceof AmoServiceException thrown ? declared(entry.method(), thrown) : why);
            }
        });
        return result;
    }

    private static Throwable declared(Method method, AmoServiceException thrown) {
        return DeclaredExceptions.of(method, thrown).orElse(thrown);
    }
}
