package org.amo.interceptors.server;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.ProcessExit;
import org.amo.base.RunningOperation;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.replica.ObservedReplica;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.MembersContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.RateLimitedLog;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.amo.interceptors.jacorb.ReplyPort;
import org.amo.interceptors.status.StatusClient;
import org.amo.interceptors.status.StatusServant;
import org.amo.observe.Observation;
import org.amo.observe.ObservationOptions;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.IMP_LIMIT;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.INTERNAL;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.PERSIST_STORE;
import org.omg.CORBA.TRANSIENT;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.IOP.ServiceContext;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects one ORB with its replica. On one side it takes requests from JacORB's threads, gives each to the replica and
 * sends back the answer; on the other the replica calls {@link #execute} in the order of the log.
 *
 * <p>Invariant: operations of a replicated object run only inside {@link #execute}, so only in the order of the log
 * and only from ordered bytes, at the member that the client is connected to as well.
 */
final class GroupObjectAdaptor implements ServantPort {
    private static final Logger LOG = LoggerFactory.getLogger(GroupObjectAdaptor.class);

    /** The replica answers at the deadline plus its own grace; this bounds the wait should it not. */
    private static final String DEFAULT_GRACE_MILLIS = "15000";

    private static final Duration JOINING = Duration.ofSeconds(10);
    private static final Duration REPLAY_PATIENCE = Duration.ofSeconds(30);
    private static final byte[] NOTHING = {};
    static final Answer UNKNOWN = Answer.unknown(0, Answer.NO_BOUND);

    private final JacorbAccess jacorb;
    private final ReplicaSettings settings;
    private final Duration grace;
    private final GroupReferences references;
    private final ReplicaHandle replica;
    private final ServantRunner runner;
    private final RateLimitedLog malformed = new RateLimitedLog(LOG, Duration.ofSeconds(10));
    private final RateLimitedLog missing = new RateLimitedLog(LOG, Duration.ofSeconds(10));
    private final ThreadLocal<Optional<JacorbAccess.Invocation>> running = ThreadLocal.withInitial(Optional::empty);
    private final Map<PoaObjectKey, GoaPoa> adapters = new ConcurrentHashMap<>();
    private final AtomicBoolean statusOffered = new AtomicBoolean();
    private final ActivationGate gate = new ActivationGate(REPLAY_PATIENCE);
    private final ReplicatedServants servants;
    private final ActivationRequests activations = new ActivationRequests();
    private final Queue<Runnable> afterwards = new ConcurrentLinkedQueue<>();
    private final GoaPoa root;
    private final FrontEnd frontEnd = new FrontEnd(this);
    private final Optional<ObservationOptions> observationPort;
    private final ObservedReplica observed;
    private final AtomicBoolean observationBegun = new AtomicBoolean();
    private final LazyResource<Observation> observation = new LazyResource<>(Observation::close);

    /**
     * @param udp whether the member takes requests in datagrams, too
     * @param observationPort where the member is observed over HTTP; empty for no port
     */
    GroupObjectAdaptor(
            JacorbAccess jacorb,
            ReplicaSettings settings,
            ReplicatedServiceProvider provider,
            boolean udp,
            Optional<ObservationOptions> observationPort) {
        this.jacorb = jacorb;
        this.settings = settings;
        this.observationPort = observationPort;
        this.grace = Duration.ofMillis(
                Long.parseLong(jacorb.property("amo.answerGraceMillis").orElse(DEFAULT_GRACE_MILLIS)));
        this.references = new GroupReferences(
                jacorb,
                settings.group(),
                settings.members(),
                jacorb.sslPort() - settings.self().clientPort(),
                udp,
                this::close);
        this.replica = new ReplicaHandle(
                jacorb, provider, settings, this, udp ? Optional.of(this::fingerprintOfDatagram) : Optional.empty());
        this.observed = new ObservedReplica(
                settings.group(),
                settings.id(),
                settings.members(),
                replica::now,
                member -> StatusClient.ask(member.host(), member.clientPort(), ObservedReplica.Peers.TIMEOUT_MILLIS));
        replica.onFailure(observed::leaves);
        this.runner = new ServantRunner(jacorb);
        this.servants = new ReplicatedServants(
                settings.group(),
                new ServantStates(
                        ServantStates.codec(jacorb.property("amo.stateCodec")),
                        jacorb.property("amo.stateClasses"),
                        settings.style() != ReplicaSettings.Style.PASSIVE,
                        Optional.of(jacorb.orb())),
                gate);
        this.root = GoaPoa.root(this);
    }

    /** The root adapter that the application sees. */
    GoaPoa root() {
        return root;
    }

    JacorbAccess jacorb() {
        return jacorb;
    }

    GroupReferences references() {
        return references;
    }

    // ---- the objects ----

    /** A POA for replicated objects has been made. */
    void adapterCreated(GoaPoa poa) {
        adapters.put(new PoaObjectKey(jacorb.poaId(poa.real())), poa);
        gate.activated();
    }

    /** Its objects can no longer be called. */
    void adapterDestroyed(GoaPoa poa) {
        adapters.values().remove(poa);
    }

    /** A servant stands for an object; empty for the default servant of its POA. */
    void servantActivated(GoaPoa poa, byte[] objectId, Servant servant) {
        servants.activated(jacorb.poaId(poa.real()), objectId, servant, inOperation());
        objectActivated();
    }

    void servantDeactivated(GoaPoa poa, byte[] objectId) {
        servants.deactivated(jacorb.poaId(poa.real()), objectId, inOperation());
    }

    /** Servants of this POA come and go as its manager likes. */
    void managerSet() {
        servants.managed();
        objectActivated();
    }

    /** An object can be called from now on. The first one opens the replica. */
    private void objectActivated() {
        gate.open();
        gate.activated();
        observe();
        replica.open();
        if (statusOffered.compareAndSet(false, true)) {
            StatusServant.install(jacorb.orb(), () -> replica.now()
                    .orElseThrow(() -> new TRANSIENT("still joining the group", 0, CompletionStatus.COMPLETED_NO)));
        }
    }

    /** Before the member joins: one that waits for a majority is the one that an operator looks for. */
    private void observe() {
        if (!observationBegun.compareAndSet(false, true)) {
            return;
        }
        try {
            observation.opened(Observation.offer(observed, observationPort));
        } catch (IOException e) {
            observationBegun.set(false);
            INITIALIZE failure = new INITIALIZE("amo: member " + settings.id() + " of group " + settings.group() + " "
                    + e.getMessage() + " by --http (property amo.http)");
            failure.initCause(e);
            throw Failures.tell(jacorb, ProcessExit.ENVIRONMENT, failure);
        }
    }

    /** Makes the wrapper that JacORB gets in place of a servant. */
    GoaServant wrap(Servant user) {
        GoaServant wrapper = new GoaServant(this, user);
        ((org.omg.CORBA_2_3.ORB) jacorb.orb()).set_delegate(user);
        return wrapper;
    }

    /** The reason why the operation that the calling thread runs may not change the set of objects, and the remedy; empty if it may. */
    Optional<String> objectsAreFixed() {
        if (!inOperation()) {
            return Optional.empty();
        }
        if (settings.executors() > 1) {
            // A request for the object might run before the change at one member and behind it at another.
            return Optional.of("while operations of other objects run at the same time, so members would do that at"
                    + " different moments; do it in main, or start every member with --execute serial");
        }
        if (settings.style() == ReplicaSettings.Style.PASSIVE) {
            // Without an update of the state, each primary in turn would end behind the operation.
            return Optional.of(
                    "in style passive, where it runs at the primary alone and no update carries the change to"
                            + " the other members; do it in main, or start every member with --style active");
        }
        return Optional.empty();
    }

    /** Whether the calling thread runs an operation, or a task or timer of one: then no servant is invoked. */
    private boolean inOperation() {
        return running().isPresent() || RunningOperation.current().isPresent();
    }

    /** The invocation that runs in the calling thread, if any. */
    Optional<JacorbAccess.Invocation> running() {
        return running.get();
    }

    /** Objects of adapters that do not exist yet can be called from now on. */
    void activatorSet() {
        if (activatesAdapters()) {
            objectActivated();
        }
    }

    /** Whether requests may make adapters: not where an operation may not change the set of objects. */
    private boolean activatesAdapters() {
        return settings.executors() == 1 && settings.style() != ReplicaSettings.Style.PASSIVE;
    }

    /**
     * From JacORB's threads, and from main: has every member ask its activator for an adapter, in the order.
     *
     * @return whether the adapter is here now
     */
    boolean activateAdapter(GoaPoa parent, String name) {
        byte[] key = jacorb.adapterKey(parent.real(), name);
        if (!activatesAdapters()) {
            missing.warn("an adapter activator is not asked for '" + new PoaObjectKey(key)
                    + "' when a request arrives, in style"
                    + " passive or with --execute parallel; make the adapter in main, as by find_POA(name, true)");
            return false;
        }
        activateInOrder(key);
        return adapter(key).isPresent();
    }

    /**
     * From JacORB's threads, and from main: has every member ask its servant activator for an object, in the order.
     *
     * @throws org.omg.CORBA.SystemException if there is none, or it cannot be asked for now
     */
    void activateObject(GoaPoa poa, byte[] objectId) {
        activateInOrder(jacorb.objectKey(poa.real(), objectId));
    }

    /** Does it behind the operation that runs, in the order; at once if none runs. */
    void afterOperation(Runnable work) {
        if (RunningOperation.current().isPresent()) {
            afterwards.add(work);
        } else {
            work.run();
        }
    }

    /** @throws org.omg.CORBA.SystemException if it cannot be brought about, or not now */
    private void activateInOrder(byte[] objectKey) {
        ReplicatedService group = replica.await(JOINING)
                .orElseThrow(() -> new TRANSIENT("still joining the group", 0, CompletionStatus.COMPLETED_NO));
        Duration patience =
                Duration.ofMillis(settings.parameters().defaultDeadlineMillis()).plus(grace);
        CapturedReply outcome = activations.order(group, objectKey, patience);
        if (outcome.kind() == CapturedReply.Kind.SYSTEM_EXCEPTION) {
            throw outcome.toSystemException();
        }
    }

    /** Whether an operation has taken this object of one of JacORB's adapters away. */
    boolean isGone(POA poa, byte[] objectId) {
        return proxy(poa).filter(goa -> goa.isGone(objectId)).isPresent();
    }

    /** The servant that an operation has given to this object of one of JacORB's adapters, in place of JacORB's. */
    Optional<Servant> replacement(POA poa, byte[] objectId) {
        return proxy(poa).flatMap(goa -> goa.replacement(objectId));
    }

    private Optional<GoaPoa> proxy(POA poa) {
        return poa instanceof GoaPoa goa
                ? Optional.of(goa)
                : Optional.ofNullable(adapters.get(new PoaObjectKey(jacorb.poaId(poa))));
    }

    /** For so long after a request has run a client may ask for its reply. */
    Duration timeForRetries() {
        return Duration.ofMillis(settings.parameters().lifeMillis()).plus(grace);
    }

    void close() {
        observed.leaves("its ORB ends");
        replica.close();
        frontEnd.close();
        // Last: while the member stops, it can be seen to.
        observation.close();
    }

    // ---- from JacORB's threads ----

    /** Serves one request: returns when its reply is written into the handler, or throws the exception to reply. */
    void serve(String operation, InputStream in, ResponseHandler handler) {
        CallIdentity identity;
        try {
            identity = CallIdentity.of(jacorb.contexts(handler));
        } catch (MalformedFrameException e) {
            malformed.warn("refused a request from " + jacorb.peer(handler) + ": " + e.getMessage());
            throw new MARSHAL(e.getMessage(), 0, CompletionStatus.COMPLETED_NO);
        }
        boolean oneway = jacorb.isOneway(handler);
        if (waitsFor(identity) && !oneway) {
            String why = "refused '" + operation + "' of " + jacorb.peer(handler) + ": an operation made this call"
                    + RunningOperation.refusalOfCycle(identity.path(), settings.group());
            malformed.warn(why);
            throw new BAD_INV_ORDER(why, MinorCodes.CALL_CYCLE, CompletionStatus.COMPLETED_NO);
        }
        CapturedRequest captured = jacorb.capture(operation, in, handler);
        byte[] body = orderable(captured).orElseThrow(() -> refused(jacorb.peer(handler), captured));
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        try {
            Optional<ReplicatedService> service = replica.await(JOINING);
            if (service.isPresent()) {
                submit(
                        service.get(),
                        identity,
                        jacorb.principal(handler),
                        captured.fingerprint(),
                        body,
                        oneway,
                        answer::complete);
            } else {
                answer.complete(Answer.overloaded(Budget.ORDER, 0, Answer.NO_BOUND));
            }
            if (!oneway) {
                reply(jacorb.replyPort(handler), identity, await(answer, patience(identity)));
            }
        } catch (RuntimeException e) {
            // JacORB would say COMPLETED_NO, and the request may have been ordered.
            LOG.error("cannot answer {}", operation, e);
            throw new INTERNAL("cannot answer " + operation + ": " + e, 0, CompletionStatus.COMPLETED_MAYBE);
        }
        jacorb.frontEnd(handler, frontEnd);
    }

    /** Whether an operation of this group waits for the request: then it could run only after that operation had ended. */
    boolean waitsFor(CallIdentity identity) {
        return identity.path().groups().contains(settings.group());
    }

    /**
     * The bytes of a request to be ordered; empty when the members could not read them. The check uses the decoder that
     * {@link #execute} will use.
     */
    static Optional<byte[]> orderable(CapturedRequest captured) {
        try {
            byte[] body = captured.encode();
            CapturedRequest.decode(body);
            return Optional.of(body);
        } catch (FrameLimitException | MalformedFrameException e) {
            return Optional.empty();
        }
    }

    private MARSHAL refused(String peer, CapturedRequest captured) {
        malformed.warn("refused a request from " + peer + ": an operation of "
                + captured.operation().length() + " characters on an object key of " + captured.objectKey().length
                + " bytes with " + captured.body().length + " bytes of arguments is more than the group carries");
        return unreadable();
    }

    private static MARSHAL unreadable() {
        return new MARSHAL(
                "a part of the request is too long for the log; docs/wire/corba-body.md has the limits",
                MinorCodes.UNREADABLE,
                CompletionStatus.COMPLETED_NO);
    }

    /**
     * Hands a request to the group under the id that it came with, or as a plain one.
     *
     * @param principal of the sender
     * @param body as {@link #orderable} made it
     */
    void submit(
            ReplicatedService group,
            CallIdentity identity,
            Principal principal,
            long fingerprint,
            byte[] body,
            boolean oneway,
            ReplicatedService.AnswerListener listener) {
        if (identity.kind() == CallIdentity.Kind.OWN) {
            RequestContext own = identity.own().orElseThrow();
            RequestContext.Call call = own.call().orElseThrow();
            Request request = new Request(
                    RequestId.own(own.client(), call.number()),
                    call.timestampMillis(),
                    call.deadlineMillis(),
                    fingerprint,
                    oneway,
                    body,
                    identity.path());
            group.submitAll(List.of(new Arrival(request, own.finished(), principal, listener)));
        } else if (identity.kind() == CallIdentity.Kind.FOREIGN) {
            FtRequest foreign = identity.foreign().orElseThrow();
            Request request = new Request(
                    CallIdentity.foreignId(foreign),
                    Math.max(
                            0,
                            foreign.expirationMillis() - settings.parameters().retentionMillis()),
                    foreign.expirationMillis(),
                    fingerprint,
                    oneway,
                    body,
                    identity.path());
            group.submitAll(List.of(new Arrival(request, FinishedNumbers.NONE, principal, listener)));
        } else {
            identity.own().ifPresent(own -> group.acknowledge(own.client(), own.finished()));
            group.submitPlain(body, fingerprint, oneway, principal, listener);
        }
    }

    /** How long the group may take to answer: the time to the deadline, counted from the timestamp. */
    Duration patience(CallIdentity identity) {
        long millis =
                switch (identity.kind()) {
                    case OWN -> {
                        RequestContext.Call call =
                                identity.own().flatMap(RequestContext::call).orElseThrow();
                        yield call.deadlineMillis() - call.timestampMillis();
                    }
                    case FOREIGN -> settings.parameters().retentionMillis();
                    case ACKNOWLEDGEMENT, PLAIN -> settings.parameters().defaultDeadlineMillis();
                };
        return Duration.ofMillis(Math.min(millis, settings.parameters().lifeMillis()))
                .plus(grace);
    }

    private static Answer await(CompletableFuture<Answer> answer, Duration patience) {
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }

    /** Writes an answer of the group as a reply of CORBA. */
    void reply(ReplyPort port, CallIdentity identity, Answer answer) {
        List<ServiceContext> contexts =
                identity.kind() == CallIdentity.Kind.OWN ? contexts(identity, answer) : List.of();
        if (answer.kind() != Answer.Kind.REPLY) {
            port.replySystemException(Refusals.exception(answer, identity.kind()), contexts);
            return;
        }
        CapturedReply reply = CapturedReply.decode(answer.reply());
        switch (reply.kind()) {
            case NORMAL -> port.reply(reply.body(), contexts);
            case USER_EXCEPTION -> port.replyException(reply.body(), contexts);
            case SYSTEM_EXCEPTION -> port.replySystemException(reply.toSystemException(), contexts);
        }
    }

    /** The answer, and the members for a client that has not heard of their last change. */
    private List<ServiceContext> contexts(CallIdentity identity, Answer answer) {
        ServiceContext own = new ServiceContext(AnswerContext.CONTEXT_ID, AnswerContext.encode(answer));
        return replica.now()
                .flatMap(ReplicatedService::members)
                .filter(group -> identity.knowsLessThan(group.version()))
                .flatMap(MembersContext::of)
                .map(members -> List.of(own, new ServiceContext(MembersContext.CONTEXT_ID, members.encode())))
                .orElseGet(() -> List.of(own));
    }

    /** The replica, when it is open. */
    Optional<ReplicatedService> replica() {
        return replica.now();
    }

    /** Whether JacORB would pass a request for this object to the adaptor now, without asking the application. */
    boolean isOpenTo(byte[] objectKey) {
        return adapter(objectKey)
                .filter(poa -> poa.isActive() && poa.hosts(JacorbAccess.objectId(objectKey)))
                .isPresent();
    }

    /**
     * The fingerprint of a request that came in a datagram; empty if its client has to come over IIOP with it, since JacORB has to be asked
     * about the object, or the application. The thread of the datagrams.
     *
     * @throws MalformedFrameException if amo's clients send no such request
     */
    private OptionalLong fingerprintOfDatagram(byte[] body) {
        CapturedRequest captured = CapturedRequest.decode(body);
        if (captured.isPseudo() || !JacorbAccess.canReadStrings(captured)) {
            throw new MalformedFrameException("CORBA request: '" + captured.operation() + "' with code set "
                    + captured.charCodeSet() + " is no request to be ordered");
        }
        return isOpenTo(captured.objectKey()) ? OptionalLong.of(captured.fingerprint()) : OptionalLong.empty();
    }

    /** Acknowledgements have come with an operation that JacORB answers itself. */
    void onPseudoOperation(ServiceContext context) {
        try {
            CallIdentity.of(new ServiceContext[] {context}).own().ifPresent(own -> replica.now()
                    .ifPresent(group -> group.acknowledge(own.client(), own.finished())));
        } catch (MalformedFrameException e) {
            malformed.warn("ignored an acknowledgement: " + e.getMessage());
        }
    }

    // ---- from the replica's thread ----

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        if (CapturedRequest.isOfAnotherVersion(request.body())) {
            // Only members write the log. If this member skipped a request that others may run, the replicas would
            // diverge.
            throw new IllegalStateException("position " + position
                    + " of the log was not written by this version; run the same version of amo at every member");
        }
        CapturedReply reply;
        try {
            reply = run(CapturedRequest.decode(request.body()));
        } catch (MalformedFrameException e) {
            // Refused at every door, so a member let it through. All of them answer it alike and go on.
            malformed.warn("position " + position + " of the log cannot be run: " + e.getMessage());
            reply = CapturedReply.systemException(unreadable());
        }
        return request.oneway() ? NOTHING : bytes(reply);
    }

    /** As the members keep it. One that is too long to keep becomes an exception, the same at each of them. */
    static byte[] bytes(CapturedReply reply) {
        try {
            return reply.encode();
        } catch (FrameLimitException e) {
            return tooLong();
        }
    }

    private static byte[] tooLong() {
        return CapturedReply.systemException(new IMP_LIMIT(MinorCodes.REPLY_TOO_LONG, CompletionStatus.COMPLETED_YES))
                .encode();
    }

    @Override
    public byte[] undone(Request request, String why) {
        if (request.oneway()) {
            return NOTHING;
        }
        // What it did beside the servant's state stays.
        return CapturedReply.systemException(
                        new PERSIST_STORE(why, MinorCodes.UNDONE, CompletionStatus.COMPLETED_MAYBE))
                .encode();
    }

    private CapturedReply run(CapturedRequest captured) {
        CapturedReply reply = outcome(captured);
        for (Runnable next = afterwards.poll(); next != null; next = afterwards.poll()) {
            next.run();
        }
        return reply;
    }

    private CapturedReply outcome(CapturedRequest captured) {
        byte[] key = captured.objectKey();
        Optional<CapturedReply> failure = activateAdapters(key);
        if (ActivationRequests.isOne(captured)) {
            CapturedReply outcome = failure.orElseGet(() -> activated(key));
            activations.ran(key, outcome);
            return outcome;
        }
        if (failure.isPresent()) {
            return failure.get();
        }
        byte[] objectId = JacorbAccess.objectId(key);
        Optional<GoaPoa> adapter = gate.await(() -> adapter(key).filter(poa -> poa.knows(objectId)));
        CapturedReply reply = adapter.map(poa -> poa.run(objectId, captured)).orElseGet(() -> notHere(captured));
        if (adapter.isPresent() && servants.isComparable()) {
            servants.called(Arrays.copyOf(key, JacorbAccess.poaIdLength(key)), objectId);
        }
        return reply;
    }

    /**
     * Has the adapters on the way to an object activated that are not here. A request of its own has done so if a client's came first;
     * not if the main of one member did it.
     *
     * @return the exception of an activator, as the reply; empty if there is none
     */
    private Optional<CapturedReply> activateAdapters(byte[] key) {
        if (adapter(key).isPresent() || !activatesAdapters()) {
            return Optional.empty();
        }
        List<String> names = jacorb.adapterNames(key);
        // Main may still be on its way to the activator, or to the adapter itself. Later on, no member waits.
        Optional<GoaPoa> unused = gate.await(
                () -> adapter(key).or(() -> Optional.of(root).filter(poa -> poa.leadsToReadyActivator(names))));
        return adapter(key).isPresent() ? Optional.empty() : root.activateAdapters(names);
    }

    /** The outcome of a request for an object that is made on demand, or for an adapter alone. */
    private CapturedReply activated(byte[] key) {
        byte[] objectId = JacorbAccess.objectId(key);
        boolean adapterAlone = objectId.length == 0;
        Optional<GoaPoa> adapter = gate.await(() -> adapter(key).filter(poa -> adapterAlone || poa.knows(objectId)));
        if (adapter.isEmpty()) {
            return CapturedReply.systemException(new OBJECT_NOT_EXIST(0, CompletionStatus.COMPLETED_NO));
        }
        return adapterAlone ? CapturedReply.normal(NOTHING) : adapter.get().activate(objectId);
    }

    /** Asked for each request in the order of the log, so it does not wait for an object that is not there yet. */
    @Override
    public Set<Object> keys(Request request) {
        try {
            byte[] key = CapturedRequest.objectKey(request.body());
            return adapter(key).map(poa -> poa.keys(JacorbAccess.objectId(key))).orElse(Set.of());
        } catch (MalformedFrameException e) {
            LOG.debug("request {} names no object", request.id(), e);
            return Set.of();
        }
    }

    @Override
    public String operation(Request request) {
        try {
            return CapturedRequest.decode(request.body()).operation();
        } catch (MalformedFrameException e) {
            LOG.debug("request {} names no operation", request.id(), e);
            return "";
        }
    }

    @Override
    public byte[] skipped(Request request) {
        INTERNAL reply = new INTERNAL(MinorCodes.SKIPPED, CompletionStatus.COMPLETED_NO);
        return request.oneway() ? NOTHING : CapturedReply.systemException(reply).encode();
    }

    @Override
    public Optional<byte[]> takeState() {
        return servants.take();
    }

    @Override
    public boolean hasStateDigest() {
        return servants.isComparable();
    }

    @Override
    public OptionalLong digestAtMark(boolean due) {
        return servants.digestAtMark(due);
    }

    @Override
    public void restoreState(byte[] state) {
        servants.restore(state);
    }

    @Override
    public Optional<byte[]> takeUpdate() {
        return servants.takeUpdate();
    }

    @Override
    public void applyUpdate(byte[] update) {
        servants.applyUpdate(update);
    }

    @Override
    public Optional<String> stateObstacle() {
        return servants.obstacle().map(why -> why + "; or use --style active");
    }

    private Optional<GoaPoa> adapter(byte[] objectKey) {
        int length = JacorbAccess.poaIdLength(objectKey);
        return length < 0
                ? Optional.empty()
                : Optional.ofNullable(adapters.get(new PoaObjectKey(Arrays.copyOf(objectKey, length))));
    }

    private CapturedReply notHere(CapturedRequest captured) {
        missing.warn("no object with key '" + new PoaObjectKey(captured.objectKey()) + "' at member " + settings.id()
                + "; every member must activate the same objects under the same -Djacorb.implname");
        return CapturedReply.systemException(new OBJECT_NOT_EXIST(0, CompletionStatus.COMPLETED_NO));
    }

    /** Runs a request on a servant, with everything around it as if JacORB had called it. */
    CapturedReply runOn(GoaPoa poa, byte[] objectId, Servant user, CapturedRequest captured) {
        Optional<JacorbAccess.Invocation> outer = running.get();
        running.set(Optional.of(new Running(poa, objectId, user)));
        jacorb.enter(poa.real(), objectId, user);
        try {
            return runner.run(user, captured);
        } finally {
            jacorb.leave();
            running.set(outer);
        }
    }

    private record Running(GoaPoa poa, byte[] objectId, Servant servant) implements JacorbAccess.Invocation {}
}
