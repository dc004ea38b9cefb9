package org.amo.replication.service;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.base.CallPath;
import org.amo.core.client.ClientCall;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way through a client; {@code room} is given back when it ends. A kept one is noted in the client's identity until the
 * application has handled its outcome.
 */
final class PendingCall {
    private static final byte[] NOTHING = {};
    private static final CompletableFuture<byte[]> OVER = CompletableFuture.completedFuture(NOTHING);

    private final int bodyLength;
    private final boolean oneway;
    private final long endMillis;
    private final CallPermits room;
    private final Optional<ClientCall.Identity> identity;
    private final CallPath path;
    private final boolean kept;
    private final Optional<Thread> caller;

    private volatile byte[] body;
    private volatile CompletableFuture<byte[]> outcome = new CompletableFuture<>();

    // The client's thread.
    private @Nullable RequestId sentAs;
    private Optional<Refusal> refusal = Optional.empty();
    private boolean handled;

    /** Taken by the client's thread, so that calls do not hold each other. */
    private @Nullable PendingCall before;

    PendingCall(byte[] body, boolean oneway, long endMillis, CallPermits room) {
        this(body, oneway, endMillis, room, Optional.empty(), CallPath.NONE, false, Optional.empty());
    }

    /**
     * A kept call.
     *
     * @param caller handles the outcome before it calls again, or ends
     */
    static PendingCall kept(byte[] body, long endMillis, CallPermits room, Optional<Thread> caller) {
        return new PendingCall(body, false, endMillis, room, Optional.empty(), CallPath.NONE, true, caller);
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
        this(body, oneway, endMillis, room, identity, path, false, Optional.empty());
    }

    private PendingCall(
            byte[] body,
            boolean oneway,
            long endMillis,
            CallPermits room,
            Optional<ClientCall.Identity> identity,
            CallPath path,
            boolean kept,
            Optional<Thread> caller) {
        this.kept = kept;
        this.caller = caller;
        this.identity = identity;
        this.path = path;
        this.body = body;
        this.bodyLength = body.length;
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

    /** Before it is handed over: the caller has handled that one. */
    void follows(@Nullable PendingCall earlier) {
        before = earlier;
    }

    /** Once. The client's thread. */
    Optional<PendingCall> before() {
        PendingCall taken = before;
        before = null;
        return Optional.ofNullable(taken);
    }

    boolean isKept() {
        return kept;
    }

    void onHandled() {
        handled = true;
    }

    /** Whether the application needs nothing more of it once it has the outcome. */
    boolean isHandled() {
        return !kept || handled || caller.filter(thread -> !thread.isAlive()).isPresent();
    }

    void onUnknown(Optional<Refusal> reason) {
        refusal = reason;
    }

    /** Whether no member will ever tell the outcome; after the end of a call whose outcome is unknown. */
    boolean isUnknownForEver() {
        return refusal.filter(why -> why == Refusal.STALE || why == Refusal.ID_REUSED)
                .isPresent();
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

    /** The application has the outcome. The call may be kept for long, and its bytes need not be. */
    void forget() {
        if (outcome.isDone()) {
            body = NOTHING;
            outcome = OVER;
        }
    }

    void reply(byte[] reply) {
        if (!outcome.isDone()) {
            room.leave(bodyLength);
            outcome.complete(reply);
        }
    }

    /** Only the first end of a call counts. */
    void fail(AmoException why) {
        if (!outcome.isDone()) {
            room.leave(bodyLength);
            outcome.completeExceptionally(why);
        }
    }

    /** The number under which it was sent last. */
    @Nullable
    RequestId sentAs(RequestId now) {
        RequestId before = sentAs;
        sentAs = now;
        return before;
    }
}
