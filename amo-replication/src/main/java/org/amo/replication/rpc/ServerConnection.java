package org.amo.replication.rpc;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.base.CallPath;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.replica.Administration;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.wire.RequestContext;
import org.amo.net.Inbox;

/** Serves one client's connection to one member. The transport's thread owns it; answers come from any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed operation ends the channel, which is reported
final class ServerConnection implements FrameChannel.Receiver {
    /** Requests of one connection that may be under way before it is not read from any more. */
    static final int MOST_REQUESTS = 8_192;

    /** Bytes of their bodies. */
    static final long MOST_BYTES = 32L << 20;

    /** What a frame of a client takes beside its body until it is answered. */
    static final int FRAME_BYTES = 512;

    /** At the latest with so many bytes, requests read go to the replica: as many as flush a batch into an entry. */
    private static final long MOST_GATHERED_BYTES = 50_000;

    private static final byte[] NOTHING = {};

    /** A client that connects must identify itself within that time. */
    private static final long GREETING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final FrameServer server;
    private final FrameServerOptions options;
    private final ReplicatedService service;
    private final Channel channel;
    private final FrameChannel frames;
    private final long openedNanos = System.nanoTime();

    private final Inbox<Ready> ready = new Inbox<>();
    /** Answers that wait until the client takes more. */
    private final Deque<Ready> waiting = new ArrayDeque<>();

    /** The requests that one reading of the connection brought. */
    private final List<Arrival> gathered = new ArrayList<>();

    /** Of the next request. */
    private CallPath path = CallPath.NONE;

    private int pathBytes;

    private long gatheredBytes;
    private boolean greeted;
    /** Of this connection, from its greeting to its end. */
    private Optional<GroupKey> key = Optional.empty();

    private Principal principal = Principal.UNKNOWN;
    private boolean closed;
    private boolean writable = true;
    private boolean reading = true;
    private int underWay;
    private long bytesUnderWay;

    /** The bytes that this connection holds, as last reported to the server. */
    private long counted;

    private long countedAsEnded;

    // Answers that the client has not taken, as last reported to the server.
    private long waitingBytes;
    private long unread;
    private long unsent;
    private long written;
    private long tookNanos;

    // The frame that is on its way: which it is, and since when it is waited for.
    private long waitedFor = -1;
    private long waitedSinceNanos;

    /**
     * A frame that may leave.
     *
     * @param frame empty if there is no answer
     * @param answerBytes of the answer that it carries
     * @param bytes are not under way any more when it has left
     */
    private record Ready(Optional<Supplier<byte[]>> frame, int answerBytes, int bytes) {}

    ServerConnection(FrameServer server, FrameServerOptions options, ReplicatedService service, Channel channel) {
        this.server = server;
        this.options = options;
        this.service = service;
        this.channel = channel;
        this.frames = new FrameChannel(channel, this, options.tls().isPresent());
    }

    @Override
    public void onFatal(VirtualMachineError error) {
        server.onFatal(error);
    }

    FrameChannel frames() {
        return frames;
    }

    boolean isIdle() {
        return underWay == 0;
    }

    void tellState() {
        orEnd(() -> tell(RpcFrames.state(server.state())));
    }

    void tellDraining() {
        orEnd(() -> tell(RpcFrames.draining()));
    }

    private void tell(byte[] frame) {
        if (greeted) {
            frames.write(frame);
            frames.flush();
        }
    }

    @Override
    public void onFrame(byte[] frame) {
        if (!greeted) {
            onHello(RpcFrames.readHello(frame));
            return;
        }
        switch (RpcFrames.kind(frame)) {
            case RpcFrames.REQUEST -> onRequest(RpcFrames.readRequest(frame));
            case RpcFrames.ASK -> onAsk(RpcFrames.readAsk(frame));
            case RpcFrames.READ -> onRead(RpcFrames.readRead(frame));
            case RpcFrames.OPERATE -> onOperate(RpcFrames.readOperate(frame), frame.length + FRAME_BYTES);
            case RpcFrames.FINISHED -> {
                RequestContext context = RpcFrames.readFinished(frame);
                int bytes = frame.length + FRAME_BYTES;
                came(bytes);
                service.acknowledge(
                        context.client(), context.finished(), () -> ready(new Ready(Optional.empty(), 0, bytes)));
            }
            default ->
                throw new MalformedFrameException("frame: kind " + RpcFrames.kind(frame) + " is none of a client's");
        }
    }

    private void onHello(RpcFrames.Hello hello) {
        key = options.key().flatMap(keys -> keys.ofProof(hello));
        Optional<String> mistake = mistake(hello);
        frames.begin();
        if (mistake.isPresent() || server.isDraining()) {
            mistake.ifPresent(
                    why -> server.mistakes().warn("a client at " + channel.remoteAddress() + " was refused: " + why));
            frames.write(RpcFrames.refused(
                    mistake.isPresent(), mistake.orElse("member " + options.member() + " is about to stop")));
            end();
            return;
        }
        byte[] salt = new byte[RpcFrames.SALT_BYTES];
        RANDOM.nextBytes(salt);
        frames.write(RpcFrames.welcome(new RpcFrames.Welcome(
                salt, key.map(own -> own.welcomeProof(hello.salt(), salt)).orElse(new byte[0]))));
        frames.established(
                key.map(own -> own.clientToServer(hello.salt(), salt, false)),
                key.map(own -> own.serverToClient(hello.salt(), salt, true)),
                options.limits().frameBytes());
        principal = principal();
        greeted = true;
        server.greeted(this);
        tellState();
    }

    /** The client's certificate says more than its address; the group's secret, which all clients have, says nothing. */
    private Principal principal() {
        Optional<String> subject = options.tls().isPresent() ? TlsHandlers.subject(channel) : Optional.empty();
        if (subject.isPresent()) {
            return Principal.subject(subject.get());
        }
        return channel.remoteAddress() instanceof InetSocketAddress remote && remote.getAddress() != null
                ? Principal.address(remote.getAddress().getAddress())
                : Principal.UNKNOWN;
    }

    private Optional<String> mistake(RpcFrames.Hello hello) {
        if (!hello.group().equals(options.group())) {
            return Optional.of("member " + options.member() + " belongs to group '" + options.group() + "', not to '"
                    + hello.group() + "'; correct the group's name or the addresses");
        }
        if (options.tls().isPresent() && !TlsHandlers.isOn(channel)) {
            return Optional.of("member " + options.member() + " asks for TLS; give the client a tls(...)");
        }
        boolean sealed = hello.proof().length > 0;
        if (sealed != options.key().isPresent()) {
            return Optional.of(
                    sealed
                            ? "member " + options.member() + " runs without a secret; start it with the group's secret,"
                                    + " or the client without one"
                            : "member " + options.member() + " asks for the group's secret; give it to the client"
                                    + " (secretFile)");
        }
        if (sealed && key.isEmpty()) {
            return Optional.of("the client's secret is not that of group '" + options.group() + "'; give both the same"
                    + " secret file (the group may have exchanged its secret)");
        }
        return Optional.empty();
    }

    private void onRequest(RpcFrames.Arrived arrived) {
        RequestContext.Call call = arrived.context().call().orElseThrow();
        byte[] body = arrived.body();
        Request request = new Request(
                RequestId.own(arrived.context().client(), call.number()),
                call.timestampMillis(),
                call.deadlineMillis(),
                options.fingerprint().applyAsLong(body),
                arrived.oneway(),
                body,
                path);
        int bytes = body.length + pathBytes + FRAME_BYTES;
        path = CallPath.NONE;
        pathBytes = 0;
        came(bytes);
        gathered.add(
                new Arrival(request, arrived.context().finished(), principal, new FirstAnswer(arrived.copy(), bytes)));
        gatheredBytes += body.length;
        if (gatheredBytes >= MOST_GATHERED_BYTES) {
            submitGathered();
        }
    }

    /** A frame is under way. */
    private void came(int bytes) {
        underWay++;
        bytesUnderWay += bytes;
        // Not only at the end of the batch: Netty reads on sixteen times before that, and to the end if the client has
        // ended.
        count();
        if (server.hasNoRoom() && !closed) {
            abort("memory is short: requests of connections that have ended hold it");
        }
        balance();
    }

    private void submitGathered() {
        if (!gathered.isEmpty()) {
            List<Arrival> copies = List.copyOf(gathered);
            gathered.clear();
            gatheredBytes = 0;
            try {
                service.submitAll(copies);
            } catch (RuntimeException e) {
                server.mistakes()
                        .warn("requests of a client at " + channel.remoteAddress()
                                + " are answered UNKNOWN, since the service failed: " + e);
                // The service may have taken some of them, and answers those, too.
                Answer unknown = Answer.unknown(0, server.state().upperMillis());
                copies.forEach(copy -> copy.listener().onAnswer(unknown));
            }
        }
    }

    private void onAsk(RpcFrames.Asked asked) {
        Optional<CallPath> told = RpcFrames.readPath(asked.question());
        int length = asked.question().length;
        int bytes = length + FRAME_BYTES;
        came(bytes);
        AtomicBoolean over = new AtomicBoolean();
        Consumer<Optional<byte[]>> answered = answer -> {
            if (!over.getAndSet(true)) {
                ready(new Ready(
                        Optional.of(() -> RpcFrames.told(asked.copy(), answer)),
                        answer.map(each -> each.length).orElse(0),
                        bytes));
            }
        };
        if (told.isPresent()) {
            path = told.get();
            pathBytes = length;
            answered.accept(Optional.of(NOTHING));
            return;
        }
        Optional<byte[]> takesReads = RpcFrames.answerToTakesReads(asked.question());
        if (takesReads.isPresent()) {
            answered.accept(takesReads);
            return;
        }
        try {
            server.questions()
                    .ifPresentOrElse(
                            each -> each.onQuestion(asked.question(), answered),
                            () -> answered.accept(Optional.empty()));
        } catch (RuntimeException e) {
            // The client's mistake or the service's own: the room is given back, and other calls of the client go on.
            String why = e instanceof MalformedFrameException ? String.valueOf(e.getMessage()) : e.toString();
            server.mistakes().warn("a question of a client at " + channel.remoteAddress() + " has no answer: " + why);
            answered.accept(Optional.empty());
        }
    }

    private void onRead(RpcFrames.ReadArrived asked) {
        int bytes = asked.body().length + FRAME_BYTES;
        came(bytes);
        // Behind the requests that came before it.
        submitGathered();
        AtomicBoolean answered = new AtomicBoolean();
        service.read(new Read(asked.body(), asked.mostAgeMillis(), asked.after(), asked.leftMillis(), answer -> {
            if (!answered.getAndSet(true)) {
                ready(new Ready(
                        Optional.of(() -> RpcFrames.readAnswer(asked.copy(), answer)), answer.result().length, bytes));
            }
        }));
    }

    private void onOperate(RpcFrames.Operate asked, int bytes) {
        came(bytes);
        Consumer<Optional<String>> answered = answer -> ready(new Ready(
                Optional.of(() -> RpcFrames.operated(asked.copy(), answer)),
                answer.map(String::length).orElse(0),
                bytes));
        if (asked.question().equals(Administration.CHANGE)
                && options.key().isEmpty()
                && options.tls().isPresent()) {
            // Each client has a certificate that the members trust.
            answered.accept(Optional.of(Administration.refused("group '" + options.group()
                    + "' has no secret, by which an operator is told from a client; give its members one beside their"
                    + " certificates")));
            return;
        }
        Administration.answer(service, asked.question(), asked.argument(), answered);
    }

    /** Sends the first answer to a request, and gives the request's room back. Later answers do nothing. Any thread. */
    private final class FirstAnswer implements ReplicatedService.AnswerListener {
        private final long copy;
        private final int bytes;
        private final AtomicBoolean answered = new AtomicBoolean();

        FirstAnswer(long copy, int bytes) {
            this.copy = copy;
            this.bytes = bytes;
        }

        @Override
        public void onAnswer(Answer answer) {
            if (!answered.getAndSet(true)) {
                ready(new Ready(Optional.of(() -> RpcFrames.answer(copy, answer)), answer.reply().length, bytes));
            }
        }
    }

    /** Any thread. */
    private void ready(Ready frame) {
        ready.put(frame);
        if (ready.wake()) {
            channel.eventLoop().execute(() -> orEnd(this::writeReady));
        }
    }

    /**
     * An error ends this connection, as in a handler of the channel. Else the answers behind one that cannot be written would wait for
     * ever, and so would the other connections in a task for all of them.
     */
    private void orEnd(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    /** Answers wait here while the client does not read them. */
    private void writeReady() {
        ready.awake();
        for (Ready next = ready.poll(); next != null; next = ready.poll()) {
            if (next.frame().isPresent()) {
                waiting.add(next);
                waitingBytes += next.answerBytes();
            } else {
                done(next);
            }
        }
        while (closed || frames.isWritable()) {
            Ready next = waiting.poll();
            if (next == null) {
                break;
            }
            waitingBytes -= next.answerBytes();
            done(next);
            if (!closed) {
                frames.write(next.frame().orElseThrow().get());
            }
        }
        count();
        if (!closed) {
            frames.flush();
            countUnread(System.nanoTime());
            balance();
        }
        if (underWay == 0) {
            server.answered();
        }
    }

    private void done(Ready frame) {
        underWay--;
        bytesUnderWay -= frame.bytes();
    }

    /** Tells the server how much the client has taken, and what it leaves unread. */
    private void countUnread(long nowNanos) {
        long nowUnsent = frames.unsentBytes();
        long taken = Math.max(0, unsent + frames.writtenBytes() - written - nowUnsent);
        unsent = nowUnsent;
        written = frames.writtenBytes();
        long before = unread;
        unread = nowUnsent + waitingBytes;
        if (taken > 0 || before == 0) {
            tookNanos = nowNanos;
        }
        long rest = Math.max(0, before - taken);
        if (rest < before) {
            server.read(this, before - rest, nowNanos);
        }
        if (unread > rest) {
            // Nothing waits behind the channel: it holds one answer, and at most 2 MB before it.
            server.unread(this, unread - rest, waiting.isEmpty(), nowNanos);
        }
    }

    @Override
    public void onBatchEnd() {
        submitGathered();
        count();
        balance();
    }

    @Override
    public void onWritable(boolean nowWritable) {
        writable = nowWritable;
        if (nowWritable) {
            writeReady();
        }
        balance();
    }

    /** Bytes that have arrived and are not answered, and those of a frame that is not whole. */
    long held() {
        return counted;
    }

    /** Whether it holds bytes of a frame and waits for no answer that would free others. */
    boolean holdsPartOfAFrame() {
        return !closed && underWay == 0 && frames.pendingBytes() > 0;
    }

    private void count() {
        long held = closed ? bytesUnderWay : bytesUnderWay + frames.pendingBytes();
        server.held(held - counted);
        counted = held;
        long ended = closed ? held : 0;
        server.heldByEnded(ended - countedAsEnded);
        countedAsEnded = ended;
    }

    /**
     * Ends a connection if the greeting does not come, if the client takes nothing of its answers, or if a frame does not come,
     * or too slowly. While reading is off, no frame is waited for.
     */
    void look(long nowNanos) {
        orEnd(() -> lookAt(nowNanos));
    }

    private void lookAt(long nowNanos) {
        if (key.filter(own -> !options.key().orElseThrow().accepts(own)).isPresent()) {
            closeFor("the group has removed the secret that it began with; a new connection takes the present one");
        }
        if (!closed && !greeted && nowNanos - openedNanos > GREETING_NANOS) {
            TlsHandshakes.giveUp(channel);
        }
        if (!closed && (unread > 0 || frames.unsentBytes() > 0)) {
            countUnread(nowNanos);
            if (unread > 0 && nowNanos - tookNanos > options.limits().readTime().toNanos()) {
                abort("it took nothing of " + unread + " bytes for "
                        + options.limits().readTime().toSeconds() + " s");
            }
        }
        if (closed || !greeted || !reading || frames.pendingBytes() == 0 || waitedFor != frames.frames()) {
            waitedFor = frames.frames();
            waitedSinceNanos = nowNanos;
            return;
        }
        if (nowNanos - waitedSinceNanos > options.limits().nanosFor(frames.pendingLength())) {
            closeFor("a frame of " + frames.pendingLength() + " bytes does not come, or too slowly");
        }
    }

    /**
     * Ends the connection because of the resources that it takes. Before the greeting no frame is expected, and over TLS no
     * byte in the clear: a client would take either for the mistake of a user, and not try again.
     */
    void closeFor(String why) {
        if (closed) {
            return;
        }
        if (greeted) {
            frames.write(RpcFrames.refused(false, why));
            end();
        } else {
            closed = true;
            frames.abort();
        }
    }

    /** Ends the connection because of what the client leaves unread: an answer would not reach it. */
    void abort(String why) {
        server.mistakes().warn("the connection of a client at " + channel.remoteAddress() + " ends: " + why);
        closed = true;
        frames.abort();
    }

    /** Reads from the client while there is room, and begins again at half. */
    void balance() {
        int share = reading ? 1 : 2;
        // A greeting is short, and comes in time or never.
        boolean room = !greeted
                || (writable
                        && underWay < MOST_REQUESTS / share
                        && bytesUnderWay < MOST_BYTES / share
                        && server.mayRead(counted));
        if (room != reading && !closed) {
            reading = room;
            frames.read(room);
        }
    }

    @Override
    public void onMalformed(String why) {
        server.mistakes().warn("the connection of a client at " + channel.remoteAddress() + " ends: " + why);
        if (!greeted) {
            frames.begin();
        }
        frames.write(RpcFrames.refused(true, why));
        end();
    }

    private void end() {
        closed = true;
        frames.close();
    }

    @Override
    public void onClosed() {
        submitGathered();
        closed = true;
        writeReady();
        server.gone(this);
    }
}
