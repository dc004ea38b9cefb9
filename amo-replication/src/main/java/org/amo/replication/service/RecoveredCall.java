package org.amo.replication.service;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.amo.base.Experimental;
import org.amo.core.client.ClientCall;
import org.jspecify.annotations.Nullable;

/**
 * A call that a former process of a client left open, with its outcome now ({@link AmoClient#recover}). Immutable; any thread.
 */
@Experimental
public final class RecoveredCall {
    private final ClientCall.Identity identity;
    private final byte[] request;
    private final byte[] reply;
    private final Optional<AmoException> failure;

    /** @param reply if there is no failure */
    RecoveredCall(ClientCall.Identity identity, byte[] request, byte[] reply, Optional<AmoException> failure) {
        this.identity = identity;
        this.request = request;
        this.reply = reply;
        this.failure = failure;
    }

    /** As members write it into their histories. */
    public String id() {
        return identity.id().toString();
    }

    /** The request, as the former process made it. */
    public byte[] request() {
        return request.clone();
    }

    /**
     * The reply: the result of {@link AmoClient#call(byte[])}.
     *
     * @throws AmoException when there is none; its class says whether the call ran, did not run, or may have run
     */
    public byte[] reply() {
        failure.ifPresent(why -> {
            throw why;
        });
        return reply.clone();
    }

    /** Why there is no reply. */
    public Optional<AmoException> failure() {
        return failure;
    }

    /**
     * Name of the method that a {@linkplain AmoClient#proxy proxy} was called by.
     *
     * @throws RuntimeException in one line if no proxy of this version of the interface made the request
     */
    public String method(Class<?> service) {
        return call(service).entry().name();
    }

    /** The arguments that the proxy was given. */
    public List<@Nullable Object> arguments(Class<?> service) {
        return Collections.unmodifiableList(Arrays.asList(call(service).arguments()));
    }

    /**
     * The result of the method.
     *
     * @throws AmoException as {@link #reply()}; an exception that the method declares is an {@link AmoServiceException} here
     */
    public @Nullable Object result(Class<?> service) {
        return MethodTable.readResult(call(service).entry(), reply());
    }

    private MethodTable.Call call(Class<?> service) {
        return new MethodTable(service).read(Envelope.of(request).request());
    }

    @Override
    public String toString() {
        return id() + failure.map(why -> ": " + why.getMessage()).orElse(": replied");
    }
}
