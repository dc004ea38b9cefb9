package org.amo.replication.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.amo.base.AgentSettings;
import org.amo.base.DaemonThreads;
import org.amo.base.SecretRing;
import org.amo.base.Stable;
import org.amo.base.observe.Readiness;
import org.amo.base.wire.Secrets;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.TlsFiles;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.ObservedReplica;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.observe.Observation;
import org.amo.observe.ObservationOptions;
import org.amo.replication.ProcessEnd;
import org.amo.replication.ReplicationProvider;
import org.amo.replication.order.OrderedLogs;
import org.amo.replication.rpc.FrameServer;
import org.amo.replication.rpc.FrameServerOptions;
import org.amo.replication.rpc.RpcKey;
import org.amo.replication.rpc.RpcQuestions;
import org.amo.replication.rpc.RpcTls;
import org.amo.replication.rpc.RpcTransport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of a replicated Java service: joins its group, runs every request that the group accepted, once and in the
 * group's order, and serves {@link AmoClient}s. Three members in three processes survive the crash of one.
 *
 * <p>With the log on disk (the default) every answered request survives all failures short of the disks of a majority. The
 * service's own state is rebuilt from the last snapshot and the log. Any thread may use it.
 */
@Stable
public final class AmoReplica implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AmoReplica.class);
    private static final LogDestination LOG_DESTINATION = new LogDestination();
    private static final long DRAIN_MILLIS = 5_000;
    private static final long LOOK_AGAIN_NANOS = 20_000_000;

    private final ReplicaSettings settings;
    private final ReplicatedService service;
    private final FrameServer server;
    private final ObservedReplica observed;
    private final Observation observation;

    private AmoReplica(
            ReplicaSettings settings,
            ReplicatedService service,
            FrameServer server,
            ObservedReplica observed,
            Observation observation) {
        this.settings = settings;
        this.service = service;
        this.server = server;
        this.observed = observed;
        this.observation = observation;
    }

    /** @param group name of the group: 1 to 64 letters, digits, '-', '_' or '.'; the same for all members and clients */
    public static Builder builder(String group) {
        return new Builder(group);
    }

    /**
     * A builder with the settings of a configuration. Methods called on it replace them. Settings that every member reads from its
     * process, such as {@code amo.snapshotBytes}, become system properties here, unless they are. Settings that have no method here are
     * not used; a line in the log names them.
     *
     * @throws IllegalArgumentException in one line if {@code amo.group}, {@code amo.id} or {@code amo.members} is missing, or settings
     *     cannot work together
     * @throws UncheckedIOException if a file that they name cannot be read
     */
    public static Builder builder(AmoConfig config) {
        return ConfiguredBuilders.replica(config);
    }

    /** The status of this member, as it knows it; at most a second old. */
    public ReplicaStatus status() {
        return service.status();
    }

    /** Whether this member serves, and the reason if it does not; at most a second old. As {@code /health/ready} of its port. */
    public Readiness health() {
        return observed.readiness();
    }

    /** Waits until this member serves, for at most so long; the result is that of {@link #health} then. An interruption ends the wait. */
    public Readiness awaitReady(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        Readiness now = health();
        while (!now.isReady()
                && end - System.nanoTime() > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            now = health();
        }
        return now;
    }

    /** This member's id. */
    public String id() {
        return settings.id();
    }

    /** The port of {@link Builder#observe}; empty without one. */
    public OptionalInt observationPort() {
        return observation.port();
    }

    /** The datagrams that came to this member, by their outcomes; none without {@link Builder#udp}. */
    Map<String, Long> datagramCounts() {
        return server.datagramCounts();
    }

    /** The replica under the transport, for tools of amo. */
    public ReplicatedService service() {
        return service;
    }

    /**
     * Leaves gracefully: clients are told to go to other members, requests under way here are answered (for at most five
     * seconds), then the member stops. It may come back under the same id and folder.
     */
    @Override
    public void close() {
        observed.leaves("it was closed");
        if (!server.drain(DRAIN_MILLIS)) {
            LOG.info("member {} stops with requests under way; their clients ask the other members", settings.id());
        }
        service.close();
        server.close();
        // Last: while the member stops, it can be seen to.
        observation.close();
    }

    /** Collects the settings of a member; {@link #start} checks them. One thread. */
    @Stable
    public static final class Builder {
        private final String group;
        private String id = "";
        private List<Member> members = List.of();
        private ReplicaSettings.Order order = ReplicaSettings.Order.RAFT;
        private ReplicaSettings.Log log = ReplicaSettings.Log.FSYNC;
        private Path data = Path.of(".amo");
        private ReplicaSettings.Store store = ReplicaSettings.Store.HEAP;
        private GroupParameters parameters = GroupParameters.defaults();
        private Set<String> stated = Set.of();
        private Optional<SecretRing> secrets = Optional.empty();
        private boolean insecure;
        private Optional<Path> history = Optional.empty();
        private boolean udp;
        private Optional<RpcTls> tls = Optional.empty();
        private Optional<AmoTls> clientTls = Optional.empty();
        private Optional<TlsFiles> memberTls = Optional.empty();
        private Optional<AmoHandler> handler = Optional.empty();
        private Optional<AmoHandler> reads = Optional.empty();
        private UnaryOperator<AmoHandler> interceptors = UnaryOperator.identity();
        private Optional<AmoState> state = Optional.empty();
        private Optional<Object> withFields = Optional.empty();
        private boolean withoutSnapshots;
        private Optional<RpcQuestions> questions = Optional.empty();
        private Optional<Function<ReplicaSettings, OrderedLog>> ownLog = Optional.empty();
        private boolean commutative;
        private Optional<ReplicaSettings.Nested> nested = Optional.empty();
        private ReplicaSettings.Divergence divergence = ReplicaSettings.Divergence.STOP;
        private ReplicaSettings.Style style = ReplicaSettings.Style.ACTIVE;
        private Optional<ReplicaSettings.RandomSource> random = Optional.empty();
        private OptionalInt featureLevel = OptionalInt.empty();
        private Optional<ObservationOptions> observationPort = Optional.empty();
        private Consumer<OrderedLogException> onEnded = ProcessEnd::because;
        private FatalErrors onFatalError = ProcessEnd.atOnce();

        private Builder(String group) {
            this.group = group;
        }

        /** Which of the members this process is. Required. */
        public Builder id(String value) {
            id = value;
            return this;
        }

        /**
         * All members, the same text everywhere: {@code a=host:orderPort/clientPort,b=…}. Required. Three survive the crash of
         * one, five of two; one or two survive none.
         *
         * @throws IllegalArgumentException in one line that quotes the bad part and shows the right form
         */
        public Builder members(String value) {
            members = Member.parseList(value);
            return this;
        }

        /** Folder for the log and snapshots; one sub-folder a member. Default {@code .amo}. */
        public Builder data(Path value) {
            data = value;
            return this;
        }

        /** Where the log is kept. Default {@link ReplicaSettings.Log#FSYNC}, which survives the loss of power of all. */
        public Builder log(ReplicaSettings.Log value) {
            log = value;
            return this;
        }

        /** Which ordered log. Default RAFT; SEQUENCER can lose acknowledged requests and is for experiments. */
        public Builder order(ReplicaSettings.Order value) {
            order = value;
            return this;
        }

        /**
         * An ordered log of the caller's in the place of {@link #order}, not started yet; for example {@code DpgLog::new}, which
         * may violate the order: it needs {@link #commutative}.
         */
        public Builder orderedLog(Function<ReplicaSettings, OrderedLog> opener) {
            ownLog = Optional.of(opener);
            return this;
        }

        /**
         * Declares that the operations commute: in any order members reach the same state, and no reply reveals the order, nor
         * the time or the random numbers of the context, which differ with it. The declaration is not checked. If it is wrong, a
         * violation of the order makes members diverge.
         */
        public Builder commutative() {
            commutative = true;
            return this;
        }

        /**
         * Where replies and the rows of idle clients are kept. CHRONICLE keeps replies beyond an eighth of the largest heap, and
         * all rows, in files of the data folder that begin anew with each start; it needs Chronicle Map and a JDK, see
         * {@link org.amo.replication.store.ReplyStores#jvmOptions}. The default is the heap. Members of one group may differ in it.
         */
        public Builder store(ReplicaSettings.Store value) {
            store = value;
            return this;
        }

        /**
         * Lets operations call objects outside of the service: another group by an {@link AmoClient}, a CORBA object by a stub
         * with amo's interceptor, an SCMP, Exon or key-value server by amo's clients. Each replica makes the call, and again
         * when it runs its log again, so the callee must be idempotent, and must answer all replicas alike. Without it such a
         * call fails at once with a {@link org.amo.base.NestedCallException}, at every member. The same for all members.
         */
        public Builder allowNestedCalls() {
            nested = Optional.of(ReplicaSettings.Nested.ALLOW);
            return this;
        }

        /**
         * Lets operations call other groups by an {@link AmoClient}, and CORBA objects by stubs with amo's interceptor. One
         * replica makes each call for the group; the group orders its outcome, which every replica takes, also when it runs its
         * log again. Calls to another group of amo run there at most once even if members end meanwhile. The same for all
         * members. Only the thread that runs the operation may call.
         */
        public Builder orderNestedCalls() {
            nested = Optional.of(ReplicaSettings.Nested.ORDERED);
            return this;
        }

        /**
         * The reaction if the members' digests of decisions, replies and state differ and none has a majority: the group
         * takes no requests (the default), or says so and goes on. A minority always begins anew from the state of the
         * majority. The same for all members.
         */
        public Builder divergence(ReplicaSettings.Divergence value) {
            divergence = value;
            return this;
        }

        /**
         * The style of replication. ACTIVE, the default: each member executes, and computes all values itself. LEADER: random
         * numbers and results of nested calls come from one member, by way of the order. PASSIVE: the leader alone executes; the
         * others apply the updates of its state, so the service need not be deterministic, and must have a state. The same for
         * all members, and PASSIVE is fixed at the group's first start.
         */
        public Builder style(ReplicaSettings.Style value) {
            style = value;
            return this;
        }

        /**
         * The source of {@link ReplicaContext#random} and of the numbers that the agent of deterministic execution gives. With
         * LEADER the order carries a seed of 32 bytes for the requests of an entry; the member that orders them draws it, and
         * the numbers are fit for secrets. The default is that of the style, SEEDED for ACTIVE. The same for all members.
         */
        public Builder random(ReplicaSettings.RandomSource value) {
            random = Optional.of(value);
            return this;
        }

        /**
         * The feature level up to which this member lets its group come. Members of the build of before can take part until the group
         * is raised, and never again afterwards. Without a bound, the default, the group is raised as soon as all members speak a
         * higher level. Members of one group may differ in it; the lowest one counts.
         *
         * @param most 1 or more; {@link #start} refuses one below the levels of this build
         */
        public Builder featureLevel(int most) {
            featureLevel = OptionalInt.of(most);
            return this;
        }

        /**
         * Parameters of the group. Its first start sets them; later starts take the group's and ignore these, without a
         * message. Default {@link GroupParameters#defaults}.
         */
        public Builder parameters(GroupParameters value) {
            parameters = value;
            stated = Set.of();
            return this;
        }

        /** Properties of parameters that were chosen: a group with other values refuses this member. */
        Builder stated(Set<String> properties) {
            stated = properties;
            return this;
        }

        Builder nested(Optional<ReplicaSettings.Nested> value) {
            nested = value;
            return this;
        }

        /**
         * The secret with which members and clients prove themselves and seal their frames: {@value Secrets#LEAST_BYTES} bytes
         * or more in UTF-8. This, certificates ({@link #memberTls}, {@link #tls}) or {@link #insecure}.
         */
        public Builder secret(String value) {
            secrets = Optional.of(SecretRing.of(value));
            return this;
        }

        /**
         * The same from a file. If its first line is {@code amo secrets}, the next line proves and seals, and a second secret, in the
         * line behind it, is accepted as well; else all of its text is the secret. The member reads a file that changes again, so that
         * its group can exchange the secret while it runs (docs/how-to/exchange-the-secret.md). {@code fd:3} is a file descriptor, which is
         * read once.
         *
         * @throws IllegalArgumentException in one line if the text is too short
         * @throws UncheckedIOException if the file cannot be read
         */
        public Builder secretFile(Path file) {
            secrets = Optional.of(readSecrets(file));
            return this;
        }

        /** No secret: any process that reaches the ports can read, call and join. Only for a trusted network. */
        public Builder insecure() {
            insecure = true;
            return this;
        }

        /**
         * TLS for clients: they see this member's certificate, and with {@code clientCertificates} must show one that the
         * trust store trusts, which can replace the secret. Traffic between members is protected by the secret or by
         * {@link #memberTls}.
         *
         * @throws IllegalArgumentException in one line when it holds no key store, or no trust store that is needed
         * @throws IllegalStateException in one line when io.netty:netty-handler is not on the class path
         */
        public Builder tls(AmoTls value, boolean clientCertificates) {
            value.checkForMember(clientCertificates);
            tls = Optional.of(value.rpc(clientCertificates));
            clientTls = Optional.of(value);
            return this;
        }

        /**
         * TLS between members, in the place of the secret: each member shows a certificate that the others' trust stores
         * trust and that names {@code ID.GROUP}, for example {@code a.bank}, as a DNS name or as its common name. A
         * certificate of another group is refused. All members of a group have it, or none.
         *
         * @throws IllegalArgumentException in one line when it holds no key store or no trust store
         */
        public Builder memberTls(AmoTls value) {
            memberTls = Optional.of(value.files());
            return this;
        }

        /**
         * Takes calls by datagrams, too, at the UDP port with the number of the client port, for clients with
         * {@link AmoClient.Transport#AUTO} or {@code UDP}. Not together with {@link #tls}. Members of one group may differ in it.
         */
        public Builder udp() {
            udp = true;
            return this;
        }

        /** The handler that runs the requests. This or {@link #service}. */
        public Builder handler(AmoHandler value) {
            handler = Optional.of(value);
            return this;
        }

        /**
         * Runs the reads of {@link AmoClient#query(byte[])}, between two requests, in the same thread. It must change nothing. A
         * read that the group has to order runs at {@link #handler}, which must know it, too. A {@link #service} has its methods
         * that are {@link ReadOnly}. Default: all reads are ordered.
         */
        public Builder reads(AmoHandler value) {
            reads = Optional.of(value);
            return this;
        }

        /**
         * An object with an interface that clients call through {@link AmoClient#proxy}. Parameters and results may be
         * primitives and their boxes, String, enums, BigInteger, BigDecimal, UUID, the types of java.time but those with the rules
         * of a time zone, records and sealed interfaces of such types, and arrays, List, Set, Map, SortedSet, SortedMap and
         * Optional of such types. Nothing else can be sent, so nothing else can arrive. An exception that a method declares
         * arrives with its fields, which are of such types.
         *
         * <p>The object must be deterministic and needs no locks: see {@link AmoHandler}. Its state is the content of its
         * fields: those types, the usual collections of java.util, arrays, atomics, BitSet and StringBuilder, each of which
         * comes back as the kind that it was. An {@link AmoState} gives its own state instead. Transient fields, loggers,
         * locks, executors, metrics and functions keep the values that the constructor made. {@link #start} refuses a
         * service with other fields.
         *
         * @throws IllegalArgumentException in one line when the interface uses other types, or declares an exception that clients
         *     cannot make again
         */
        public <T> Builder service(Class<T> type, T object) {
            MethodTable methods = MethodTable.ofService(type);
            handler = Optional.of(new TypedService(methods, object));
            state = object instanceof AmoState own ? Optional.of(own) : Optional.empty();
            withFields = state.isPresent() ? Optional.empty() : Optional.of(object);
            return this;
        }

        /**
         * Puts code around every call and read of the service or handler, for example one that looks at the
         * {@linkplain ReplicaContext#metadata metadata} and refuses callers:
         *
         * <pre>{@code
         * .intercept(next -> (request, context) -> {
         *     if (!context.metadata().containsKey("tenant")) {
         *         throw new SecurityException("the call names no tenant");
         *     }
         *     return next.handle(request, context);
         * })
         * }</pre>
         *
         * <p>It runs at each member and again when a member runs its log again, so it must be deterministic, as the service must. The
         * same for all members. An exception from it is the reply. The first interceptor is the outermost. It is asked twice, for calls and for reads, when
         * the member starts.
         */
        public Builder intercept(UnaryOperator<AmoHandler> interceptor) {
            UnaryOperator<AmoHandler> outer = interceptors;
            interceptors = handled -> outer.apply(interceptor.apply(handled));
            return this;
        }

        /**
         * How the service's state is saved and restored, in place of the fields of a {@link #service}. A {@link #handler}
         * without it has no snapshots: the log is never cut, and a member that starts runs all of it.
         */
        public Builder state(AmoState value) {
            state = Optional.of(value);
            return this;
        }

        /** Accepts that the log is never cut, so that it grows for ever, and that a member that starts runs all of it. */
        public Builder withoutSnapshots() {
            withoutSnapshots = true;
            return this;
        }

        /** Answers {@link AmoClient#ask} at this member alone, outside the group's order. Default: no answers. */
        public Builder questions(RpcQuestions value) {
            questions = Optional.of(value);
            return this;
        }

        /** File for the events of this replica, one JSON object a line, for amo's checker. */
        public Builder history(Path file) {
            history = Optional.of(file);
            return this;
        }

        /**
         * Offers metrics, health, status and a page of the group over HTTP, from before the member joins until it has left. Without
         * it the metrics are there by JMX, and by Micrometer if the program has it.
         */
        public Builder observe(ObservationOptions value) {
            observationPort = Optional.of(value);
            return this;
        }

        /**
         * Told, at most once and on a thread of its own, when a started member may not take part any more (its disk failed,
         * the group runs with other settings, a rule of amo's own was broken). The default ends the process: one line on
         * standard error, exit code 2 for the user's mistake and 3 for a fault of the environment.
         */
        public Builder onEnded(Consumer<OrderedLogException> listener) {
            onEnded = listener;
            return this;
        }

        /**
         * Told when memory or stack ran out while this member worked. The default halts the process with one line and exit
         * code 3, without shutdown hooks; the member comes back by its log or a snapshot. It hears of errors in the threads
         * that run this member; run the virtual machine with {@code -XX:+ExitOnOutOfMemoryError} for those of all threads.
         */
        public Builder onFatalError(FatalErrors handler) {
            onFatalError = handler;
            return this;
        }

        /**
         * Joins the group and serves. Returns when the member takes part, or after two seconds without a majority (then it
         * goes on to wait for one).
         *
         * @throws IllegalArgumentException for a setting that cannot work, in one line
         * @throws OrderedLogException when it cannot join or listen, in one line
         */
        public AmoReplica start() {
            LOG_DESTINATION.check(LoggerFactory.getILoggerFactory(), "member " + id + " of group " + group, System.err);
            try {
                return startNamingOptions();
            } catch (OrderedLogException e) {
                throw MethodNames.in(e);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(MethodNames.in(String.valueOf(e.getMessage())), e);
            }
        }

        private AmoReplica startNamingOptions() {
            ReplicaSettings settings = settings();
            HandlerServant servant = servant();
            CompletableFuture<ReplicatedService> joined = new CompletableFuture<>();
            ObservedReplica observed = new ObservedReplica(
                    group,
                    id,
                    members,
                    () -> joined.isDone() ? Optional.of(joined.join()) : Optional.empty(),
                    new PeerStatuses(() -> OperatorClient.following(group, settings.secrets(), clientTls)));
            Observation observation = observation(observed);
            try {
                return start(settings, servant, joined, observed, observation);
            } catch (RuntimeException | Error e) {
                observation.close();
                throw e;
            }
        }

        /** Before the member joins: one that waits for a majority is the one that an operator looks for. */
        private Observation observation(ObservedReplica observed) {
            try {
                return Observation.offer(observed, observationPort);
            } catch (IOException e) {
                throw new OrderedLogException(
                        OrderedLogException.Fault.ENVIRONMENT,
                        "member " + id + " of group " + group + " " + e.getMessage() + " in observe(...)",
                        e);
            }
        }

        private AmoReplica start(
                ReplicaSettings settings,
                HandlerServant servant,
                CompletableFuture<ReplicatedService> joined,
                ObservedReplica observed,
                Observation observation) {
            OrderedLog log = ownLog.map(opener -> opener.apply(settings)).orElseGet(() -> OrderedLogs.open(settings));
            Consumer<OrderedLogException> ended = because -> {
                OrderedLogException why = MethodNames.in(because);
                observed.leaves(String.valueOf(why.getMessage()));
                onEnded.accept(why);
            };
            CompletableFuture<RpcTransport> transport = CompletableFuture.supplyAsync(
                    () -> FrameServer.transport(id), task -> DaemonThreads.start("amo-rpc-opens", task));
            Optional<ReplicatedService> opened = Optional.empty();
            try {
                ReplicatedService service = ReplicationProvider.open(settings, servant, log, ended, onFatalError);
                opened = Optional.of(service);
                joined.complete(service);
                FrameServer server = FrameServer.open(
                        FrameServerOptions.builder(group, id, Payloads::fingerprint)
                                .listen(settings.self().host(), settings.self().clientPort())
                                .key(settings.secrets().map(ring -> RpcKey.of(group, ring)))
                                .tls(tls)
                                .udp(udp)
                                .build(),
                        service,
                        questions,
                        onFatalError,
                        transport.join());
                return new AmoReplica(settings, service, server, observed, observation);
            } catch (RuntimeException | Error e) {
                opened.ifPresent(ReplicatedService::close);
                CompletableFuture<Void> unused = transport.thenAccept(RpcTransport::close);
                throw e;
            }
        }

        private HandlerServant servant() {
            AmoHandler chosen = handler.orElseThrow(
                    () -> new IllegalArgumentException("nothing to replicate; name a handler(...) or a service(...)"));
            // In style passive one member executes, so that the others need not iterate as it does.
            Optional<FieldState> fields = withFields
                    .filter(object -> state.isEmpty())
                    .map(object -> new FieldState(object, style != ReplicaSettings.Style.PASSIVE));
            Optional<String> obstacle = fields.flatMap(FieldState::obstacle);
            if (obstacle.isPresent() && !withoutSnapshots) {
                throw new IllegalArgumentException(
                        obstacle.get() + "; or accept a log that is never cut by withoutSnapshots()");
            }
            Optional<AmoState> kept = state.or(() -> fields.filter(each -> obstacle.isEmpty()));
            if (kept.isEmpty() && !withoutSnapshots) {
                LOG.warn(
                        "group {} has no state(...): its log is never cut, and a member that starts runs all of it;"
                                + " give a state(...), or say withoutSnapshots()",
                        group);
            }
            return new HandlerServant(
                    group,
                    chosen,
                    interceptors.apply(chosen),
                    kept,
                    commutative,
                    reads.or(() -> HandlerServant.readsOf(chosen)).map(interceptors));
        }

        private void checkSecurity() {
            if (secrets.isEmpty()
                    && memberTls.isPresent()
                    && !insecure
                    && !tls.map(RpcTls::clientCertificates).orElse(false)) {
                throw new IllegalArgumentException("group " + group
                        + " has TLS between members and nothing that proves its clients; add tls(..., true), or give"
                        + " secretFile(...)");
            }
            if (memberTls.isEmpty() || secrets.isPresent()) {
                checkSecret(group, secrets, insecure);
            }
        }

        private ReplicaSettings settings() {
            if (id.isEmpty() || members.isEmpty()) {
                throw new IllegalArgumentException("a member needs id(...) and members(...), for example id(\"a\") and"
                        + " members(\"a=127.0.0.1:7801/9801,…\")");
            }
            if (members.stream().noneMatch(member -> member.id().equals(id))) {
                throw new IllegalArgumentException("id(\"" + id + "\") is not in members(\"" + Member.format(members)
                        + "\"); correct one of the two");
            }
            checkSecurity();
            return ReplicaSettings.builder(group, id, new ArrayList<>(members))
                    .order(order)
                    .log(log)
                    .data(data)
                    .parameters(parameters)
                    .stated(stated)
                    .secrets(secrets.map(SecretRing::copy))
                    .history(history)
                    .store(store)
                    .tls(memberTls)
                    .nested(nested)
                    .divergence(divergence)
                    .style(style)
                    .random(random)
                    .featureLevel(featureLevel)
                    .ofProcess(AgentSettings.compared(name -> Optional.ofNullable(System.getProperty(name))))
                    .build();
        }
    }

    static void checkSecret(String group, Optional<SecretRing> secrets, boolean insecure) {
        if (secrets.isEmpty() && !insecure) {
            throw new IllegalArgumentException(
                    "group " + group + " has no secret; give secretFile(...), the same for all, or say insecure()");
        }
        secrets.ifPresent(ring -> ring.secrets().forEach(each -> Secrets.check(each, "the secret of group " + group)));
    }

    /**
     * The secret in a file, by which a process proves itself: all of its text, but for white space around it. The first line alone of a
     * file made by some tool (a PEM file, say) would be known to everybody. If the first line is {@code amo secrets}, the secret is the
     * next line. {@code fd:3} is the process's file descriptor 3, whose text no file keeps; if it
     * is a pipe, it can be read once.
     *
     * @throws IllegalArgumentException in one line if that has fewer than {@value Secrets#LEAST_BYTES} bytes
     * @throws UncheckedIOException if the file cannot be read
     */
    public static String readSecret(Path file) {
        return readSecrets(file).first();
    }

    static SecretRing readSecrets(Path file) {
        try {
            return SecretText.isDescriptor(file.toString())
                    ? SecretRing.ofText(SecretText.read(file), "the secret in the file " + file)
                    : SecretRing.ofFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the secret file " + file + " cannot be read", e);
        }
    }
}
