package org.amo.grpc;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The call as its handler sees it: all that the handler sends is collected as a {@link KeptReply}, and it is never cancelled, since a retry may
 * fetch the reply after the connection of this attempt has gone. The handler uses it as it would use gRPC's own, from one thread at a time.
 */
final class HandlerCall<ReqT, RespT> extends ServerCall<ReqT, RespT> {
    private final ServerCall<ReqT, RespT> attempt;
    private final Consumer<KeptReply> onClosed;

    private Optional<Metadata> headers = Optional.empty();
    private @Nullable RespT message;
    private Optional<byte[]> bytes = Optional.empty();
    private Optional<Status> failure = Optional.empty();
    private volatile boolean closed;

    /**
     * @param attempt the call that has arrived
     * @param onClosed is told the reply, once
     */
    HandlerCall(ServerCall<ReqT, RespT> attempt, Consumer<KeptReply> onClosed) {
        this.attempt = attempt;
        this.onClosed = onClosed;
    }

    /** The reply message as the handler sent it; empty if it can be read only once, and was. */
    Optional<RespT> message() {
        return Optional.ofNullable(message);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void request(int numMessages) {
        // The one message of a unary call is here already.
    }

    @Override
    public void sendHeaders(Metadata sent) {
        if (closed || headers.isPresent()) {
            throw new IllegalStateException("headers were sent, or the call is closed");
        }
        headers = Optional.of(sent);
    }

    @Override
    public void sendMessage(RespT reply) {
        if (closed || headers.isEmpty()) {
            throw new IllegalStateException("headers were not sent, or the call is closed");
        }
        if (bytes.isPresent()) {
            failure = Optional.of(Status.INTERNAL.withDescription("Too many responses"));
            return;
        }
        message = reply instanceof InputStream ? null : reply;
        bytes = Optional.of(bytes(getMethodDescriptor().streamResponse(reply)));
    }

    static byte[] bytes(InputStream message) {
        try (message) {
            return message.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close(Status status, Metadata trailers) {
        if (closed) {
            throw new IllegalStateException("the call is closed");
        }
        closed = true;
        Status outcome = failure.orElse(
                status.isOk() && bytes.isEmpty()
                        ? Status.INTERNAL.withDescription("Completed without a response")
                        : status);
        // The cause does not travel, as with gRPC's own call.
        Status told = outcome.getCode().toStatus().withDescription(outcome.getDescription());
        onClosed.accept(new KeptReply(told, headers, told.isOk() ? bytes : Optional.empty(), trailers));
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public void setMessageCompression(boolean enabled) {
        attempt.setMessageCompression(enabled);
    }

    @Override
    public void setCompression(String compressor) {
        attempt.setCompression(compressor);
    }

    @Override
    public SecurityLevel getSecurityLevel() {
        return attempt.getSecurityLevel();
    }

    @Override
    public Attributes getAttributes() {
        return attempt.getAttributes();
    }

    @Override
    public @Nullable String getAuthority() {
        return attempt.getAuthority();
    }

    @Override
    public MethodDescriptor<ReqT, RespT> getMethodDescriptor() {
        return attempt.getMethodDescriptor();
    }
}
