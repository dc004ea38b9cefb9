package org.amo.replication.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.Attempt;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;

/**
 * A client's connection to one member, for any number of attempts at a time. The transport's thread owns it and makes all
 * calls of its listener.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed operation ends the channel, which is reported
public final class RpcConnection {
    private static final int CONNECT_MILLIS = 1_000;
    private static final long GREETING_MILLIS = 2_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final RpcPeer peer;
    private final Listener listener;
    private final byte[] salt = new byte[RpcFrames.SALT_BYTES];
    private Optional<FrameChannel> frames = Optional.empty();
    private final Map<Long, Consumer<Optional<byte[]>>> asked = new HashMap<>();
    private final Map<Long, Consumer<Optional<ReadAnswer>>> reads = new HashMap<>();
    private long lastAsked;
    private Optional<RpcRefusal> refusal = Optional.empty();
    private Optional<SilenceWatch> silence = Optional.empty();

    /** Ends a connection whose greeting does not come. */
    private Optional<Future<?>> greeting = Optional.empty();

    /** Of this connection, from its greeting to its end. */
    private Optional<GroupKey> key = Optional.empty();

    private boolean greeted;
    private boolean connected;
    private boolean closed;

    /** Hears the events of a connection. */
    public interface Listener {
        /** Attempts can be sent; timestamps up to {@code upperMillis} are refused. */
        void onConnected(long upperMillis);

        /** The answer to an attempt. */
        void onAnswer(long copy, Answer answer);

        /** That member leads, says this one; the empty string when it knows of none. */
        default void onLeader(String member) {}

        /** The member will soon stop. It answers what it has been asked. */
        default void onDraining() {}

        /** All answers that were there have been told. */
        default void onBatchEnd() {}

        /** There is no connection, or none any more: the last that is heard of it. */
        void onDisconnected(RpcRefusal why);
    }

    private RpcConnection(RpcPeer peer, Listener listener) {
        this.peer = peer;
        this.listener = listener;
        RANDOM.nextBytes(salt);
    }

    /** Begins to connect; the listener hears the outcome within about four seconds. */
    public static RpcConnection open(RpcTransport transport, RpcPeer peer, Listener listener) {
        RpcConnection connection = new RpcConnection(peer, listener);
        transport
                .client(CONNECT_MILLIS)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        transport.opened(channel);
                        peer.tls().ifPresent(tls -> TlsHandlers.client(channel, tls, peer));
                        channel.pipeline().addLast(connection.begin(channel));
                    }
                })
                .connect(peer.host(), peer.port())
                .addListener((ChannelFutureListener) connected -> {
                    if (connected.isSuccess()) {
                        connection.greet(connected.channel());
                    } else {
                        connection.end(new RpcRefusal(
                                RpcRefusal.Kind.UNREACHABLE,
                                false,
                                peer + ": " + connected.cause().getMessage()));
                    }
                });
        return connection;
    }

    /** Leaves with the next {@link #flush}. */
    public void send(ClientId client, Attempt copy) {
        write(RpcFrames.request(client, copy));
    }

    /** The same for an attempt of a nested call, with the groups that wait for its reply. */
    public void send(ClientId client, Attempt copy, CallPath path) {
        if (path.isEmpty()) {
            send(client, copy);
        } else {
            // Both are made before one is written: a path alone would become that of another request. Its answer tells
            // nothing.
            byte[] told = RpcFrames.path(++lastAsked, path);
            byte[] request = RpcFrames.request(client, copy);
            write(told);
            write(request);
        }
    }

    /** Leaves with the next {@link #flush}. */
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        write(RpcFrames.finished(client, finished));
    }

    private void write(byte[] frame) {
        orAbort(() -> frames.orElseThrow().write(frame));
    }

    /** Behind a frame that was not written whole, the member would understand none. */
    private void orAbort(Runnable writing) {
        try {
            writing.run();
        } catch (RuntimeException | Error e) {
            abort("a frame could not be written: " + e);
            throw e;
        }
    }

    /**
     * Asks the member alone: see {@link RpcQuestions}. Leaves with the next {@link #flush}.
     *
     * @param question at most {@link RpcQuestions#MAX_BYTES} bytes
     * @param answer told once: empty if the member has no answer, or the connection ends before it came
     */
    public void ask(byte[] question, Consumer<Optional<byte[]>> answer) {
        ask(copy -> RpcFrames.ask(copy, question), answer);
    }

    /**
     * Asks the member a question of {@link org.amo.core.replica.Administration}. Leaves with the next {@link #flush}.
     *
     * @param answer told once, in UTF-8: empty if the member has no answer, or the connection ends before it came
     */
    public void operate(String question, String argument, Consumer<Optional<byte[]>> answer) {
        ask(copy -> RpcFrames.operate(copy, question, argument), answer);
    }

    /**
     * Asks whether the member takes reads. Leaves with the next {@link #flush}.
     *
     * @param answer told once; false, too, if the connection ends before it came
     */
    public void takesReads(Consumer<Boolean> answer) {
        ask(
                RpcFrames.takesReads(),
                told -> answer.accept(told.filter(bytes -> bytes.length > 0).isPresent()));
    }

    /**
     * Reads at a member that takes reads; its listener is not used. Leaves with the next {@link #flush}.
     *
     * @param answer told once: empty if the connection ends before it came
     */
    public void read(Read read, Consumer<Optional<ReadAnswer>> answer) {
        if (closed || !connected) {
            answer.accept(Optional.empty());
            return;
        }
        byte[] frame = RpcFrames.read(++lastAsked, read);
        reads.put(lastAsked, answer);
        write(frame);
    }

    private void ask(LongFunction<byte[]> written, Consumer<Optional<byte[]>> answer) {
        if (closed || !connected) {
            answer.accept(Optional.empty());
            return;
        }
        byte[] frame = written.apply(++lastAsked);
        asked.put(lastAsked, answer);
        write(frame);
    }

    /** Sends the written frames. If the member takes no byte of them for 10 s and says nothing, the connection ends. */
    public void flush() {
        orAbort(() -> frames.ifPresent(FrameChannel::flush));
        if (!closed) {
            silence.ifPresent(SilenceWatch::onFlushed);
        }
    }

    /** Bytes that the member has not taken, of written frames and with the transport's own for each. */
    public long unsentBytes() {
        return frames.map(FrameChannel::unsentBytes).orElse(0L);
    }

    /** Ends the connection at once, without the frames that the member has not taken. The listener hears of it later. */
    public void abort(String why) {
        if (refusal.isEmpty()) {
            refusal = Optional.of(new RpcRefusal(RpcRefusal.Kind.BROKEN, false, peer + ": " + why));
        }
        frames.ifPresent(FrameChannel::abort);
    }

    /** Sends the written frames and ends the connection. */
    public void close() {
        frames.ifPresent(FrameChannel::close);
    }

    private FrameChannel begin(Channel channel) {
        FrameChannel made = new FrameChannel(channel, new Receiver(), peer.tls().isPresent());
        frames = Optional.of(made);
        silence = Optional.of(new SilenceWatch(
                made,
                channel.eventLoop(),
                () -> abort("it took nothing of " + made.unsentBytes() + " bytes for " + SilenceWatch.SECONDS + " s")));
        return made;
    }

    private void greet(Channel channel) {
        FrameChannel to = frames.orElseThrow();
        to.begin();
        key = peer.key().map(RpcKey::first);
        to.write(RpcFrames.hello(new RpcFrames.Hello(
                peer.group(), salt, key.map(own -> own.helloProof(salt)).orElse(new byte[0]))));
        to.flush();
        greeting = Optional.of(channel.eventLoop()
                .schedule(
                        () -> {
                            refusal = Optional.of(
                                    new RpcRefusal(RpcRefusal.Kind.SILENT, false, peer + " does not answer"));
                            to.close();
                        },
                        GREETING_MILLIS,
                        TimeUnit.MILLISECONDS));
    }

    private void greetingIsOver() {
        greeting.ifPresent(each -> each.cancel(false));
        greeting = Optional.empty();
    }

    private void end(RpcRefusal why) {
        if (!closed) {
            closed = true;
            greetingIsOver();
            silence.ifPresent(SilenceWatch::end);
            List<Consumer<Optional<byte[]>>> unanswered = List.copyOf(asked.values());
            asked.clear();
            unanswered.forEach(each -> each.accept(Optional.empty()));
            List<Consumer<Optional<ReadAnswer>>> unread = List.copyOf(reads.values());
            reads.clear();
            unread.forEach(each -> each.accept(Optional.empty()));
            listener.onDisconnected(why);
        }
    }

    private final class Receiver implements FrameChannel.Receiver {
        @Override
        public void onFrame(byte[] frame) {
            switch (RpcFrames.kind(frame)) {
                case RpcFrames.WELCOME -> onWelcome(RpcFrames.readWelcome(frame));
                case RpcFrames.REFUSED -> {
                    RpcRefusal told = RpcFrames.readRefused(frame);
                    refusal = Optional.of(new RpcRefusal(told.kind(), told.lasting() && !greeted, told.why()));
                }
                case RpcFrames.ANSWER -> {
                    needsGreeting();
                    RpcFrames.Answered answered = RpcFrames.readAnswer(frame);
                    listener.onAnswer(answered.copy(), answered.answer());
                }
                case RpcFrames.TOLD -> {
                    needsGreeting();
                    RpcFrames.Told told = RpcFrames.readTold(frame);
                    Optional.ofNullable(asked.remove(told.copy())).ifPresent(each -> each.accept(told.answer()));
                }
                case RpcFrames.OPERATED -> {
                    needsGreeting();
                    RpcFrames.Operated told = RpcFrames.readOperated(frame);
                    Optional.ofNullable(asked.remove(told.copy()))
                            .ifPresent(each -> each.accept(told.answer().map(text -> text.getBytes(UTF_8))));
                }
                case RpcFrames.READ_ANSWER -> {
                    needsGreeting();
                    RpcFrames.ReadAnswered told = RpcFrames.readReadAnswer(frame);
                    Optional.ofNullable(reads.remove(told.copy()))
                            .ifPresent(each -> each.accept(Optional.of(told.answer())));
                }
                case RpcFrames.STATE -> {
                    needsGreeting();
                    onState(RpcFrames.readState(frame));
                }
                case RpcFrames.DRAINING -> {
                    needsGreeting();
                    listener.onDraining();
                }
                default ->
                    throw new MalformedFrameException(
                            "frame: kind " + RpcFrames.kind(frame) + " is none of a member's");
            }
        }

        private void onWelcome(RpcFrames.Welcome welcome) {
            if (greeted) {
                throw new MalformedFrameException("frame: a second welcome");
            }
            boolean proved = key.map(own -> GroupKey.same(own.welcomeProof(salt, welcome.salt()), welcome.proof()))
                    .orElse(welcome.proof().length == 0);
            if (!proved) {
                throw new MalformedFrameException("welcome: it does not prove the secret of group '" + peer.group()
                        + "'; give client and members the same secret file");
            }
            frames.orElseThrow()
                    .established(
                            key.map(own -> own.serverToClient(salt, welcome.salt(), false)),
                            key.map(own -> own.clientToServer(salt, welcome.salt(), true)));
            greeted = true;
        }

        /** The first one ends the greeting: a client should know the bound before it stamps its first request. */
        private void onState(RpcFrames.State state) {
            if (!connected) {
                connected = true;
                greetingIsOver();
                listener.onConnected(state.upperMillis());
            }
            listener.onLeader(state.leader());
        }

        private void needsGreeting() {
            if (!greeted) {
                throw new MalformedFrameException("frame: no welcome came before it");
            }
        }

        @Override
        public void onBatchEnd() {
            listener.onBatchEnd();
        }

        @Override
        public void onWritable(boolean writable) {
            // A client bounds what it writes by unsentBytes, and the silence is watched.
        }

        @Override
        public void onMalformed(String why) {
            refusal = Optional.of(new RpcRefusal(RpcRefusal.Kind.BROKEN, !greeted, peer + ": " + why));
            frames.orElseThrow().close();
        }

        @Override
        public void onClosed() {
            end(refusal.orElseGet(
                    () -> new RpcRefusal(RpcRefusal.Kind.BROKEN, false, peer + " closed the connection")));
        }
    }
}
