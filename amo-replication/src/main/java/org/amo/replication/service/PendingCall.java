package org.amo.replication.service;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.base.CallPath;
import org.amo.core.client.ClientCall;
import org.amo.core.request.RequestId;
import org.jspecify.annotations.Nullable;

/** A call on its way through a client; {@code room} is given back when it ends. */
final class PendingCall {
    private final byte[] body;
    private final boolean oneway;
    private final long endMillis;
    private final CallPermits room;
    private final Optional<ClientCall.Identity> identity;
    private final CallPath path;
    private final CompletableFuture<byte[]> outcome = new CompletableFuture<>();
    private @Nullable RequestId sentAs;

    PendingCall(byte[] body, boolean oneway, long endMillis, CallPermits room) {
        this(body, oneway, endMillis, room, Optional.empty(), CallPath.NONE);
    }

    /**
     * @param identity of a call that other processes may send, too; empty for a call of this client alone
     * @param path the groups that wait for the reply
     */
    PendingCall(
            byte[] body,
            boolean oneway,
            long endMillis,
            CallPermits room,
            Optional<ClientCall.Identity> identity,
            CallPath path) {
        this.identity = identity;
        this.path = path;
        this.body = body;
        this.oneway = oneway;
        this.endMillis = endMillis;
        this.room = room;
    }

    byte[] body() {
        return body;
    }

    boolean oneway() {
        return oneway;
    }

    Optional<ClientCall.Identity> identity() {
        return identity;
    }

    CallPath path() {
        return path;
    }

    /** It did not leave this client: not executed, unless another process may have sent it. */
    void failBeforeLeaving(AmoNotExecutedException why) {
        if (identity.isEmpty()) {
            fail(why);
        } else {
            fail(new AmoUnknownException(String.valueOf(why.getMessage())));
        }
    }

    /** On the clock of {@link ClientLoop#now}. */
    long endMillis() {
        return endMillis;
    }

    /** The reply's bytes as the group keeps them, or an {@link AmoException}. */
    CompletableFuture<byte[]> outcome() {
        return outcome;
    }

    void reply(byte[] reply) {
        if (!outcome.isDone()) {
            room.leave(body.length);
            outcome.complete(reply);
        }
    }

    /** Only the first end of a call counts. */
    void fail(AmoException why) {
        if (!outcome.isDone()) {
            room.leave(body.length);
            outcome.completeExceptionally(why);
        }
    }

    /** The number under which it was sent last; the client's thread. */
    @Nullable
    RequestId sentAs(RequestId now) {
        RequestId before = sentAs;
        sentAs = now;
        return before;
    }
}
