package org.amo.grpc;

import io.grpc.Attributes;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at the client: a call of gRPC, whose answer is collected. It also finds out whether the attempt has left the process: gRPC
 * makes a stream for it, and for each retry or hedged attempt of its own, only on a connection that is there.
 *
 * <p>gRPC calls the listener from one thread at a time, the tracer from any.
 */
final class ClientAttempt<RespT> extends ClientCall.Listener<RespT> {
    private final boolean hello;
    private final Consumer<ClientAttempt<RespT>> onEnded;
    private final AtomicReference<Way> way = new AtomicReference<>(Way.NOT_LEFT);

    private Optional<Metadata> headers = Optional.empty();
    private @Nullable RespT message;
    private Status status = Status.UNKNOWN;
    private Metadata trailers = new Metadata();

    private enum Way {
        NOT_LEFT,
        LEFT,
        /** It is taken for one that has not left. */
        SEALED
    }

    /**
     * @param hello whether it asks for the server's id only
     * @param onEnded is told when the answer is whole
     */
    ClientAttempt(boolean hello, Consumer<ClientAttempt<RespT>> onEnded) {
        this.hello = hello;
        this.onEnded = onEnded;
    }

    boolean isHello() {
        return hello;
    }

    Optional<Metadata> headers() {
        return headers;
    }

    Optional<RespT> message() {
        return Optional.ofNullable(message);
    }

    Status status() {
        return status;
    }

    Metadata trailers() {
        return trailers;
    }

    /** The outcome that the server told, if it has told one. */
    Optional<AttemptOutcome> outcome() {
        return AttemptOutcome.in(trailers);
    }

    /** Whether it may have left the process. If not, it does not leave any more as one that runs. */
    boolean hasLeft() {
        return !way.compareAndSet(Way.NOT_LEFT, Way.SEALED) && way.get() == Way.LEFT;
    }

    /** Watches the streams of the attempt. */
    ClientStreamTracer.Factory tracers() {
        return new ClientStreamTracer.Factory() {
            @Override
            public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata sent) {
                return new ClientStreamTracer() {
                    @Override
                    public void streamCreated(Attributes transport, Metadata leaving) {
                        leave(leaving);
                    }
                };
            }
        };
    }

    /** @param leaving the headers of a stream, which may still be changed */
    void leave(Metadata leaving) {
        if (!way.compareAndSet(Way.NOT_LEFT, Way.LEFT) && way.get() == Way.SEALED) {
            // The client was told that the attempt has not left. No server has this id, so none runs it.
            leaving.discardAll(CallMetadata.SERVER);
            leaving.put(CallMetadata.SERVER, "none");
        }
    }

    @Override
    public void onHeaders(Metadata received) {
        headers = Optional.of(received);
    }

    @Override
    public void onMessage(RespT received) {
        message = received;
    }

    @Override
    public void onClose(Status end, Metadata received) {
        status = end;
        trailers = received;
        onEnded.accept(this);
    }
}
