package org.amo.interceptors.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.amo.base.CallPath;
import org.amo.base.wire.FrameLimitException;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AttemptedCall.Next;
import org.amo.core.client.AttemptedCall.ServerException;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.door.SharedRoom;
import org.amo.core.request.Answer;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.MembersContext;
import org.amo.core.wire.PathContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.NestedReply;
import org.amo.interceptors.RateLimitedLog;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.amo.interceptors.jacorb.MemberAddress;
import org.amo.interceptors.jacorb.RawCall;
import org.amo.interceptors.jacorb.RawCall.End;
import org.amo.interceptors.jacorb.RawCall.Outcome;
import org.amo.interceptors.jacorb.WriteWatch;
import org.omg.CORBA.CODESET_INCOMPATIBLE;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.IMP_LIMIT;
import org.omg.CORBA.NO_RESOURCES;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.IOP.ServiceContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends captured requests for operations of a group, each in a thread of its own, and waits for the result as bytes. Any
 * thread; nothing survives a crash.
 */
final class NestedSender {
    private static final Logger LOG = LoggerFactory.getLogger(NestedSender.class);
    private static final RateLimitedLog REFUSED = new RateLimitedLog(LOG, Duration.ofSeconds(10));

    /** How often a server may send a call elsewhere, or close the connection before it takes the call. */
    private static final int MOST_REPEATS = 10;

    /** References that are kept with their connections. */
    private static final int MOST_OBJECTS = 256;

    /** A member executes one operation at a time, so more than one call means that callees do not answer. */
    private static final int MOST_CALLS = 64;

    private static final int HEAP_PART = 16;

    private final ORB orb;
    private final long attemptMillis;
    private final SharedRoom room;
    private final WriteWatch watch = new WriteWatch();

    /** A stub that the application holds is none of ours: its delegate may be forwarded at any time. */
    private final Map<Key, org.omg.CORBA.Object> objects = new LinkedHashMap<>(16, 0.75f, true);

    private record Key(String reference, Optional<MemberAddress> member) {}

    /**
     * @param attemptMillis how long one member may take before another is asked for the same call
     * @param room for the calls that are being sent, and the bytes of their arguments
     */
    NestedSender(ORB orb, long attemptMillis, SharedRoom room) {
        this.orb = orb;
        this.attemptMillis = attemptMillis;
        this.room = room;
    }

