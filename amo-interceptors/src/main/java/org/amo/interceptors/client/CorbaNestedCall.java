package org.amo.interceptors.client;

import java.util.Optional;
import org.amo.base.CallPath;
import org.amo.base.NestedCall;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.ClientCall;
import org.amo.core.client.Step;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedRequest;

/**
 * A CORBA call of an operation. To a group it has an identity, which this process's session of that group allots; a question
 * like {@code _is_a} may be repeated by anyone; any other call may be sent by one process only.
 */
final class CorbaNestedCall implements NestedCall {
    private final NestedSender sender;
    private final NestedFlusher flusher;
    private final Optional<ReplicatedGroup> group;
    private final Object reference;
    private final String text;
    private final CapturedRequest request;
    private final boolean awaitsReply;
    private final CallPath path;
    private final long defaultDeadlineMillis;

    private Optional<AttemptedCall> allotted = Optional.empty();

    /**
     * @param reference of the called object
     * @param text of the reference
     * @param group that the object belongs to, if to any of amo's
     * @param awaitsReply whether it is not a oneway
     * @param path the groups that wait for the reply
     */
    CorbaNestedCall(
            NestedSender sender,
            NestedFlusher flusher,
            Optional<ReplicatedGroup> group,
            Object reference,
            String text,
            CapturedRequest request,
            boolean awaitsReply,
            CallPath path,
            long defaultDeadlineMillis) {
        this.sender = sender;
        this.flusher = flusher;
        this.group = group;
        this.reference = reference;
        this.text = text;
        this.request = request;
        this.awaitsReply = awaitsReply;
        this.path = path;
        this.defaultDeadlineMillis = defaultDeadlineMillis;
    }

    static String target(String operation) {
        return "'" + operation + "' on a CORBA object";
    }

    @Override
    public String target() {
        return target(request.operation());
    }

    @Override
    public Optional<byte[]> identity() {
        return identity(defaultDeadlineMillis);
    }

    @Override
    public Optional<byte[]> identity(long deadlineMillis) {
        if (ClientInterceptor.isPseudo(request.operation())) {
            return Optional.of(NestedIdentity.QUESTION.encode());
        }
        return group.map(callee -> allot(callee, Math.max(1, deadlineMillis)).encode());
    }

    private NestedIdentity allot(ReplicatedGroup callee, long deadlineMillis) {
        long now = Clock.nowMillis();
        synchronized (callee) {
            callee.finishOneways(now);
            AttemptedCall call = new AttemptedCall(callee.session(), !awaitsReply, deadlineMillis, 0, now);
            ClientCall numbered = call.takeNumber(now, System.currentTimeMillis());
            allotted = Optional.of(call);
            return NestedIdentity.of(
                    callee.session().id(),
                    new RequestContext.Call(
                            numbered.id().number(), numbered.timestampMillis(), numbered.deadlineMillis()));
        }
    }

    @Override
    public Optional<byte[]> send(Optional<byte[]> identity, long deadlineMillis) {
        long timeout = Math.max(1, deadlineMillis);
        NestedIdentity known = identity.map(NestedIdentity::decode).orElse(NestedIdentity.QUESTION);
        // Under an ordered identity another process may have sent it before.
        return sender.ifRoom(
                request,
                identity.isPresent(),
                () -> known.isQuestion() || group.isEmpty()
                        ? sender.once(text, request, awaitsReply, path, timeout)
                        : sender.repeated(group.get(), reference, text, request, awaitsReply, path, known, timeout));
    }

    /** The number is finished: its acknowledgement leaves with the next call to that group, or by itself. */
    @Override
    public void finished() {
        if (group.isPresent() && allotted.isPresent()) {
            synchronized (group.get()) {
                allotted.get().finish(awaitsReply ? Step.Kind.REPLY : Step.Kind.UNKNOWN);
            }
            flusher.finished(group.get(), new NestedFlusher.Callee(reference, text, request.objectKey()));
        }
    }
}
