package org.amo.replication.service;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls of an interface as requests of a client. Any thread. */
record ClientProxy(AmoClient client, MethodTable methods, ReadOptions reading) implements InvocationHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ClientProxy.class);
    private static final Object[] NONE = {};

    static <T> T of(AmoClient client, Class<T> type, ReadOptions reading) {
        MethodTable methods = new MethodTable(type);
        methods.warnings().forEach(LOG::warn);
        ClientProxy handler = new ClientProxy(client, methods, reading);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given) throws Throwable {
        @Nullable Object[] arguments = given == null ? NONE : given;
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> methods.type().getSimpleName() + " by amo client " + client.id();
            };
        }
        if (method.isDefault()) {
            return InvocationHandler.invokeDefault(proxy, method, arguments);
        }
        MethodTable.Entry entry = methods.of(method);
        byte[] request = MethodTable.request(entry, arguments);
        if (method.isAnnotationPresent(Oneway.class)) {
            client.oneway(request);
            return null;
        }
        try {
            byte[] reply =
                    method.isAnnotationPresent(ReadOnly.class) ? client.query(request, reading) : client.call(request);
            return MethodTable.readResult(entry, reply);
        } catch (AmoServiceException thrown) {
            Optional<Throwable> declared = DeclaredExceptions.of(method, thrown);
            throw declared.isPresent() ? declared.get() : thrown;
        }
    }
}
