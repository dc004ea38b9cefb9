package org.amo.interceptors.client;

import java.time.Duration;
import java.util.Optional;
import org.amo.base.CallPath;
import org.amo.base.NestedCallException;
import org.amo.base.NestedCalls;
import org.amo.base.RunningOperation;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.NestedReply;
import org.amo.interceptors.RateLimitedLog;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.amo.interceptors.jacorb.NestedGateway;
import org.amo.interceptors.jacorb.RawCall;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INTERNAL;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TIMEOUT;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.USER_EXCEPTION;
import org.slf4j.LoggerFactory;

/**
 * Deals with CORBA calls from inside an operation of a replicated service, which all of its replicas make. Either they are refused with
 * BAD_INV_ORDER, COMPLETED_NO, before anything is sent; or the group orders which replica sends them, and their results
 * ({@link NestedCalls}). Calls of all other threads pass. Any thread.
 *
 * <p>It covers all that JacORB sends as a request: static and dynamic invocation, {@code sendc_}, oneways, deferred requests
 * (in the thread that JacORB starts for each) and pseudo operations, over any transport and direction.
 */
final class NestedCallInterceptor extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;
    private static final RateLimitedLog LOG =
            new RateLimitedLog(LoggerFactory.getLogger(NestedCallInterceptor.class), Duration.ofSeconds(10));

    /** The ORB's initial reference for its interceptor. */
    static final String INITIAL_REFERENCE = "AmoNested";

    /** How far the application's own limits are moved away: they would pass at one replica and not at another. */
    private static final long BEYOND_MILLIS = 3_600_000;

    private final transient NestedGateway gateway;
    private final transient NestedSender sender;
    private final transient NestedFlusher flusher;
    private final transient Targets targets;
    private final transient long deadlineMillis;

    /** The result of a call that JacORB has not taken yet. */
    private record Answered(Object delegate, String operation, Optional<NestedReply> reply) {}

    /** @param deadlineMillis of a call to another group, if its operation states none */
    NestedCallInterceptor(ORB orb, long deadlineMillis) {
        ClientSettings settings = ClientSettings.nested(deadlineMillis);
        this.gateway = new NestedGateway(orb);
        this.sender = new NestedSender(orb, settings.attemptMillis(), NestedSender.roomOfHeap());
        this.flusher = new NestedFlusher(sender);
        this.targets = new Targets(AmoClientInitializer.draw(), settings);
        this.deadlineMillis = deadlineMillis;
    }

    /** JacORB calls interceptors in the order of their names: the first one stops a request before others mark it as sent. */
    @Override
    public String name() {
        return "!amo.nested";
    }

    @Override
    public void destroy() {
        flusher.close();
        sender.close();
    }

    /** In a replicated server, where every collocated object belongs to the group of the operation. */
    @Override
    public void send_request(ClientRequestInfo info) throws ForwardRequest {
        if (RawCall.isSending(info)) {
            return;
        }
        Optional<RunningOperation> running = RunningOperation.current();
        if (!JacorbClientAccess.isRemote(info)) {
            if (running.isPresent() && !ClientInterceptor.isPseudo(info.operation())) {
                throw refused(running.get().refusalOfOwnGroup(CorbaNestedCall.target(info.operation())));
            }
            return;
        }
        Optional<NestedCalls> ordered = running.flatMap(RunningOperation::nestedCalls);
        if (ordered.isEmpty()) {
            if (gateway.isHere(info)) {
                // An operation has used the same stub.
                throw new ForwardRequest(gateway.original(info));
            }
            checkRemote(info);
            return;
        }
        order(info, running.get(), ordered.get());
    }

    /** Refuses a request that would leave the process. Asked by both of amo's client interceptors. */
    static void checkRemote(ClientRequestInfo info) {
        RunningOperation running = RunningOperation.current().orElse(null);
        if (running == null) {
            return;
        }
        checkGroup(info, running);
        if (!running.isNestedAllowed()) {
            throw refused(running.refusal(CorbaNestedCall.target(info.operation())));
        }
    }

    private static void checkGroup(ClientRequestInfo info, RunningOperation running) {
        if (isOfGroup(info, running.group())) {
            throw refused(running.refusalOfOwnGroup(CorbaNestedCall.target(info.operation())));
        }
    }

    private static boolean isOfGroup(ClientRequestInfo info, String group) {
        return hasTagOf(JacorbClientAccess.currentReference(info), group)
                || hasTagOf(JacorbClientAccess.baseReference(info), group);
    }

    private static boolean hasTagOf(Object reference, String group) {
        Optional<byte[]> tag = JacorbClientAccess.parts(reference).flatMap(parts -> parts.ftGroup());
        return tag.isPresent() && GroupTag.decode(tag.get()).isOf(group);
    }

    // ---- ordered

    private void order(ClientRequestInfo info, RunningOperation running, NestedCalls ordered) throws ForwardRequest {
        checkGroup(info, running);
        // JacORB asks for the policy of an object again and again with the same bytes if it is forwarded.
        if (info.operation().equals("_get_policy")
                || !NestedGateway.canStandFor(info)
                || JacorbClientAccess.isAsynchronous()) {
            throw refused(running.refusal(CorbaNestedCall.target(info.operation())));
        }
        CallPath path = path(info, running);
        JacorbClientAccess.extendApplicationTimeout(BEYOND_MILLIS);
        if (!gateway.isHere(info)) {
            throw new ForwardRequest(gateway.inPlaceOf(info));
        }
        JacorbClientAccess.extendAttempt(info, BEYOND_MILLIS);
        Answered answered = earlier(info).orElseGet(() -> call(info, path, running, ordered));
        NestedGateway.answer(info, answered.reply());
    }

    /** No operation waits for a oneway, which may call any group back. Objects answer {@code _is_a} and its like at once. */
    private static CallPath path(ClientRequestInfo info, RunningOperation running) {
        if (!JacorbClientAccess.awaitsReply(info) || ClientInterceptor.isPseudo(info.operation())) {
            return CallPath.NONE;
        }
        try {
            return running.pathTo(CorbaNestedCall.target(info.operation()), group -> isOfGroup(info, group));
        } catch (NestedCallException cycle) {
            throw refused(String.valueOf(cycle.getMessage()), MinorCodes.CALL_CYCLE);
        }
    }

    /** Another thread has forwarded the same stub meanwhile, and JacORB marshals the call again. */
    private static Optional<Answered> earlier(ClientRequestInfo info) {
        return JacorbClientAccess.attachment().orElse("") instanceof Answered answered
                        && answered.delegate() == JacorbClientAccess.delegate(info)
                        && answered.operation().equals(info.operation())
                ? Optional.of(answered)
                : Optional.empty();
    }

    private Answered call(ClientRequestInfo info, CallPath path, RunningOperation running, NestedCalls ordered) {
        boolean awaitsReply = JacorbClientAccess.awaitsReply(info);
        Object reference = JacorbClientAccess.baseReference(info);
        CorbaNestedCall call = new CorbaNestedCall(
                sender,
                flusher,
                targets.of(reference).group(),
                reference,
                NestedGateway.reference(info),
                NestedGateway.capture(info),
                awaitsReply,
                path,
                deadlineMillis);
        NestedReply result = result(call, running, ordered);
        if (result.reply().kind() == CapturedReply.Kind.SYSTEM_EXCEPTION) {
            throw result.reply().toSystemException();
        }
        Answered answered = new Answered(
                JacorbClientAccess.delegate(info),
                info.operation(),
                awaitsReply ? Optional.of(result) : Optional.empty());
        JacorbClientAccess.attach(answered);
        return answered;
    }

    private static NestedReply result(CorbaNestedCall call, RunningOperation running, NestedCalls ordered) {
        try {
            return ordered.call(call)
                    .map(NestedReply::decode)
                    .orElseThrow(() -> new TIMEOUT(
                            "it is unknown whether " + call.target() + " ran"
                                    + RunningOperation.possibleCycle("the object's server"),
                            MinorCodes.UNKNOWN,
                            CompletionStatus.COMPLETED_MAYBE));
        } catch (NestedCallException otherThread) {
            throw refused(running.refusal(call.target()));
        } catch (org.amo.base.wire.MalformedFrameException otherVersion) {
            throw new INTERNAL(
                    "the result of a nested call was not written by this version: " + otherVersion.getMessage(),
                    0,
                    CompletionStatus.COMPLETED_MAYBE);
        }
    }

    /** The message stays here: a reply holds none, so all members give the same one. */
    private static BAD_INV_ORDER refused(String why) {
        return refused(why, MinorCodes.NESTED_CALL);
    }

    private static BAD_INV_ORDER refused(String why, int minor) {
        LOG.warn(why);
        return new BAD_INV_ORDER(why, minor, CompletionStatus.COMPLETED_NO);
    }

    @Override
    public void send_poll(ClientRequestInfo info) {
        // JacORB has no polling.
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
        RawCall.heard(info);
    }

    /** The presence of any client interceptor makes JacORB lose user exceptions that hold an any. */
    @Override
    public void receive_exception(ClientRequestInfo info) {
        RawCall.heard(info);
        if (info.reply_status() == USER_EXCEPTION.value && JacorbClientAccess.isRemote(info)) {
            JacorbClientAccess.rewind(info);
        }
    }

    @Override
    public void receive_other(ClientRequestInfo info) {
        RawCall.heard(info);
    }
}
