package org.amo.replication.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.NestedCallException;
import org.amo.base.NestedCalls;
import org.amo.base.RunningOperation;
import org.amo.base.SecretRing;
import org.amo.base.Stable;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Readiness;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.ClientCall;
import org.amo.core.client.GroupClient;
import org.amo.core.order.Member;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.replication.rpc.DatagramCalls;
import org.amo.replication.rpc.RpcKey;
import org.amo.replication.rpc.RpcQuestions;
import org.amo.replication.rpc.RpcTransport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a replicated Java service, each call at most once. A call goes over one connection to one member. If that fails,
 * the client retries at another member under the same number; the application sees none of it.
 *
 * <p>Every call ends, at the latest half a second after its deadline: with its reply, or with an {@link AmoException}. Its
 * class says whether the call ran, did not run, or may have run. Any number of threads may share one client, and should:
 * calls made together leave in one batch. A call of a crashed client runs once or not at all; with an
 * {@link Builder#identity} its next process learns which, and gets the reply.
 *
 * <p>In an operation of a replicated service that orders nested calls ({@link AmoReplica.Builder#orderNestedCalls}), one
 * replica makes the call for the group, and all replicas get its outcome. All ways to call wait for it there.
 */
@Stable
public final class AmoClient implements AmoCalls, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AmoClient.class);
    private static final long MAX_DEADLINE_MILLIS = 600_000;
    static final long PATIENCE_MILLIS = 5_000;

    private final String group;
    private final ClientId id;
    private final long deadlineMillis;
    private final Executor executor;
    private final CallPermits room;
    private final ClientLoop loop;
    private final Optional<ClientReads> reads;
    private final Queries queries;
    private final Optional<CallRecovery> recovery;
    private final Runnable endThread;

    /** With an identity: the call of this client whose outcome the thread may still be handling. */
    @SuppressWarnings("ThreadLocalUsage") // each client has its own
    private final ThreadLocal<PendingCall> lastOfThread = new ThreadLocal<>();

    private AmoClient(
            Builder builder,
            ClientId id,
            ClientLoop loop,
            Optional<ClientReads> reads,
            Optional<CallRecovery> recovery,
            Runnable endThread) {
        this.recovery = recovery;
        this.group = builder.group;
        this.id = id;
        this.deadlineMillis = builder.deadline.toMillis();
        this.executor = lasting(builder.executor);
        this.room = new CallPermits(builder.maxCalls, builder.maxMegabytes * 1_024, executor);
        this.loop = loop;
        this.reads = reads;
        this.queries = new Queries(this, group, room, reads, executor);
        this.endThread = endThread;
    }

    /** An executor may take no task, as one that is closed: then stages end in the client's thread, rather than never. */
    private static Executor lasting(Executor given) {
        return task -> {
            try {
                given.execute(task);
            } catch (RuntimeException | Error e) {
                // Closed, or no thread is to be had. If the executor kept the task, its second run is harmless.
                task.run();
            }
        };
    }

    /** @param group name of the group, as its members know it */
    public static Builder builder(String group) {
        return new Builder(group);
    }

    /**
     * A builder with the settings of a configuration. Methods called on it replace them. Settings of members are not used, nor are those
     * of TLS between members.
     *
     * @throws IllegalArgumentException in one line if {@code amo.group} or {@code amo.members} is missing, or a value cannot be used
     * @throws java.io.UncheckedIOException if the secret's file cannot be read
     */
    public static Builder builder(AmoConfig config) {
        return ConfiguredBuilders.client(config);
    }

    /** This client's id, drawn at random when it was made; the part of its requests' ids before the hyphen. */
    public String id() {
        return id.toString();
    }

    /** The member that new calls go to. */
    public String servedBy() {
        return loop.servedBy();
    }

    /** How often a call got its reply from another member than the call before it: about once when a member dies. */
    public long moves() {
        return loop.moves();
    }

    /**
     * The same client with options for the calls, reads and proxies that are made by the result:
     *
     * <pre>{@code
     * Accounts accounts = client.with(CallOptions.deadline(Duration.ofSeconds(2))).proxy(Accounts.class);
     * }</pre>
     *
     * <p>Connections, identity and room are those of this client, which is closed alone.
     */
    public AmoCalls with(CallOptions options) {
        return new CallsWithOptions(this, queries, options);
    }

    OptionalLong latestReplyMillis() {
        return loop.latestReplyMillis();
    }

    Duration deadline(CallOptions options) {
        return options.deadline().orElse(Duration.ofMillis(deadlineMillis));
    }

    @Override
    public byte[] call(byte[] request) {
        return call(request, Duration.ofMillis(deadlineMillis));
    }

    /** The same with a deadline of its own: 1 ms to 10 minutes. */
    public byte[] call(byte[] request, Duration deadline) {
        check(request, deadline);
        Optional<NestedCalls> ordered = nested();
        return Payloads.open(
                ordered.isPresent()
                        ? callNested(ordered.get(), request, false, deadline)
                        : await(begin(request, false, deadline, true)));
    }

    @Override
    public CompletionStage<byte[]> callAsync(byte[] request) {
        return callAsync(request, Duration.ofMillis(deadlineMillis));
    }

    /** The same with a deadline of its own: 1 ms to 10 minutes. */
    @SuppressWarnings("FutureReturnValueIgnored") // the stage that is returned tells everything
    public CompletionStage<byte[]> callAsync(byte[] request, Duration deadline) {
        check(request, deadline);
        CompletableFuture<byte[]> stage = new CompletableFuture<>();
        Optional<NestedCalls> ordered = nested();
        if (ordered.isPresent()) {
            // Ended when it is returned, so that dependent stages run in the operation.
            try {
                stage.complete(Payloads.open(callNested(ordered.get(), request, false, deadline)));
            } catch (AmoException e) {
                stage.completeExceptionally(e);
            }
            return stage;
        }
        PendingCall call = begin(request, false, deadline, false);
        call.outcome()
                .whenCompleteAsync(
                        (reply, why) -> {
                            if (why != null) {
                                stage.completeExceptionally(why);
                            } else {
                                complete(stage, () -> Payloads.open(reply));
                            }
                            if (call.isKept()) {
                                loop.handled(call);
                            }
                        },
                        executor);
        return stage;
    }

    /** Ends the stage with the value, or with any error of its making, such as want of memory. */
    static <T> void complete(CompletableFuture<T> stage, Supplier<T> value) {
        try {
            stage.complete(value.get());
        } catch (RuntimeException | Error e) {
            stage.completeExceptionally(e);
        }
    }

    @Override
    public void oneway(byte[] request) {
        oneway(request, Duration.ofMillis(deadlineMillis));
    }

    void oneway(byte[] request, Duration deadline) {
        check(request, deadline);
        Optional<NestedCalls> ordered = nested();
        if (ordered.isPresent()) {
            callNested(ordered.get(), request, true, deadline);
            return;
        }
        PendingCall call = begin(request, true, deadline, false);
        if (call.outcome().isCompletedExceptionally()) {
            await(call);
        }
    }

    @Override
    public byte[] query(byte[] request) {
        return queries.query(request, CallOptions.defaults());
    }

    @Override
    public CompletionStage<byte[]> queryAsync(byte[] request) {
        return queries.queryAsync(request, CallOptions.defaults());
    }

    /**
     * Ends once an asynchronous call with a request of so many bytes has room in this client ({@link Builder#maxCalls},
     * {@link Builder#maxMegabytes}), at once if it has now, and when this client is closed. No room is set aside: if other threads
     * take it first, the call ends as OVERLOADED, and its thread asks again. Stages end in the order in which they were asked for, in
     * the client's executor.
     */
    public CompletionStage<Void> whenRoom(int requestBytes) {
        return room.whenRoom(requestBytes);
    }

    /**
     * Whether a call would find a member now: the client has a connection to one that knows a leader. Before the first call, or
     * {@link #awaitReady}, there is no connection, nor while calls leave as datagrams alone.
     */
    public Readiness health() {
        return loop.health();
    }

    /**
     * Its calls for monitoring, and whether it is {@linkplain #health ready}. Offer them by {@code Observation.offer} of amo-observe, and
     * close the offer with the client.
     */
    public Observed observed() {
        return new ObservedAmoClient(group, id(), loop, room);
    }

    /**
     * Connects, and waits until the client is ready, for at most so long. The result is that of {@link #health} then. An interruption
     * ends the wait, and stays.
     */
    public Readiness awaitReady(Duration patience) {
        CompletableFuture<Void> ready = loop.awaitReady();
        try {
            ready.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("a client of group {} is not ready", group, e);
        } finally {
            ready.cancel(false);
        }
        return health();
    }

    @Override
    public String toString() {
        return "amo client " + id;
    }

    /**
     * Asks the member that serves this client a question outside the group's order ({@link AmoReplica.Builder#questions}).
     * A question takes no number and leaves no record: it may be answered twice or not at all, and is not retried. Use it
     * only for effects that may happen any number of times. The stage ends in the client's executor: with the answer, or
     * with an {@link AmoException} when there is no answer, or none within {@code patience}.
     *
     * @param question at most {@link RpcQuestions#MAX_BYTES} bytes; copied
     * @param patience how long to wait for the answer; counted in milliseconds, not limited by the client's deadline
     * @throws IllegalArgumentException if the question is too long
     */
    public CompletionStage<byte[]> ask(byte[] question, Duration patience) {
        if (question.length > RpcQuestions.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a question has at most " + RpcQuestions.MAX_BYTES + " bytes: length=" + question.length);
        }
        Optional<NestedCalls> ordered = nested();
        if (ordered.isPresent()) {
            return ServiceQuestion.ask(group, ordered.get(), loop, question.clone(), patience.toMillis());
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        loop.ask(question.clone(), answer);
        return answer.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync(
                        (bytes, why) -> {
                            if (bytes != null) {
                                return bytes;
                            }
                            throw why instanceof AmoException known
                                    ? known
                                    : new AmoUnknownException("no answer from group " + group + " in time");
                        },
                        executor);
    }

    /** The way of a call that an operation makes; empty outside of operations, and if each replica makes it. */
    private Optional<NestedCalls> nested() {
        Optional<RunningOperation> running = RunningOperation.current();
        running.filter(operation -> operation.group().equals(group)).ifPresent(operation -> {
            throw new NestedCallException(operation.refusalOfOwnGroup("a member"));
        });
        Optional<NestedCalls> ordered = running.flatMap(RunningOperation::nestedCalls);
        if (ordered.isEmpty()) {
            RunningOperation.checkCall("group " + group);
        }
        return ordered;
    }

    private byte[] callNested(NestedCalls ordered, byte[] request, boolean oneway, Duration deadline) {
        CallPath path = RunningOperation.current()
                .map(operation -> operation.pathTo("group " + group, group::equals))
                .orElse(CallPath.NONE);
        return ServiceCall.make(
                ordered, new ServiceCall(group, loop, room, request.clone(), oneway, deadline.toMillis(), path));
    }

    static void check(byte[] request, Duration deadline) {
        long millis = deadline.toMillis();
        if (millis < 1 || millis > MAX_DEADLINE_MILLIS) {
            throw new IllegalArgumentException("a deadline is 1 ms to 10 minutes: " + deadline);
        }
        if (request.length > Request.MAX_BODY_BYTES) {
            throw new IllegalArgumentException(
                    "a request has at most " + Request.MAX_BODY_BYTES + " bytes: length=" + request.length);
        }
    }

    private PendingCall begin(byte[] request, boolean oneway, Duration deadline, boolean wait) {
        long millis = deadline.toMillis();
        long endMillis = ClientLoop.now() + millis;
        Optional<Thread> caller = wait ? Optional.of(Thread.currentThread()) : Optional.empty();
        PendingCall call = recovery.isPresent() && !oneway
                ? PendingCall.kept(request, endMillis, room, caller)
                : new PendingCall(request, oneway, endMillis, room);
        return enter(call, request.length, millis, wait);
    }

    /** @param wait whether the caller waits for room, at most so long, and for the outcome */
    private PendingCall enter(PendingCall call, int bytes, long millis, boolean wait) {
        try {
            if (wait && Thread.interrupted()) {
                // The wait for the reply would end at once, with nothing known of a request that is on its way.
                throw new InterruptedException();
            }
            if (!room.enter(bytes, wait ? millis : 0)) {
                call.outcome()
                        .completeExceptionally(new AmoNotExecutedException(
                                "this client of group " + group
                                        + " has too many calls under way; wait for some of them",
                                Optional.of(Refusal.OVERLOADED),
                                Optional.of(Budget.CALLS_UNDER_WAY),
                                false));
                return call;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            call.outcome()
                    .completeExceptionally(
                            new AmoNotExecutedException("interrupted before the call left", Optional.empty()));
            return call;
        }
        if (call.isKept() && wait) {
            call.follows(lastOfThread.get());
            lastOfThread.set(call);
        }
        loop.call(call);
        return call;
    }

    /** Under the number that it has. The reply as the group keeps it. */
    private byte[] goOn(OneCall call, byte[] request) {
        ClientCall.Identity identity = call.identity();
        PendingCall pending =
                new PendingCall(request, false, call.endMillis(), room, Optional.of(identity), CallPath.NONE);
        byte[] reply = await(enter(pending, request.length, Math.max(0, call.endMillis() - ClientLoop.now()), true));
        loop.finished(identity);
        return reply;
    }

    private byte[] await(PendingCall call) {
        try {
            long left = call.endMillis() - ClientLoop.now();
            return call.outcome()
                    .get(Math.max(0, left) + AttemptedCall.GRACE_MILLIS + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AmoUnknownException("interrupted while a call of group " + group + " was under way");
        } catch (TimeoutException e) {
            throw new AmoUnknownException("the client's own thread does not answer; is the machine overloaded?");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AmoException why) {
                why.fillInStackTrace();
                throw why;
            }
            throw new IllegalStateException("a call of group " + group + " failed", e.getCause());
        } finally {
            if (call.isKept()) {
                call.forget();
            }
        }
    }

    /**
     * Finishes the calls that former processes with this {@link Builder#identity} left open, and tells their outcomes: to be called
     * first, before other calls. Each request is sent again under its old number. It runs at most once, and not after its old
     * deadline. A reply is the one that the group kept, or that of the execution now. Not executed is certain, as ever. Unknown is
     * told only when the group has forgotten the call, some minutes after its deadline.
     *
     * <p>A call that ends here was open when the process ended: it had no outcome, or its outcome was not handled. A thread handles
     * an outcome until its next call, or its end; a stage until its dependent actions of that time have returned. So a call may be told
     * whose outcome the program has already written down. A call that is neither told nor written down did not run.
     *
     * @param handler takes the outcomes, by process and in the order in which the calls left, in this thread. A call is over once it
     *     returns; from then on the group need not keep the reply. If it throws, the call stays open, the exception passes, and a later
     *     {@code recover} tells it again
     * @return calls for which no outcome could be had within the client's deadline, for instance without a majority: call again
     * @throws IllegalStateException without an identity
     * @throws UncheckedIOException if the identity cannot be read
     */
    public int recover(Consumer<RecoveredCall> handler) {
        RunningOperation.checkCall("group " + group);
        CallRecovery calls = recovery.orElseThrow(() -> new IllegalStateException(
                "a client of group " + group + " has nothing to recover; give it an identity(folder)"));
        try {
            return calls.recover(handler);
        } finally {
            loop.onReplied();
        }
    }

    /**
     * Ends: open calls are given up at once, and end as unknown if an attempt has left; acknowledgements leave. Later calls end
     * as not executed. With an identity, calls that were given up can be recovered, and earlier outcomes count as handled. Blocks
     * for some seconds at most.
     */
    @Override
    public void close() {
        // Both are told before either is awaited: the calls are given up, though the reads do not end.
        Optional<CompletableFuture<Void>> ofReads = reads.map(ClientReads::close);
        CompletableFuture<Void> ofCalls = loop.close();
        try {
            ofReads.ifPresent(ended -> ClientLoop.awaitEnd(ended, "the client of group " + group));
            ClientLoop.awaitEnd(ofCalls, "the client of group " + group);
        } finally {
            room.close();
            recovery.ifPresent(CallRecovery::close);
            endThread.run();
        }
    }

    /** The way of calls to the members. */
    @Stable
    public enum Transport {
        /** One connection to one member. */
        TCP(GroupClient.Datagrams.NEVER),
        /**
         * A datagram for each call of up to 1,000 bytes, at the UDP ports of the members ({@link AmoReplica.Builder#udp}); TCP for
         * longer requests and replies. Calls end as unknown where members have no UDP ports.
         */
        UDP(GroupClient.Datagrams.ALWAYS),
        /**
         * A datagram for the first attempt of a call while there is no connection, and TCP for everything else: a client that
         * calls once opens no connection. Where members have no UDP ports, the first call takes up to half a second longer.
         */
        AUTO(GroupClient.Datagrams.FIRST);

        private final GroupClient.Datagrams datagrams;

        Transport(GroupClient.Datagrams datagrams) {
            this.datagrams = datagrams;
        }
    }

    /** Collects the settings of a client; {@link #build} checks them. One thread. */
    @Stable
    public static final class Builder {
        private final String group;
        private List<Member> members = List.of();
        private Duration deadline = Duration.ofSeconds(60);
        private Optional<SecretRing> secrets = Optional.empty();
        private boolean insecure;
        private Executor executor = ForkJoinPool.commonPool();
        private int maxCalls = 10_000;
        private int maxMegabytes = 64;
        private Optional<Path> history = Optional.empty();
        private Optional<String> name = Optional.empty();
        private Optional<Consumer<String>> onSend = Optional.empty();
        private Optional<AmoTls> tls = Optional.empty();
        private boolean mayRepeat;
        private Transport transport = Transport.TCP;
        private Optional<Path> identity = Optional.empty();
        private boolean forceCalls;

        private Builder(String group) {
            this.group = group;
        }

        /**
         * All members, as they have it: {@code a=host:orderPort/clientPort,b=…}. Required.
         *
         * @throws IllegalArgumentException in one line that quotes the bad part and shows the right form
         */
        public Builder members(String value) {
            members = Member.parseList(value);
            return this;
        }

        /** Of calls that name none: 1 ms to 10 minutes. Default 60 s. */
        public Builder deadline(Duration value) {
            deadline = value;
            return this;
        }

        /** The group's secret. This or {@link #insecure}. */
        public Builder secret(String value) {
            secrets = Optional.of(SecretRing.of(value));
            return this;
        }

        /**
         * The same from a file, as {@link AmoReplica.Builder#secretFile} reads it. The client reads a file that changes again, until it is
         * closed, and opens further connections with the new secret.
         *
         * @throws IllegalArgumentException in one line if the text is too short
         * @throws java.io.UncheckedIOException if the file cannot be read
         */
        public Builder secretFile(Path file) {
            secrets = Optional.of(AmoReplica.readSecrets(file));
            return this;
        }

        /** No secret, as the members have none. */
        public Builder insecure() {
            insecure = true;
            return this;
        }

        /**
         * TLS to the members, if they have it. The client trusts the certificates of the trust store. A member's
         * certificate must name the host under which {@code members(...)} lists it. If members ask for certificates, TLS
         * with a key store can replace the secret.
         *
         * @throws IllegalStateException in one line when io.netty:netty-handler is not on the class path
         */
        public Builder tls(AmoTls value) {
            tls = Optional.of(value);
            value.rpc(false);
            return this;
        }

        /**
         * Declares that an intermediary may deliver a request again, for instance a proxy that repeats unanswered
         * requests. A refusal then proves nothing: a call that the group refuses up to its deadline ends as not executed
         * only if a member can still say EXPIRED, else as unknown. With a secret no intermediary can repeat a request, and
         * this setting has no effect.
         */
        public Builder pathMayRepeat() {
            mayRepeat = true;
            return this;
        }

        /**
         * The way of the calls to the members. Default {@link Transport#TCP}. With {@link #tls} calls go over TCP alone, and UDP is
         * refused by {@link #build}.
         */
        public Builder transport(Transport value) {
            transport = value;
            return this;
        }

        /**
         * A folder by which the next process of this client learns the outcomes of this one's open calls
         * ({@link AmoClient#recover}). The client notes each call in it before its first attempt leaves, until the program has handled
         * its outcome. Without it, the last calls of a client that crashes stay unknown.
         *
         * <p>The end of the process, by kill -9 too, loses none of it. A loss of power may lose the calls of the last seconds and
         * the ends of others: these are then reported unknown. {@link #forceCalls} has them survive. No number is used twice in
         * any case, and no call runs twice, since each process draws a client id of its own. The folder belongs to one process at
         * a time; it holds ids and requests, and is closed to other users of the machine if it is new.
         *
         * <p>Oneways are not noted, nor are calls that an operation of a replicated service makes.
         */
        public Builder identity(Path folder) {
            identity = Optional.of(folder);
            return this;
        }

        /**
         * Has the {@link #identity} on disk before a call leaves, so that recovery survives a loss of power. A call takes one sync of
         * the disk longer; calls made at the same time share it.
         */
        public Builder forceCalls() {
            forceCalls = true;
            return this;
        }

        /**
         * Where stages of asynchronous calls end. Default: the common pool. If it takes a task no more, or has no thread for it, the
         * stage ends in the client's own thread.
         */
        public Builder executor(Executor value) {
            executor = value;
            return this;
        }

        /** Calls that may be under way at a time. Further ones wait, asynchronous ones are refused. Default 10,000. */
        public Builder maxCalls(int value) {
            maxCalls = value;
            return this;
        }

        /** Megabytes of requests that may be under way at a time, 1 to 1,024. Default 64. */
        public Builder maxMegabytes(int value) {
            maxMegabytes = value;
            return this;
        }

        /** File for the outcomes of the calls, one JSON object a line, for amo's checker; and the client's name in it. */
        public Builder history(Path file, String clientName) {
            history = Optional.of(file);
            name = Optional.of(clientName);
            return this;
        }

        /**
         * Told the id of a call before each attempt leaves: the id that members write into their histories. A call that
         * did not run may be retried under a new id. On the client's own thread: it must not block, call or throw.
         */
        public Builder onSend(Consumer<String> listener) {
            onSend = Optional.of(listener);
            return this;
        }

        /**
         * A client, which connects when it is first called. If its secret is a password, the first client of a
         * process takes up to half a second for it.
         *
         * @throws UncheckedIOException in one line, if another process uses the identity, or it cannot be used
         * @throws IllegalArgumentException for a setting that cannot work, in one line
         */
        public AmoClient build() {
            check();
            return build(drawId(), transport);
        }

        /**
         * Makes one call as a client of its own that ends with it, and waits for at most the deadline. With {@link Transport#AUTO} or UDP
         * and a request of up to 1,000 bytes this thread sends a datagram and awaits the answer: there is no connection, event loop or
         * thread, each of which takes longer than the call. If no answer comes within half a second, or the reply is too long for a
         * datagram, the call goes on over TCP under the same number. With {@link #identity}, {@link #history} or {@link #onSend}, and in
         * an operation of a replicated service, an ordinary client makes the call.
         *
         * @throws AmoException when there is no reply; its class says whether the call ran, did not run, or may have run
         * @throws IllegalArgumentException for a setting or a request that cannot work, in one line
         * @throws NestedCallException as {@link AmoClient#call(byte[])}
         */
        public byte[] callOnce(byte[] request) {
            check();
            AmoClient.check(request, deadline);
            if (!leavesAsDatagram(request)) {
                try (AmoClient client = build()) {
                    return client.call(request);
                }
            }
            ClientId id = drawId();
            OneCall call =
                    new OneCall(group, id, secrets.map(ring -> RpcKey.of(group, ring.copy())), deadline.toMillis());
            Optional<byte[]> reply = call.call(members.get(first(id, members.size())), request);
            if (reply.isPresent()) {
                return Payloads.open(reply.get());
            }
            try (AmoClient client = build(id, Transport.TCP)) {
                return Payloads.open(client.goOn(call, request));
            }
        }

        private boolean leavesAsDatagram(byte[] request) {
            return transport != Transport.TCP
                    && tls.isEmpty()
                    && identity.isEmpty()
                    && history.isEmpty()
                    && onSend.isEmpty()
                    && DatagramCalls.fits(request.length)
                    && RunningOperation.current().isEmpty();
        }

        private void check() {
            if (members.isEmpty()) {
                throw new IllegalArgumentException(
                        "a client needs members(...), for example members(\"a=127.0.0.1:7801/9801,…\")");
            }
            if (!tls.map(AmoTls::showsCertificate).orElse(false)) {
                AmoReplica.checkSecret(group, secrets, insecure);
            }
            if (forceCalls && identity.isEmpty()) {
                throw new IllegalArgumentException("forceCalls() needs identity(folder)");
            }
            if (transport == Transport.UDP && tls.isPresent()) {
                throw new IllegalArgumentException("a client of group " + group
                        + " has TLS, which datagrams do not pass; leave tls(...) out, or take another transport(...)");
            }
        }

        private AmoClient build(ClientId id, Transport way) {
            Optional<SecretRing> own = secrets.map(SecretRing::copy);
            Optional<RpcKey> key = own.map(ring -> RpcKey.of(group, ring));
            RpcTransport rpc = RpcTransport.open("amo-client-" + group);
            Optional<ClientIdentity> folder = Optional.empty();
            Runnable endSecretWatch = own.map(this::watch).orElse(() -> {});
            try {
                folder = identity.map(path -> openIdentity(path, id));
                return build(
                        id,
                        members.stream().map(Member::id).toList(),
                        rpc.loop(),
                        links(rpc, id, key, tls.isPresent() ? GroupClient.Datagrams.NEVER : way.datagrams),
                        Optional.of(links(rpc, id, key, GroupClient.Datagrams.NEVER)),
                        folder,
                        former -> links(rpc, former, key, GroupClient.Datagrams.NEVER),
                        () -> {
                            endSecretWatch.run();
                            rpc.close();
                        });
            } catch (RuntimeException | Error e) {
                endSecretWatch.run();
                rpc.close();
                folder.ifPresent(ClientIdentity::close);
                throw e;
            }
        }

        private Runnable watch(SecretRing ring) {
            return ring.watch(
                    line -> LOG.info("a client of group {}: {}", group, line),
                    why -> LOG.warn("a client of group {}: {}", group, why));
        }

        private ClientIdentity openIdentity(Path path, ClientId id) {
            try {
                return ClientIdentity.open(path, group, id);
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }

        private MemberLinks links(
                RpcTransport rpc, ClientId id, Optional<RpcKey> key, GroupClient.Datagrams datagrams) {
            return new TcpLinks(
                    rpc,
                    id,
                    group,
                    members,
                    key,
                    tls.map(each -> each.rpc(false)),
                    mayRepeat,
                    datagrams,
                    ((long) maxMegabytes << 20) + maxCalls * TcpLinks.CONTEXT_BYTES);
        }

        /** A client that orders its reads. */
        AmoClient build(
                ClientId id,
                List<String> memberIds,
                ScheduledExecutorService owner,
                MemberLinks links,
                Runnable endThread) {
            return build(id, memberIds, owner, links, Optional.empty(), Optional.empty(), former -> links, endThread);
        }

        /**
         * @param readLinks connections for reads alone; empty if reads are ordered
         * @param recoveryLinks connections for a former life of this client
         */
        AmoClient build(
                ClientId id,
                List<String> memberIds,
                ScheduledExecutorService owner,
                MemberLinks links,
                Optional<MemberLinks> readLinks,
                Optional<ClientIdentity> folder,
                Function<ClientId, MemberLinks> recoveryLinks,
                Runnable endThread) {
            if (maxCalls < 1 || maxMegabytes < 1 || maxMegabytes > 1_024) {
                throw new IllegalArgumentException("maxCalls is at least 1 and maxMegabytes 1 to 1024: maxCalls="
                        + maxCalls + " maxMegabytes=" + maxMegabytes);
            }
            if (deadline.toMillis() < 1 || deadline.toMillis() > MAX_DEADLINE_MILLIS) {
                throw new IllegalArgumentException("a deadline is 1 ms to 10 minutes: " + deadline);
            }
            ClientHistory events = new ClientHistory(history, name.orElse(id.toString()), onSend.orElse(sent -> {}));
            int first = first(id, memberIds.size());
            NotedCalls notes = new NotedCalls(folder.map(ClientIdentity::present), forceCalls);
            ClientLoop loop = new ClientLoop(group, id, memberIds, first, owner, links, events, notes);
            Optional<ClientReads> reads = readLinks.map(each -> new ClientReads(group, memberIds, first, owner, each));
            Optional<CallRecovery> recovery = folder.map(each -> new CallRecovery(
                    each,
                    (journal, ofLife) -> new ClientLoop(
                            group,
                            journal.client(),
                            memberIds,
                            first,
                            owner,
                            recoveryLinks.apply(journal.client()),
                            new ClientHistory(Optional.empty(), id.toString(), unused -> {}),
                            ofLife),
                    forceCalls,
                    deadline.toMillis()));
            return new AmoClient(this, id, loop, reads, recovery, endThread);
        }

        /** Clients spread over the members by their ids, until one of these names the leader. */
        private static int first(ClientId id, int memberCount) {
            return Math.floorMod(Long.hashCode(id.high() ^ id.low()), memberCount);
        }

        static ClientId drawId() {
            SecureRandom random = new SecureRandom();
            return new ClientId(random.nextLong(), random.nextLong());
        }
    }
}
