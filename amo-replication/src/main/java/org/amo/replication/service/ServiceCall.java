package org.amo.replication.service;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.CallPath;
import org.amo.base.NestedCall;
import org.amo.base.NestedCalls;
import org.amo.base.RunningOperation;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.ClientCall;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A call that an operation makes to another group by an {@link AmoClient}. Its identity is a request's id, timestamp and deadline, taken by the
 * client of the member that claims the call. Any member's client can send that request again; the called group runs it at most
 * once. Its result is the reply's bytes, or the refusal that proves that it never runs (docs/wire/ordered-entry.md).
 */
final class ServiceCall implements NestedCall {
    private static final int REPLY = 0;
    private static final int NOT_EXECUTED = 1;
    private static final int MAX_TEXT_BYTES = 4_096;
    private static final long PATIENCE_MILLIS = 5_000;

    private final String group;
    private final ClientLoop loop;
    private final CallPermits room;
    private final byte[] body;
    private final boolean oneway;
    private final long deadlineMillis;
    private final CallPath path;

    /** The result has been ordered. */
    private final CountDownLatch over = new CountDownLatch(1);

    private volatile @Nullable ClientCall allotted;

    /**
     * @param deadlineMillis of the call, unless the operation's comes earlier
     * @param path the groups that wait for the reply; for the answer to a oneway, too
     */
    ServiceCall(
            String group,
            ClientLoop loop,
            CallPermits room,
            byte[] body,
            boolean oneway,
            long deadlineMillis,
            CallPath path) {
        this.group = group;
        this.loop = loop;
        this.room = room;
        this.body = body;
        this.oneway = oneway;
        this.deadlineMillis = deadlineMillis;
        this.path = path;
    }

    /**
     * Makes the call for the group; at every member alike.
     *
     * @return the reply's bytes as the called group keeps them
     * @throws AmoException when there is none
     */
    static byte[] make(NestedCalls ordered, ServiceCall call) {
        return open(call.group, ordered.call(call));
    }

    /** @throws AmoException if the result is no reply */
    static byte[] open(String group, Optional<byte[]> ordered) {
        byte[] result = ordered.orElseThrow(() -> new AmoUnknownException("a call of an operation to group " + group
                + " ran once or not at all; its outcome is unknown at every member"
                + RunningOperation.possibleCycle(group)));
        WireReader reader = new WireReader("nested result", result);
        int kind = reader.u8("kind");
        if (kind == REPLY) {
            return Arrays.copyOfRange(result, 1, result.length);
        }
        if (kind != NOT_EXECUTED) {
            throw reader.malformed("kind", kind);
        }
        Optional<Refusal> reason = Refusal.ofCode(reader.u8("reason"));
        String message = reader.text("message", MAX_TEXT_BYTES);
        reader.end();
        throw new AmoNotExecutedException(message, reason);
    }

    @Override
    public String target() {
        return "group " + group;
    }

    @Override
    public Optional<byte[]> identity() {
        return identity(deadlineMillis);
    }

    @Override
    public Optional<byte[]> identity(long leftMillis) {
        try {
            ClientCall taken =
                    loop.allot(Math.min(leftMillis, deadlineMillis)).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            allotted = taken;
            return Optional.of(encode(taken.identity()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the client of group " + group + " is closed or overloaded", e);
        }
    }

    @Override
    public Optional<byte[]> send(Optional<byte[]> identity, long leftMillis) {
        long millis = Math.min(leftMillis, deadlineMillis);
        long endMillis = ClientLoop.now() + millis;
        try {
            Optional<byte[]> result = attempt(identity, millis, endMillis);
            if (result.isEmpty() && loop.isClosed()) {
                // An application may close its client before its member. Until the deadline another member may get the
                // reply.
                boolean unused = over.await(endMillis - ClientLoop.now(), TimeUnit.MILLISECONDS);
            }
            return result;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Optional<byte[]> attempt(Optional<byte[]> identity, long millis, long endMillis)
            throws InterruptedException {
        try {
            PendingCall call =
                    new PendingCall(body, oneway, endMillis, room, Optional.of(decode(identity.orElseThrow())), path);
            if (!room.enter(body.length, millis)) {
                return Optional.empty();
            }
            loop.call(call);
            byte[] reply =
                    call.outcome().get(millis + AttemptedCall.GRACE_MILLIS + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            return Optional.of(replied(reply));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            // Not executed for another reason than EXPIRED: another member's attempt may have run.
            return e.getCause() instanceof AmoNotExecutedException refused
                            && refused.reason().equals(Optional.of(Refusal.EXPIRED))
                    ? Optional.of(notExecuted(refused))
                    : Optional.empty();
        }
    }

    @Override
    public void finished() {
        over.countDown();
        ClientCall taken = allotted;
        if (taken != null) {
            loop.finished(taken);
        }
    }

    static byte[] replied(byte[] reply) {
        byte[] bytes = new byte[reply.length + 1];
        bytes[0] = REPLY;
        System.arraycopy(reply, 0, bytes, 1, reply.length);
        return bytes;
    }

    static byte[] notExecuted(AmoNotExecutedException refused) {
        String message = String.valueOf(refused.getMessage());
        WireWriter writer = new WireWriter(64);
        writer.u8(NOT_EXECUTED);
        writer.u8(refused.reason().map(Refusal::code).orElse(0));
        writer.text("message", message.substring(0, Math.min(message.length(), MAX_TEXT_BYTES / 4)), MAX_TEXT_BYTES);
        return writer.toBytes();
    }

    static byte[] encode(ClientCall.Identity identity) {
        WireWriter writer = new WireWriter(48);
        writer.clientId(identity.id().client());
        writer.varint(identity.id().number());
        writer.i64(identity.timestampMillis());
        writer.varint(identity.deadlineMillis() - identity.timestampMillis());
        return writer.toBytes();
    }

    static ClientCall.Identity decode(byte[] bytes) {
        WireReader reader = new WireReader("identity of a nested call", bytes);
        RequestId id = RequestId.own(reader.clientId("client"), reader.varint("number", 1, RequestId.MAX_NUMBER));
        long timestamp = reader.i64("timestamp");
        long deadline = timestamp + reader.varint("deadline", 0, WireReader.MAX_TIME_MILLIS);
        reader.end();
        return new ClientCall.Identity(id, timestamp, deadline);
    }
}
