package org.amo.replication.service;

import java.lang.reflect.InvocationTargetException;
import org.amo.core.request.Answer;

/** An object behind an interface as a handler of requests. */
record TypedService(MethodTable methods, Object target) implements AmoHandler {
    /** The method that a request calls. */
    String operation(byte[] request) {
        return methods.read(request).entry().name();
    }

    @Override
    public byte[] handle(byte[] request, ReplicaContext context) throws Exception {
        MethodTable.Call call = methods.read(request);
        try {
            return MethodTable.result(call.entry(), call.entry().method().invoke(target, call.arguments()));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            if (e.getCause() instanceof Error broken) {
                throw broken;
            }
            throw e;
        }
    }

    /** The reply for what a request threw: with its data if the method declares it and the client reads data. */
    byte[] thrown(byte[] body, Throwable thrown) {
        return thrown instanceof Exception exception
                        && methods.named(Envelope.of(body).request())
                                .filter(entry ->
                                        entry.readsData() && DeclaredExceptions.isDeclared(entry.method(), exception))
                                .isPresent()
                ? Payloads.thrownWithData(exception, Answer.MAX_REPLY_BYTES)
                : Payloads.thrown(thrown);
    }

    /**
     * The same for a call outside of the order.
     *
     * @throws AmoProtocolException if the method is not {@link ReadOnly} here
     */
    byte[] read(byte[] request, ReplicaContext context) throws Exception {
        MethodTable.Entry entry = methods.read(request).entry();
        if (!entry.method().isAnnotationPresent(ReadOnly.class)) {
            throw new AmoProtocolException("the member's " + methods.type().getSimpleName() + "." + entry.name()
                    + " is not @ReadOnly; run the same version of "
                    + methods.type().getName() + " on both sides");
        }
        return handle(request, context);
    }
}
