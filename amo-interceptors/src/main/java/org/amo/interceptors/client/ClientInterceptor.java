package org.amo.interceptors.client;

import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.RunningOperation;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AttemptedCall.Next;
import org.amo.core.client.AttemptedCall.ServerException;
import org.amo.core.client.Step;
import org.amo.core.datagram.ClientDatagrams;
import org.amo.core.request.Answer;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.MembersContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.NestedReply;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.amo.interceptors.jacorb.MemberAddress;
import org.amo.interceptors.jacorb.NestedGateway;
import org.amo.interceptors.jacorb.RawCall;
import org.amo.interceptors.jacorb.SentMark;
import org.amo.observe.Observation;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ORBPackage.InvalidName;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.LOCATION_FORWARD;
import org.omg.PortableInterceptor.USER_EXCEPTION;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts an id on every call of a replicated object, and follows the decisions of
 * {@link org.amo.core.client.ClientCall} about the answers. Calls of plain and of collocated objects are left alone.
 *
 * <p>Any thread. The id belongs to the logical call: neither to the thread, which may have sent asynchronous calls
 * before, nor to the attempt, of which JacORB makes as many as it likes.
 */
final class ClientInterceptor extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(ClientInterceptor.class);

    private static final String GET_POLICY = "_get_policy";

    /** Operations that JacORB's servants answer by themselves. Attributes begin with an underscore, too: they are calls. */
    private static final Set<String> PSEUDO = Set.of(
            "_is_a",
            "_non_existent",
            "_not_existent",
            "_interface",
            "_component",
            "_get_component",
            "_repository_id",
            GET_POLICY,
            "_domain_managers");

    /** The exceptions that the ORB raises when it could not reach a member, or lost it. */
    private static final Set<String> TRANSPORT = Set.of(
            "IDL:omg.org/CORBA/COMM_FAILURE:1.0",
            "IDL:omg.org/CORBA/TRANSIENT:1.0",
            "IDL:omg.org/CORBA/TIMEOUT:1.0",
            "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");

    private static final String TRANSIENT = "IDL:omg.org/CORBA/TRANSIENT:1.0";
    private static final String OBJECT_NOT_EXIST = "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0";

    /**
     * How far the application's own limits are moved away between two attempts, where JacORB would say COMPLETED_NO: beyond any
     * wait of ours. The next attempt gets the rest of them.
     */
    private static final long BEYOND_MILLIS = 3_600_000;

    /** How much longer JacORB connects and waits than the application's limit. Our watch ends the wait at the limit. */
    private static final long MARGIN_MILLIS = 500;

    private final transient ORB orb;
    private final transient ClientSettings settings;
    private final transient Targets targets;
    private final transient Optional<CallsByDatagram> firstCalls;
    private final transient NestedGateway gateway;
    private final transient CallHistory history;
    private final transient SackFlusher flusher;
    private final transient CallWatch watch;
    private final transient ThreadLocal<Sender> senders = ThreadLocal.withInitial(Sender::new);
    private final transient AtomicBoolean started = new AtomicBoolean();
    private final transient AtomicBoolean ended = new AtomicBoolean();
    private final transient ObservedClient observed;
    private transient volatile Optional<Observation> observation = Optional.empty();
    private transient volatile Runnable onDestroy = () -> {};

    /** The latest request of a thread. Only a hint: it finds the call of a DII reply after the context is gone. */
    private static final class Sender {
        private @Nullable Object base;
        private @Nullable Object current;
        private Targets.Target target = Targets.Target.PLAIN;
        private Object reference = "";
        private @Nullable Object connection;
        private Optional<MemberAddress> connected = Optional.empty();
        private @Nullable LogicalCall call;
        private LogicalCall.@Nullable Attempt latest;

        /** The thread sends another request: its earlier one is answered, or asynchronous. */
        void supersede() {
            LogicalCall.Attempt before = latest;
            if (before != null && !JacorbClientAccess.isNested()) {
                before.supersede();
            }
            call = null;
            latest = null;
        }
    }

    /** @param firstCalls empty if they go over IIOP */
    ClientInterceptor(
            ORB orb,
            ClientSettings settings,
            Targets targets,
            Optional<CallsByDatagram> firstCalls,
            CallHistory history) {
        this.orb = orb;
        this.settings = settings;
        this.targets = targets;
        this.firstCalls = firstCalls;
        this.gateway = new NestedGateway(orb);
        this.history = history;
        this.flusher = new SackFlusher();
        this.watch = new CallWatch(targets, flusher);
        this.observed = new ObservedClient(targets, watch::openCalls);
    }

    @Override
    public String name() {
        return "amo.client";
    }

    static boolean isPseudo(String operation) {
        return PSEUDO.contains(operation);
    }

    // ---- sending

    @Override
    public void send_request(ClientRequestInfo info) throws ForwardRequest {
        if (!JacorbClientAccess.isRemote(info)) {
            return;
        }
        if (RawCall.isSending(info) || isOrdered()) {
            return;
        }
        NestedCallInterceptor.checkRemote(info);
        Sender sender = senders.get();
        sender.supersede();
        Targets.Target target = target(info, sender);
        if (target.group().isEmpty()) {
            keepToGroup(info);
            return;
        }
        start();
        ReplicatedGroup group = target.group().get();
        LogicalCall call = call(info, group);
        call.reference(sender.reference);
        if (firstCalls.isPresent() && !call.isPseudo() && call.replyByDatagram().isPresent()) {
            handIn(call, call.replyByDatagram().get(), info, sender);
            return;
        }
        if (firstCalls.isPresent()) {
            leaveGateway(call, info);
            sendFirst(firstCalls.get(), call, info, sender);
        }
        Optional<MemberAddress> connected = connected(info, sender);
        MemberAddress serving = group.serving();
        boolean there = connected.isPresent() && connected.get().equals(serving);
        if (!there && canGoElsewhere(info) && call.mayRedirect()) {
            throw new ForwardRequest(at(call, serving));
        }
        MemberAddress member = connected.orElse(serving);
        SentMark mark = SentMark.unsent(info);
        OptionalLong left = call.leftOfRetry(Clock.nowMillis());
        if (left.isPresent()) {
            long millis = Math.max(0, Math.min(left.getAsLong(), BEYOND_MILLIS));
            JacorbClientAccess.limitAttempt(info, millis + MARGIN_MILLIS);
        }
        LogicalCall.Attempt attempt = new LogicalCall.Attempt(info, member, mark::hasLeft);
        sender.call = call;
        sender.latest = attempt;
        // Again: JacORB may re-send a call that has ended for us, and that attempt must not wait for ever either.
        watch.add(call);
        if (ended.get()) {
            throw orbIsDown(call);
        }
        if (call.isPseudo()) {
            call.sendPseudo(attempt, settings.attemptMillis());
            if (flusher.flushing().isPresent()) {
                add(info, RequestContext.CONTEXT_ID, group.flush(Clock.nowMillis()));
            }
        } else {
            ReplicatedGroup.CopyContexts contexts = call.send(attempt, settings.attemptMillis());
            add(info, RequestContext.CONTEXT_ID, contexts.own());
            add(info, FtContexts.FT_REQUEST, contexts.ftRequest());
            add(info, FtContexts.FT_GROUP_VERSION, contexts.groupVersion());
            group.lastTarget(new ReplicatedGroup.LastTarget(info.effective_target(), target.objectKey()));
        }
    }

    // ---- the first call

    /**
     * Makes the first attempt of this client's first call as a datagram, before JacORB opens a connection. The request stands in
     * JacORB's buffer by now, as it would leave over IIOP. Returns if it is to go over IIOP at once.
     */
    private void sendFirst(CallsByDatagram calls, LogicalCall call, ClientRequestInfo info, Sender sender)
            throws ForwardRequest {
        if (call.isPseudo() || !call.group().takeFirstCall() || !maySendFirst(call, info, sender)) {
            return;
        }
        CapturedRequest request = NestedGateway.capture(info);
        Optional<byte[]> body = forDatagram(request);
        if (body.isEmpty()) {
            return;
        }
        watch.add(call);
        ReplicatedGroup group = call.group();
        MemberAddress member = group.serving();
        String name = sender.target.datagrams().orElseThrow().group();
        CallsByDatagram.Ended first = calls.call(call, member, name, body.get(), settings.attemptMillis());
        if (first.reply().isEmpty()) {
            go(call, first.next(), info, member);
            return;
        }
        group.answeredByDatagram(
                new ReplicatedGroup.LastTarget(info.effective_target(), sender.target.objectKey()),
                (timestamp, finished) -> calls.acknowledge(member, name, timestamp, finished));
        call.repliedByDatagram(new NestedReply(
                false,
                request.giopMinor(),
                0,
                request.charCodeSet(),
                request.wcharCodeSet(),
                first.reply().get()));
        // The reply is here: the application's limits must not end the call as COMPLETED_NO any more.
        JacorbClientAccess.extendApplicationTimeout(BEYOND_MILLIS);
        throw new ForwardRequest(gateway.inPlaceOf(info));
    }

    /** Whether a request is all that a member needs: a datagram has no room for anything beside the arguments. */
    private boolean maySendFirst(LogicalCall call, ClientRequestInfo info, Sender sender) {
        return sender.target.datagrams().isPresent()
                && sender.reference == sender.base
                && RunningOperation.current().isEmpty()
                && !ended.get()
                && call.maySend(Clock.nowMillis())
                && info.response_expected()
                && JacorbClientAccess.hasNoContexts(info)
                && !JacorbClientAccess.isAsynchronous();
    }

    /** The bytes of a request as the members order it; empty if they do not fit. */
    private static Optional<byte[]> forDatagram(CapturedRequest request) {
        // Alignment of earlier versions depends on contexts in front of the arguments.
        boolean large = !ClientDatagrams.fits(
                request.body().length + request.operation().length() + request.objectKey().length);
        return request.giopMinor() == 2 && !large
                ? Optional.of(request.encode()).filter(bytes -> ClientDatagrams.fits(bytes.length))
                : Optional.empty();
    }

    /** Lets JacORB take a reply that came by a datagram: by way of a connection without a peer. */
    private void handIn(LogicalCall call, NestedReply reply, ClientRequestInfo info, Sender sender)
            throws ForwardRequest {
        if (!gateway.isHere(info)) {
            throw new ForwardRequest(gateway.inPlaceOf(info));
        }
        JacorbClientAccess.extendAttempt(info, BEYOND_MILLIS);
        NestedGateway.answer(info, Optional.of(reply));
        call.handIn(info);
        sender.call = call;
        sender.latest = new LogicalCall.Attempt(info, call.group().serving(), () -> true);
    }

    /** The first call of another thread has forwarded the same stub to the connection without a peer, which answers no other request. */
    private void leaveGateway(LogicalCall call, ClientRequestInfo info) throws ForwardRequest {
        if (!gateway.isHere(info)) {
            return;
        }
        if (!canGoElsewhere(info)) {
            leaveGatewayBehind(call, info);
            watch.remove(call);
            throw Outcomes.elsewhere();
        }
        throw new ForwardRequest(at(call, call.group().serving()));
    }

    /** The next call of the stub goes to a member. */
    private void leaveGatewayBehind(LogicalCall call, ClientRequestInfo info) {
        JacorbClientAccess.rebind(info, at(call, call.group().serving()));
    }

    /** Whether the call is one of an operation, and the ORB's other interceptor has the group order its result. */
    private boolean isOrdered() {
        return RunningOperation.current().flatMap(RunningOperation::nestedCalls).isPresent() && isInServer();
    }

    private boolean isInServer() {
        try {
            orb.resolve_initial_references(NestedCallInterceptor.INITIAL_REFERENCE);
            return true;
        } catch (InvalidName ordinaryClient) {
            return false;
        }
    }

    /**
     * Sends a call that began at a group back to it. If an attempt cannot leave, JacORB forgets that the reference of a plain
     * object was forwarded to the group: the next attempt would be one of the plain object, without its number.
     */
    private void keepToGroup(ClientRequestInfo info) throws ForwardRequest {
        if (JacorbClientAccess.attachment().orElse("") instanceof LogicalCall call
                && call.isFor(JacorbClientAccess.delegate(info), info.operation())) {
            if (isLeftBehind(call)) {
                forget(call);
            } else {
                sendBack(call);
                return;
            }
        }
        followForward(info);
    }

    private void sendBack(LogicalCall call) throws ForwardRequest {
        resume(call);
        if (call.mayRedirect()) {
            throw new ForwardRequest(at(call, call.group().serving()));
        }
        if (!call.isPseudo()) {
            throw end(call, call.giveUp());
        }
    }

    /**
     * Sends a new call to the group that its plain object was forwarded to, if an attempt of another call made JacORB forget that. JacORB
     * keeps the connection to the member then, where the request would arrive without a number.
     */
    private void followForward(ClientRequestInfo info) throws ForwardRequest {
        Object plain = JacorbClientAccess.baseReference(info);
        Optional<Object> ofGroup = targets.forwardOf(plain);
        if (ofGroup.isPresent() && canGoElsewhere(info) && !JacorbClientAccess.isConnectedTo(info, plain)) {
            ReplicatedGroup group = targets.of(ofGroup.get()).group().orElseThrow();
            throw new ForwardRequest(JacorbClientAccess.at(orb, ofGroup.get(), group.serving()));
        }
    }

    /** JacORB repeats this one request in the bytes that it wrote for its first connection: with another one, for ever. */
    private static boolean canGoElsewhere(ClientRequestInfo info) {
        return !info.operation().equals(GET_POLICY);
    }

    /** The call that this attempt belongs to: the one that its invocation knows, or a new one. */
    private LogicalCall call(ClientRequestInfo info, ReplicatedGroup group) {
        Object delegate = JacorbClientAccess.delegate(info);
        String operation = info.operation();
        if (JacorbClientAccess.attachment().orElse("") instanceof LogicalCall call) {
            if (call.group() == group && call.isFor(delegate, operation) && !isLeftBehind(call)) {
                resume(call);
                if (!canGoElsewhere(info)) {
                    watch.remove(call);
                    throw Outcomes.elsewhere();
                }
                return call;
            }
            // The object was forwarded to another group, or an earlier call of this thread ended without our knowledge.
            forget(call);
        }
        LogicalCall call = begin(info, group, delegate, operation);
        JacorbClientAccess.attach(call);
        watch.add(call);
        return call;
    }

    /**
     * Whether this thread's invocation of the call is over: an interceptor of the application threw an exception which is none of
     * CORBA, and JacORB told no other interceptor of the end. Then it also leaves its context behind, for the thread's next call.
     */
    private static boolean isLeftBehind(LogicalCall call) {
        return call.attempt()
                        .map(attempt -> attempt.info)
                        .or(call::handedIn)
                        .filter(JacorbClientAccess::isToldAsEnded)
                        .isPresent()
                || (call.isPseudo() && call.isOver());
    }

    private LogicalCall begin(ClientRequestInfo info, ReplicatedGroup group, Object delegate, String operation) {
        CallLimits limits = CallLimits.of(
                JacorbClientAccess.applicationTimeoutMillis(), JacorbClientAccess.applicationSendMillis(), settings);
        return isPseudo(operation)
                ? LogicalCall.pseudo(group, info, delegate, limits, history)
                : LogicalCall.begin(group, info, delegate, limits, history);
    }

    /** An attempt that ended without an interception point (a graceful close, another thread's redirect) is lost. */
    private void resume(LogicalCall call) {
        Optional<LogicalCall.Attempt> before = call.attempt();
        if (call.isPseudo()) {
            call.endAttempt();
            return;
        }
        if (call.isOver()) {
            // Given up: the call was told to send no further attempt, and its number is finished.
            throw Outcomes.unknown(call.id());
        }
        if (before.isEmpty()) {
            return;
        }
        boolean left = before.get().hasLeft();
        goOn(call, call.ended((core, now, wall) -> core.onVanished(left, now)).step());
    }

    private void forget(LogicalCall call) {
        if (!call.isPseudo() && !call.isOver()) {
            if (call.attempt().isPresent()) {
                call.ended((core, now, wall) -> core.onVanished(true, now));
            }
            call.failed(call.giveUp());
        }
        watch.remove(call);
    }

    private Targets.Target target(ClientRequestInfo info, Sender sender) {
        Object base = JacorbClientAccess.baseReference(info);
        Object current = JacorbClientAccess.currentReference(info);
        if (sender.base == base && sender.current == current) {
            return sender.target;
        }
        Targets.Target target = targets.of(base);
        sender.reference = base;
        if (target.group().isEmpty() && base != current) {
            // A plain reference that its server forwarded, perhaps to a group.
            target = targets.of(current);
            sender.reference = current;
            if (target.group().isPresent()) {
                targets.forwarded(base, current);
            }
        }
        sender.base = base;
        sender.current = current;
        sender.target = target;
        return target;
    }

    private static Optional<MemberAddress> connected(ClientRequestInfo info, Sender sender) {
        Object connection = JacorbClientAccess.connection(info);
        if (sender.connection != connection) {
            sender.connected = JacorbClientAccess.address(info);
            sender.connection = connection;
        }
        return sender.connected;
    }

    private org.omg.CORBA.Object at(LogicalCall call, MemberAddress member) {
        return JacorbClientAccess.at(orb, call.reference(), member);
    }

    private static void add(ClientRequestInfo info, int id, byte[] data) {
        info.add_request_service_context(new ServiceContext(id, data), true);
    }

    @Override
    public void send_poll(ClientRequestInfo info) {
        // JacORB has no polling.
    }

    // ---- answers

    @Override
    public void receive_reply(ClientRequestInfo info) {
        find(info).ifPresent(call -> replied(call, info));
    }

    private void replied(LogicalCall call, ClientRequestInfo info) {
        if (call.isPseudo()) {
            endPseudo(call, info);
            return;
        }
        if (call.isHandedIn(info)) {
            leaveGatewayBehind(call, info);
            handOver(call, info);
            return;
        }
        hearMembers(call.group(), JacorbClientAccess.replyContext(info, MembersContext.CONTEXT_ID));
        // A normal reply is a reply, even if its context says otherwise.
        Optional<Answer> reply = answer(info).filter(said -> said.kind() == Answer.Kind.REPLY);
        call.ended((core, now, wall) ->
                reply.isPresent() ? core.onAnswer(reply.get(), now, wall) : core.onPlainReply(now, wall));
        handOver(call, info);
    }

    @Override
    public void receive_exception(ClientRequestInfo info) throws ForwardRequest {
        if (info.reply_status() == USER_EXCEPTION.value && JacorbClientAccess.isRemote(info)) {
            JacorbClientAccess.rewind(info);
        }
        Optional<LogicalCall> call = find(info);
        if (call.isPresent() && call.get().isPseudo()) {
            pseudoFailed(call.get(), info);
        } else if (call.isPresent()) {
            failed(call.get(), info);
        }
    }

    private void failed(LogicalCall call, ClientRequestInfo info) throws ForwardRequest {
        if (call.isHandedIn(info)) {
            if (!JacorbClientAccess.hasReply(info)) {
                // The ORB ends, and took no reply any more.
                throw end(call, call.giveUp());
            }
            leaveGatewayBehind(call, info);
            replyIsException(call, info);
            return;
        }
        Optional<LogicalCall.Attempt> attempt = call.attempt();
        hearMembers(call.group(), JacorbClientAccess.replyContext(info, MembersContext.CONTEXT_ID));
        Optional<Answer> answer = answer(info);
        if (attempt.isEmpty()) {
            // Given up meanwhile. A reply is one all the same; anything else is not known to be the outcome.
            if (answer.isPresent() && answer.get().kind() == Answer.Kind.REPLY) {
                return;
            }
            throw end(call, call.giveUp());
        }
        MemberAddress member = attempt.get().member;
        if (answer.isPresent()) {
            go(call, call.ended((core, now, wall) -> core.onAnswer(answer.get(), now, wall)), info, member);
        } else if (info.reply_status() == USER_EXCEPTION.value) {
            call.ended(AttemptedCall::onPlainReply);
            handOver(call, info);
        } else if (JacorbClientAccess.hasReply(info) && !call.timedOut()) {
            // No replica marked it as its answer, so that the request got no further than the server's ORB.
            ServerException type = type(info.received_exception_id());
            int members = call.group().memberCount();
            go(call, call.ended((core, now, wall) -> core.onServerException(type, members, now, wall)), info, member);
        } else {
            failedHere(call, info, member);
        }
    }

    private static ServerException type(String exceptionId) {
        return switch (exceptionId) {
            case TRANSIENT -> ServerException.NOT_ADMITTED;
            case OBJECT_NOT_EXIST -> ServerException.MISSING;
            default -> ServerException.OTHER;
        };
    }

    /** The ORB itself raised it: no connection, a broken one, no reply in time, or its own trouble. */
    private void failedHere(LogicalCall call, ClientRequestInfo info, MemberAddress member) throws ForwardRequest {
        boolean left = JacorbClientAccess.hasLeft(info);
        if (left || TRANSPORT.contains(info.received_exception_id())) {
            go(call, call.ended((core, now, wall) -> core.onBroken(left, now)), info, member);
            return;
        }
        Step step = call.ended((core, now, wall) -> core.onRefusedHere(now)).step();
        if (step.kind() != Step.Kind.NOT_EXECUTED) {
            throw end(call, step);
        }
        // No member knows the call: the application gets its ORB's exception.
        call.failed(step);
        watch.remove(call);
    }

    @Override
    public void receive_other(ClientRequestInfo info) {
        find(info).ifPresent(call -> other(call, info));
    }

    private void other(LogicalCall call, ClientRequestInfo info) {
        if (call.isPseudo()) {
            endPseudo(call, info);
        } else if (call.isHandedIn(info)) {
            // Redirected by another interceptor. The reply is known, and JacORB takes it as that to its next request.
            LOG.debug("amo client: {} was redirected after its reply", info.operation());
        } else if (info.reply_status() == LOCATION_FORWARD.value) {
            // Not a reply: JacORB sends the same call elsewhere, and it must not be sent back from there.
            call.attempt().ifPresent(forwarded -> call.group().leave(forwarded.member));
            if (JacorbClientAccess.isForwardOfServer(info)) {
                goOn(
                        call,
                        call.ended((core, now, wall) -> core.onForwarded(now)).step());
            } else {
                redirected(call, info);
            }
        } else {
            call.onewaySent();
            watch.remove(call);
        }
    }

    /** By another interceptor, which JacORB asked first. No server said that it did not take the attempt. */
    private void redirected(LogicalCall call, ClientRequestInfo info) {
        boolean left = JacorbClientAccess.hasLeft(info);
        Step step = call.ended((core, now, wall) -> core.onVanished(left, now)).step();
        goOn(call, step);
        Clock.pause(step.delayMillis());
        retry(call);
    }

    /** JacORB makes the next attempt itself, unless the call ends here. */
    private void goOn(LogicalCall call, Step step) {
        if (step.kind() != Step.Kind.SEND_AGAIN) {
            throw end(call, step);
        }
    }

    // ---- life

    /** The threads start with the first call of a replicated object: an ORB without one has none. */
    private void start() {
        if (started.get() || ended.get()) {
            return;
        }
        watch.start();
        flusher.start();
        if (started.compareAndSet(false, true)) {
            Observation offered = Observation.offer(observed);
            observation = Optional.of(offered);
            if (ended.get()) {
                offered.close();
            }
        }
    }

    /** The counters of this ORB. */
    ObservedClient observed() {
        return observed;
    }

    /** JacORB calls it at the end of {@code ORB.shutdown}. */
    @Override
    public void destroy() {
        if (ended.compareAndSet(false, true)) {
            flusher.close();
            watch.close();
            flush();
            history.close();
            observation.ifPresent(Observation::close);
            onDestroy.run();
        }
    }

    /** Sends the pending acknowledgements over connections of its own. The JVM's end comes here. */
    void flush() {
        targets.groups().forEach(LastFlush::send);
    }

    /** JacORB has closed its connections, reads no new one, and says so only after it has told all interceptors of its end. */
    private org.omg.CORBA.SystemException orbIsDown(LogicalCall call) {
        watch.remove(call);
        if (!call.isPseudo()) {
            Step step = call.giveUp();
            call.failed(step);
            if (step.kind() != Step.Kind.NOT_EXECUTED) {
                return Outcomes.unknown(call.id());
            }
        }
        return Outcomes.orbIsDown();
    }

    /** Sets the action that runs when the ORB ends. */
    void onDestroy(Runnable action) {
        onDestroy = action;
    }

    /** Calls that are neither answered nor given up. */
    int openCalls() {
        return watch.openCalls();
    }

    Collection<ReplicatedGroup> groups() {
        return targets.groups();
    }

    // ---- the next step

    private void go(LogicalCall call, Next next, ClientRequestInfo info, MemberAddress asked) throws ForwardRequest {
        if (next.leaveMember()) {
            call.group().leave(asked);
        }
        Step step = next.step();
        if (step.kind() == Step.Kind.REPLY) {
            replyIsException(call, info);
            return;
        }
        if (step.kind() != Step.Kind.SEND_AGAIN) {
            throw end(call, step);
        }
        Clock.pause(step.delayMillis());
        retry(call);
        MemberAddress other = call.group().serving();
        LOG.debug("amo client: {} goes to {}", info.operation(), other);
        throw new ForwardRequest(at(call, other));
    }

    private void retry(LogicalCall call) {
        if (!call.isPseudo() && (ended.get() || !call.maySend(Clock.nowMillis()))) {
            // The ORB is down, or the application's time to send is over: JacORB would refuse the next attempt as
            // COMPLETED_NO, which is not true of the last one.
            throw end(call, call.giveUp());
        }
        call.retry();
        JacorbClientAccess.extendApplicationTimeout(BEYOND_MILLIS);
    }

    /** Ends the call with CORBA's exception for the step. */
    private org.omg.CORBA.SystemException end(LogicalCall call, Step step) {
        call.failed(step);
        watch.remove(call);
        return step.kind() == Step.Kind.NOT_EXECUTED
                ? Outcomes.notExecuted(call.id(), step)
                : Outcomes.unknown(call.id());
    }

    /** The application gets its reply when this interception point returns: the number is finished. */
    private void handOver(LogicalCall call, ClientRequestInfo info) {
        JacorbClientAccess.keepReply(info);
        call.replied();
        watch.remove(call);
    }

    private void replyIsException(LogicalCall call, ClientRequestInfo info) {
        if (OBJECT_NOT_EXIST.equals(info.received_exception_id())) {
            JacorbClientAccess.passObjectNotExist();
        }
        handOver(call, info);
    }

    private void endPseudo(LogicalCall call, ClientRequestInfo info) {
        call.endAttempt();
        watch.remove(call);
        flusher.flushing().ifPresent(ReplicatedGroup::flushArrived);
        answer(info).ifPresent(answer -> call.group().heard(answer, Clock.nowMillis()));
    }

    private void pseudoFailed(LogicalCall call, ClientRequestInfo info) throws ForwardRequest {
        Optional<LogicalCall.Attempt> attempt = call.attempt();
        boolean unreachable = !JacorbClientAccess.hasReply(info) || call.timedOut();
        call.endAttempt();
        if (unreachable) {
            attempt.ifPresent(failed -> call.group().leave(failed.member));
            if (flusher.flushing().isPresent()) {
                call.group().flushFailed(Clock.nowMillis());
            } else if (canGoElsewhere(info) && call.mayRepeat()) {
                retry(call);
                throw new ForwardRequest(at(call, call.group().serving()));
            }
        }
        watch.remove(call);
    }

    private Optional<LogicalCall> find(ClientRequestInfo info) {
        Sender sender = senders.get();
        LogicalCall call = sender.call;
        if (call != null && sender.latest != null && sender.latest.info == info) {
            sender.call = null;
            sender.latest = null;
            return call.isOver() && call.isPseudo() ? Optional.empty() : Optional.of(call);
        }
        return JacorbClientAccess.attachment().orElse("") instanceof LogicalCall attached && attached.isAttempt(info)
                ? Optional.of(attached)
                : Optional.empty();
    }

    private static Optional<Answer> answer(ClientRequestInfo info) {
        return answer(JacorbClientAccess.replyContext(info, AnswerContext.CONTEXT_ID));
    }

    /** @param context empty if the reply has none, as almost all */
    static void hearMembers(ReplicatedGroup group, Optional<byte[]> context) {
        try {
            context.map(MembersContext::decode)
                    .ifPresent(told -> group.hear(
                            told.addresses().stream()
                                    .map(each -> Addresses.numeric(each.host(), each.port()))
                                    .toList(),
                            told.version()));
        } catch (MalformedFrameException malformed) {
            LOG.warn("amo client: ignored a member's list of members: {}", malformed.getMessage());
        }
    }

    /** @param context empty if the reply has none */
    static Optional<Answer> answer(Optional<byte[]> context) {
        try {
            return context.map(AnswerContext::decode);
        } catch (MalformedFrameException malformed) {
            LOG.warn("amo client: ignored the answer of a member: {}", malformed.getMessage());
            return Optional.empty();
        }
    }
}