    static SharedRoom roomOfHeap() {
        return new SharedRoom(MOST_CALLS, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    void close() {
        watch.close();
    }

    /**
     * Sends a call if the calls that are being sent leave room for it. Otherwise its result is NO_RESOURCES, and this process sends
     * nothing.
     *
     * @param elsewhere whether another process may have sent the call
     */
    Optional<byte[]> ifRoom(CapturedRequest request, boolean elsewhere, Supplier<Optional<byte[]>> send) {
        int bytes = request.body().length;
        if (!room.enter(bytes)) {
            REFUSED.warn("amo: a nested call with " + bytes
                    + " bytes of arguments was not sent, since earlier ones are still being sent; look for a callee that"
                    + " does not read or does not answer");
            CompletionStatus completed = elsewhere ? CompletionStatus.COMPLETED_MAYBE : CompletionStatus.COMPLETED_NO;
            return Optional.of(encode(exception(new NO_RESOURCES(MinorCodes.NESTED_ROOM, completed), completed)));
        }
        try {
            return send.get();
        } finally {
            room.leave(bytes);
        }
    }

    /**
     * Sends a call once, to an object that would run a second request again.
     *
     * @param reference of the object, as a string
     * @param path the groups that wait for the reply
     * @return the encoded {@link NestedReply}; empty if it is unknown whether the call ran
     */
    Optional<byte[]> once(
            String reference, CapturedRequest request, boolean awaitsReply, CallPath path, long timeoutMillis) {
        // The object may turn out to be one of a group, to which its server forwards the call.
        List<ServiceContext> contexts = path(path);
        long end = Clock.nowMillis() + timeoutMillis;
        for (int i = 0; i < MOST_REPEATS; i++) {
            long left = Math.max(1, end - Clock.nowMillis());
            Outcome outcome = RawCall.send(object(reference), request, awaitsReply, contexts, left, watch);
            if (outcome.end() != End.AGAIN) {
                return result(outcome);
            }
        }
        return Optional.of(encode(exception(new TRANSIENT(), CompletionStatus.COMPLETED_NO)));
    }

    private static Optional<byte[]> result(Outcome outcome) {
        return switch (outcome.end()) {
            case REPLY -> Optional.of(encode(outcome.reply().orElseThrow()));
            case SENT -> Optional.of(encode(NestedReply.of(CapturedReply.normal(new byte[0]))));
            case EXCEPTION -> {
                SystemException raised = outcome.exception().orElseThrow();
                yield Optional.of(encode(exception(raised, raised.completed)));
            }
            case FAILED -> failure(outcome);
            case UNFIT -> Optional.of(encode(exception(new CODESET_INCOMPATIBLE(), CompletionStatus.COMPLETED_NO)));
            case AGAIN -> Optional.empty();
        };
    }

    /** JacORB says COMPLETED_NO of some requests that have left. */
    private static Optional<byte[]> failure(Outcome outcome) {
        SystemException raised = outcome.exception().orElseThrow();
        LOG.info("amo: a nested call failed: {}", raised.toString());
        if (!outcome.left()) {
            return Optional.of(encode(exception(raised, CompletionStatus.COMPLETED_NO)));
        }
        return raised instanceof TIMEOUT
                ? Optional.empty()
                : Optional.of(encode(exception(raised, CompletionStatus.COMPLETED_MAYBE)));
    }

    /**
     * Sends a call of a group under an id that other processes may have used for it before. It returns NOT_EXECUTED only if
     * the group says that the id will never run.
     *
     * @return the encoded {@link NestedReply}; empty if it is unknown whether the call ran
     */
    Optional<byte[]> repeated(
            ReplicatedGroup group,
            Object reference,
            String text,
            CapturedRequest request,
            boolean awaitsReply,
            CallPath path,
            NestedIdentity identity,
            long timeoutMillis) {
        // A session that learns nothing: the group's own is guarded by the group, and several calls may wait here.
        ClientSession session = new ClientSession(identity.client().orElseThrow());
        AttemptedCall call =
                new AttemptedCall(session, identity.shared(), !awaitsReply, timeoutMillis, 0, Clock.nowMillis());
        int missing = 0;
        while (true) {
            long now = Clock.nowMillis();
            call.send(now, System.currentTimeMillis());
            MemberAddress member = group.serving();
            long left = Math.max(1, Math.min(attemptMillis, call.endMillis() - now));
            Outcome outcome = RawCall.send(
                    object(reference, text, member),
                    request,
                    awaitsReply,
                    contexts(group, identity, path, now),
                    left,
                    watch);
            ClientInterceptor.hearMembers(group, outcome.context(MembersContext.CONTEXT_ID));
            Optional<Answer> answer = ClientInterceptor.answer(outcome.context(AnswerContext.CONTEXT_ID));
            if (outcome.end() == End.EXCEPTION && answer.isEmpty() && !isElsewhere(outcome)) {
                missing += outcome.exception().orElseThrow() instanceof OBJECT_NOT_EXIST ? 1 : 2 * group.memberCount();
                if (missing >= 2 * group.memberCount()) {
                    // The servers' ORBs say so. It is not known of an attempt that another process may have made.
                    return Optional.of(
                            encode(exception(outcome.exception().orElseThrow(), CompletionStatus.COMPLETED_MAYBE)));
                }
            }
            if (outcome.end() == End.UNFIT) {
                // An earlier attempt, or one of another process, may have run.
                return Optional.of(encode(exception(new CODESET_INCOMPATIBLE(), CompletionStatus.COMPLETED_MAYBE)));
            }
            if (outcome.end() == End.SENT) {
                return result(outcome);
            }
            Next next = next(call, group, outcome, answer);
            if (next.leaveMember()) {
                group.leave(member);
            }
            Step step = next.step();
            if (step.kind() == Step.Kind.REPLY) {
                return result(outcome);
            }
            if (step.kind() == Step.Kind.NOT_EXECUTED) {
                SystemException expired = Outcomes.notExecuted(call.id(), step);
                return Optional.of(encode(exception(expired, CompletionStatus.COMPLETED_NO)));
            }
            if (step.kind() != Step.Kind.SEND_AGAIN) {
                return Optional.empty();
            }
            Clock.pause(step.delayMillis());
        }
    }

    /** Asks an object of a group a question that carries the acknowledgements of this process. */
    void flush(ReplicatedGroup group, NestedFlusher.Callee callee) {
        MemberAddress member = group.serving();
        CapturedRequest question =
                new CapturedRequest(false, 2, 0, 0, 0, "_non_existent", callee.objectKey(), new byte[0]);
        ServiceContext context = new ServiceContext(RequestContext.CONTEXT_ID, group.flush(Clock.nowMillis()));
        Outcome outcome = RawCall.send(
                object(callee.reference(), callee.text(), member),
                question,
                true,
                List.of(context),
                attemptMillis,
                watch);
        if (outcome.end() == End.REPLY || outcome.end() == End.EXCEPTION) {
            group.flushArrived();
        } else {
            group.leave(member);
            group.flushFailed(Clock.nowMillis());
        }
    }

    /** Another member may say something else. */
    private static boolean isElsewhere(Outcome outcome) {
        return outcome.exception().orElseThrow() instanceof TRANSIENT;
    }

    private static Next next(AttemptedCall call, ReplicatedGroup group, Outcome outcome, Optional<Answer> answer) {
        long now = Clock.nowMillis();
        long wall = System.currentTimeMillis();
        answer.ifPresent(said -> group.heard(said, now));
        return switch (outcome.end()) {
            case REPLY ->
                answer.filter(said -> said.kind() == Answer.Kind.REPLY)
                        .map(said -> call.onAnswer(said, now, wall))
                        .orElseGet(() -> call.onPlainReply(now, wall));
            case EXCEPTION ->
                answer.map(said -> call.onAnswer(said, now, wall))
                        .orElseGet(() ->
                                call.onServerException(ServerException.NOT_ADMITTED, group.memberCount(), now, wall));
            case AGAIN -> outcome.forwarded() ? call.onForwarded(now) : call.onVanished(outcome.left(), now);
            default -> call.onBroken(outcome.left(), now);
        };
    }

    private static List<ServiceContext> contexts(
            ReplicatedGroup group, NestedIdentity identity, CallPath path, long nowMillis) {
        ReplicatedGroup.CopyContexts contexts =
                group.repeat(identity.client().orElseThrow(), identity.call().orElseThrow(), nowMillis);
        List<ServiceContext> all = new ArrayList<>(path(path));
        all.add(new ServiceContext(RequestContext.CONTEXT_ID, contexts.own()));
        all.add(new ServiceContext(FtContexts.FT_REQUEST, contexts.ftRequest()));
        all.add(new ServiceContext(FtContexts.FT_GROUP_VERSION, contexts.groupVersion()));
        return all;
    }

    private static List<ServiceContext> path(CallPath path) {
        return path.isEmpty()
                ? List.of()
                : List.of(new ServiceContext(PathContext.CONTEXT_ID, PathContext.encode(path)));
    }

    private static NestedReply exception(SystemException exception, CompletionStatus completed) {
        return NestedReply.of(RawCall.reply(exception, completed));
    }

    private static byte[] encode(NestedReply reply) {
        try {
            return reply.encode();
        } catch (FrameLimitException e) {
            IMP_LIMIT tooLong = new IMP_LIMIT(MinorCodes.REPLY_TOO_LONG, CompletionStatus.COMPLETED_YES);
            return exception(tooLong, CompletionStatus.COMPLETED_YES).encode();
        }
    }

    // ---- references

    private org.omg.CORBA.Object object(String reference) {
        return object(new Key(reference, Optional.empty()), () -> orb.string_to_object(reference));
    }

    private org.omg.CORBA.Object object(Object reference, String text, MemberAddress member) {
        return object(new Key(text, Optional.of(member)), () -> JacorbClientAccess.at(orb, reference, member));
    }

    private synchronized org.omg.CORBA.Object object(Key key, Supplier<org.omg.CORBA.Object> maker) {
        org.omg.CORBA.Object known = objects.get(key);
        if (known == null) {
            known = maker.get();
            objects.put(key, known);
            if (objects.size() > MOST_OBJECTS) {
                Map.Entry<Key, org.omg.CORBA.Object> oldest =
                        objects.entrySet().iterator().next();
                objects.remove(oldest.getKey());
                oldest.getValue()._release();
            }
        }
        return known;
    }
}
