package org.amo.replication.rpc;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.amo.base.CallPath;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.DatagramCipher;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.wire.RequestContext;
import org.amo.net.EventLoops;
import org.amo.net.Inbox;
import org.amo.net.LoopErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes calls of clients without connections, each in one datagram, and hands them to the same replica as {@link FrameServer}.
 * The answer leaves as one datagram for the address that the call came from.
 *
 * <p>Invariants: nothing is kept of a datagram before its seal has been checked. A datagram is answered by one datagram at
 * most, of {@link CallDatagrams#MOST_TIMES} times its bytes at most, since its source address proves nothing. No reply is kept here:
 * an attempt that comes again is answered from the group's reply cache.
 *
 * <p>Its own thread owns it; answers come from any thread. Nothing here survives a crash. Open for tests, which break its rules in
 * subclasses.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a datagram that cannot be sent is lost, as on the network
class DatagramServer extends ChannelInboundHandlerAdapter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DatagramServer.class);

    /** Calls that wait for their answers. A call takes a few kilobytes. */
    static final int MOST_CALLS = 4_096;

    private static final int BUFFER_BYTES = 1 << 20;
    private static final int BATCH = 8;

    /** Beyond it, and behind the bound, a number is live no more: skews are seconds. */
    private static final long LATE_MILLIS = 60_000;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    /** The outcomes of datagrams that no client of this group sends. */
    private static final Set<Outcome> DROPPED = EnumSet.range(Outcome.LENGTH, Outcome.OTHER_GROUP);

    private final FrameServerOptions options;
    private final ReplicatedService service;
    private final FatalErrors fatal;
    private final Function<byte[], OptionalLong> fingerprints;
    private final RepeatedDatagrams repeated = new RepeatedDatagrams();
    private final byte[] salt = new byte[CallDatagrams.SALT_BYTES];
    private final EventLoops loops;
    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final Inbox<Ready> ready = new Inbox<>();
    private final CompletableFuture<Boolean> drained = new CompletableFuture<>();
    private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

    /** The calls that one reading of the socket brought. */
    private final List<Arrival> gathered = new ArrayList<>();

    private final OfEachSecret<DatagramCipher> ciphers;

    /** Counts under all secrets: no two answers have the same number. */
    private long answers;

    private int underWay;
    private boolean draining;

    // The watch's.
    private long toldDropped;
    private long tellAtNanos = System.nanoTime();

    private volatile Optional<Channel> channel = Optional.empty();

    // Told by the server's own watch; both only rise.
    private volatile long orderedTimeMillis;
    private volatile long upperMillis = Answer.NO_BOUND;

    /** The outcomes of a datagram at this member. */
    enum Outcome {
        /** Handed to the replica. */
        TAKEN,
        /** Longer than any datagram of this protocol, or shorter. */
        LENGTH,
        /** Of another protocol, or of another version of this one. */
        VERSION,
        /** Other bytes than the protocol has. */
        MALFORMED,
        /** Without a seal, where there is a secret; or with one, where there is none. */
        UNSEALED,
        /** Sealed with another secret, or changed. */
        FORGED,
        /** Of another group. */
        OTHER_GROUP,
        /** The same datagram came a moment ago. */
        REPEATED,
        /** Its request comes over a connection alone. */
        TURNED_AWAY,
        /** Its timestamp is behind the bound, and its deadline long past. */
        STALE,
        /** Too many calls wait for answers. */
        OVERLOADED,
        /** The member is about to stop. */
        DRAINING
    }

    /**
     * The sender of a call that is under way.
     *
     * @param head of its datagram
     * @param cipher that opened it, and seals the answer
     * @param bytes of it
     */
    record Caller(InetSocketAddress address, CallDatagrams.Head head, DatagramCipher cipher, int bytes, long copy) {}

    /** An answer that may leave. */
    private record Ready(Caller caller, Answer answer) {}

    DatagramServer(FrameServerOptions options, ReplicatedService service, FatalErrors fatal) {
        this(
                options,
                service,
                fatal,
                body -> OptionalLong.of(options.fingerprint().applyAsLong(body)));
    }

    /** @param fingerprints of request bodies; empty for a body that comes over a connection alone */
    DatagramServer(
            FrameServerOptions options,
            ReplicatedService service,
            FatalErrors fatal,
            Function<byte[], OptionalLong> fingerprints) {
        this.options = options;
        this.service = service;
        this.fatal = fatal;
        this.fingerprints = fingerprints;
        this.ciphers = new OfEachSecret<>(options.key(), DatagramCipher::new);
        this.loops = EventLoops.open("amo-udp-" + options.member(), 1);
        new SecureRandom().nextBytes(salt);
        for (Outcome each : Outcome.values()) {
            counts.put(each, new LongAdder());
        }
    }

    /**
     * Listens from now on.
     *
     * @throws OrderedLogException in one line when it cannot
     */
    void listen(int port) {
        ChannelFuture bound = loops.datagrams(BUFFER_BYTES, BATCH)
                .handler(this)
                .bind(options.host(), port)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            loops.close();
            throw new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "member " + options.member() + " cannot listen for datagrams on " + options.host() + ":" + port
                            + " (" + bound.cause().getMessage()
                            + "); free that UDP port, give the member another client port, or start it without"
                            + " datagrams (udp() or --udp)",
                    bound.cause());
        }
        loops.opened(bound.channel());
        channel = Optional.of(bound.channel());
    }

    /** Datagrams by their outcomes, since the start. Any thread. */
    Map<String, Long> counts() {
        Map<String, Long> told = new TreeMap<>();
        counts.forEach((outcome, count) -> told.put(outcome.name(), count.sum()));
        return told;
    }

    /** Says how many were dropped, in one line a minute at most. The server's watch calls it now and then. */
    void tellDropped(long nowNanos) {
        long dropped = DROPPED.stream().mapToLong(each -> counted(each)).sum();
        if (dropped > toldDropped && nowNanos >= tellAtNanos) {
            LOG.warn(
                    "member {} has dropped {} datagrams since its start: {}; clients may have another secret or group,"
                            + " or strangers send",
                    options.member(),
                    dropped,
                    counts());
            toldDropped = dropped;
            tellAtNanos = nowNanos + MINUTE_NANOS;
        }
    }

    /** What the server's watch looks after now and then. */
    void look(ReplicaStatus status) {
        time(status.orderedTimeMillis(), status.orderedTimeMillis() == 0 ? Answer.NO_BOUND : status.upperMillis());
        tellDropped(System.nanoTime());
    }

    /** The group's time and bound, as known a moment ago. Any thread. */
    void time(long orderedTime, long upper) {
        orderedTimeMillis = orderedTime;
        upperMillis = upper;
    }

    /** Takes no calls any more. The future ends when those under way are answered. Any thread. */
    CompletableFuture<Boolean> drain() {
        inLoop(() -> {
            draining = true;
            answered();
        });
        return drained;
    }

    @Override
    public void close() {
        loops.close();
    }

    // ---- its thread

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        try {
            int length = packet.content().readableBytes();
            if (!CallDatagrams.hasLength(length)) {
                count(Outcome.LENGTH);
                return;
            }
            byte[] bytes = new byte[length];
            packet.content().readBytes(bytes);
            count(onDatagram(packet.sender(), bytes));
        } finally {
            packet.release();
        }
    }

    private void count(Outcome outcome) {
        counter(outcome).increment();
    }

    private long counted(Outcome outcome) {
        return counter(outcome).sum();
    }

    private LongAdder counter(Outcome outcome) {
        return Objects.requireNonNull(counts.get(outcome));
    }

    Outcome onDatagram(InetSocketAddress sender, byte[] datagram) {
        try {
            Optional<CallDatagrams.Head> head = CallDatagrams.readHead(datagram);
            return head.isPresent() ? read(sender, head.get(), datagram) : Outcome.VERSION;
        } catch (MalformedFrameException e) {
            return Outcome.MALFORMED;
        }
    }

    private Outcome read(InetSocketAddress sender, CallDatagrams.Head head, byte[] datagram) {
        if (head.kind() == CallDatagrams.ANSWER) {
            return Outcome.MALFORMED;
        }
        if (head.sealed() != options.key().isPresent()) {
            return Outcome.UNSEALED;
        }
        for (DatagramCipher cipher : ciphers.all()) {
            Optional<byte[]> content = cipher.open(head, datagram);
            if (content.isPresent()) {
                return onOpened(sender, head, cipher, datagram, content.get());
            }
        }
        return Outcome.FORGED;
    }

    private Outcome onOpened(
            InetSocketAddress sender, CallDatagrams.Head head, DatagramCipher cipher, byte[] datagram, byte[] content) {
        // A datagram opens under one secret alone, so that one memory serves all.
        if (cipher.isKeyed() && repeated.isRepeated(datagram)) {
            return Outcome.REPEATED;
        }
        if (head.kind() != CallDatagrams.CALL) {
            return onFinished(head, CallDatagrams.readFinished(content));
        }
        CallDatagrams.Called called = CallDatagrams.readCall(content);
        return onCall(new Caller(sender, head, cipher, datagram.length, called.copy()), called);
    }

    private Outcome onCall(Caller caller, CallDatagrams.Called called) {
        checkClient(caller.head(), called.context());
        if (!called.group().equals(options.group())) {
            return Outcome.OTHER_GROUP;
        }
        if (draining) {
            send(caller, CallDatagrams.elsewhere(called.copy()));
            return Outcome.DRAINING;
        }
        RequestContext.Call call = called.context().call().orElseThrow();
        if (call.timestampMillis() <= upperMillis && call.deadlineMillis() + LATE_MILLIS < orderedTimeMillis) {
            // As row 4 of the decision table says at every member; a recording of long ago costs no entry of the order.
            refuse(caller, Refusal.STALE);
            return Outcome.STALE;
        }
        if (underWay >= MOST_CALLS) {
            refuse(caller, Refusal.OVERLOADED);
            return Outcome.OVERLOADED;
        }
        OptionalLong fingerprint = fingerprints.apply(called.body());
        if (fingerprint.isEmpty()) {
            send(caller, CallDatagrams.byConnection(called.copy()));
            return Outcome.TURNED_AWAY;
        }
        underWay++;
        Request request = new Request(
                RequestId.own(called.context().client(), call.number()),
                call.timestampMillis(),
                call.deadlineMillis(),
                fingerprint.getAsLong(),
                called.oneway(),
                called.body(),
                CallPath.NONE);
        // The secret is all clients', and an address may be forged: no party can be charged for it.
        gathered.add(new Arrival(request, called.context().finished(), Principal.UNKNOWN, new FirstAnswer(caller)));
        return Outcome.TAKEN;
    }

    private Outcome onFinished(CallDatagrams.Head head, CallDatagrams.Acknowledged acknowledged) {
        checkClient(head, acknowledged.context());
        if (!acknowledged.group().equals(options.group())) {
            return Outcome.OTHER_GROUP;
        }
        if (acknowledged.timestampMillis() <= upperMillis) {
            return Outcome.STALE;
        }
        if (underWay >= MOST_CALLS) {
            return Outcome.OVERLOADED;
        }
        underWay++;
        service.acknowledge(
                head.client(),
                acknowledged.context().finished(),
                () -> inLoop(() -> {
                    underWay--;
                    answered();
                }));
        return Outcome.TAKEN;
    }

    /** The key is that of the client in the head: a client speaks for itself alone. */
    private static void checkClient(CallDatagrams.Head head, RequestContext context) {
        if (!context.client().equals(head.client())) {
            throw new MalformedFrameException("call datagram: its head and its context name different clients");
        }
    }

    private void refuse(Caller caller, Refusal refusal) {
        send(caller, CallDatagrams.answer(caller.copy(), Answer.refused(refusal, orderedTimeMillis, upperMillis)));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        submitGathered();
        context.flush();
    }

    void submitGathered() {
        if (!gathered.isEmpty()) {
            List<Arrival> copies = List.copyOf(gathered);
            gathered.clear();
            try {
                service.submitAll(copies);
            } catch (RuntimeException e) {
                LOG.warn("calls by datagram are answered UNKNOWN, since the service failed: {}", e.toString());
                Answer unknown = Answer.unknown(0, upperMillis);
                copies.forEach(copy -> copy.listener().onAnswer(unknown));
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        FatalErrors.in(cause)
                .ifPresent(
                        error -> fatal.onFatal("member " + options.member() + " of group " + options.group(), error));
        errors.caught(cause);
    }

    /** Sends the first answer to a call. Later answers do nothing. Any thread. */
    private final class FirstAnswer implements ReplicatedService.AnswerListener {
        private final Caller caller;
        private final AtomicBoolean answered = new AtomicBoolean();

        FirstAnswer(Caller caller) {
            this.caller = caller;
        }

        @Override
        public void onAnswer(Answer answer) {
            if (!answered.getAndSet(true)) {
                ready.put(new Ready(caller, answer));
                if (ready.wake()) {
                    inLoop(DatagramServer.this::writeReady);
                }
            }
        }
    }

    void inLoop(Runnable task) {
        // While the server closes, its thread takes no task any more.
        channel.ifPresent(open -> {
            boolean unused = EventLoops.execute(open.eventLoop(), () -> errors.run(task), () -> {});
        });
    }

    private void writeReady() {
        ready.awake();
        for (Ready next = ready.poll(); next != null; next = ready.poll()) {
            underWay--;
            Ready answer = next;
            errors.run(() -> answer(answer.caller(), answer.answer()));
        }
        channel.ifPresent(Channel::flush);
        answered();
    }

    private void answer(Caller caller, Answer answer) {
        int bytes = bytesBeside(caller) + CallDatagrams.answerBytes(caller.copy()) + answer.reply().length;
        int most = Math.min(CallDatagrams.MAX_BYTES, CallDatagrams.MOST_TIMES * caller.bytes());
        send(
                caller,
                bytes <= most
                        ? CallDatagrams.answer(caller.copy(), answer)
                        : CallDatagrams.byConnection(caller.copy()));
    }

    /** Of an answer, beside its content. */
    private int bytesBeside(Caller caller) {
        return caller.head().bytes()
                + CallDatagrams.SALT_BYTES
                + caller.cipher().tagBytes();
    }

    private void send(Caller caller, byte[] content) {
        DatagramCipher cipher = caller.cipher();
        CallDatagrams.Head head = new CallDatagrams.Head(
                CallDatagrams.ANSWER, cipher.isKeyed(), caller.head().client(), ++answers, salt);
        transmit(cipher.seal(head, content), caller.address());
    }

    /** If the socket takes none, it is lost: datagrams that wait here would have no bound. */
    void transmit(byte[] datagram, InetSocketAddress to) {
        channel.filter(Channel::isWritable)
                .ifPresent(open -> open.write(new DatagramPacket(Unpooled.wrappedBuffer(datagram), to)));
    }

    private void answered() {
        if (draining && underWay == 0) {
            drained.complete(true);
        }
    }
}
