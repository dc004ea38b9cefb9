package org.amo.replication.order.dpg;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgEndpoint;
import org.amo.dpg.udp.DpgEndpointOptions;
import org.amo.dpg.udp.DpgMetrics;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.dpg.udp.DpgReceiver;
import org.amo.dpg.udp.DpgSequencer;
import org.amo.replication.order.dpg.Fragments.Kind;
import org.amo.replication.order.dpg.Fragments.Parcel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ordered log over DPG (Konorski): {@link OrderedLog.Guarantee#QUASI_TOTAL}. In rare scenarios, members deliver in
 * different orders, and an answered entry may be lost. So a replica takes it only for operations that are declared
 * commutative. {@link #violations} counts the violations seen while it runs. In return, no member waits for another one
 * that leaves or joins.
 *
 * <p>Members meet at UDP ports with the numbers of their order ports; the first two of them also number tags, at UDP ports with the
 * numbers of their client ports.
 *
 * <p><b>Memory.</b> Every member keeps every entry for ever, for a member that starts or was absent; if all members stop,
 * all entries are lost. A member that starts or was absent sets a mark in the order and gets the entries that it lacks up
 * to there. If its own earlier deliveries differ from those of the others, it ends.
 */
public final class DpgLog implements OrderedLog {
    private static final Logger LOG = LoggerFactory.getLogger(DpgLog.class);
    private static final int SEQUENCERS = 2;
    private static final int MAX_WAITING = 8_192;
    private static final Duration PATIENCE = Duration.ofMillis(200);
    private static final long TICK_MILLIS = 100;
    private static final long ALIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long GONE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_000);
    private static final long MARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long NOBODY_NANOS = TimeUnit.MILLISECONDS.toNanos(4_000);
    /** Must exceed a garbage-collection pause: an absent member must fetch its history. */
    private static final long ABSENCE_MICROS = 2_000_000;

    private static final long GIVE_UP_MICROS = 10_000_000;
    /** Of unfinished parcels that are no entries. A donor's heap holds a history four times while it writes it. */
    private static final long MOST_BYTES_OF_WORDS =
            Math.max(Fragments.MOST_ENTRY_BYTES, Runtime.getRuntime().maxMemory() / 4);

    private static final Duration PDU_PATIENCE = Duration.ofMillis(100);

    private final ReplicaSettings settings;
    private final SecureRandom random = new SecureRandom();
    private final long life = random.nextLong();
    private final AtomicLong parcelsSent = new AtomicLong();
    private final BlockingQueue<Parcel> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread sender;
    private final Thread ticker;

    private volatile Optional<LogListener> listener = Optional.empty();
    private volatile Optional<DpgEndpoint> endpoint = Optional.empty();
    private volatile Optional<DpgSequencer> sequencer = Optional.empty();
    private volatile boolean stopped;
    private volatile boolean complete;
    private final AtomicLong dummies = new AtomicLong();

    // The endpoint's thread only.
    private Fragments entries = new Fragments();
    private final Fragments words;
    private final List<byte[]> history = new ArrayList<>();
    private volatile boolean everComplete;
    private final SinceSegment sinceSegment = new SinceSegment();

    // Under this object's lock.
    private final Map<String, Alive> heard = new HashMap<>();
    private long incompleteSinceNanos;
    private String leader = "";
    /** The next mark to set, each being another one; 0 if none is to be set. */
    private long mark;

    /** Begins anywhere: a mark of an earlier life of this member must not be taken for one of this life. */
    private long lastMark;

    private long markedNanos;

    private record Alive(State state, long heardNanos) {}

    /** How much of the log a member has. */
    private enum State {
        /** Nothing: it has just begun. */
        NEW(0),
        /** It lacks nothing. */
        COMPLETE(1),
        /** It was absent, and the entries that it missed are on their way to it. */
        BEHIND(2);

        private final byte code;

        State(int code) {
            this.code = (byte) code;
        }
    }

    /** @param settings of which {@code order} and {@code log} say nothing here */
    public DpgLog(ReplicaSettings settings) {
        this.settings = settings;
        this.words = new Fragments(settings.id(), MOST_BYTES_OF_WORDS);
        this.lastMark = random.nextLong() >>> 2;
        this.sender = thread("send", this::sendAll);
        this.ticker = thread("tick", this::tickUntilStopped);
    }

    private Thread thread(String what, Runnable task) {
        return DaemonThreads.unstarted("amo-dpg-" + what + "-" + settings.id(), task);
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.QUASI_TOTAL;
    }

    @Override
    public void start(LogListener deliverTo) {
        LOG.warn(
                "the ordered log over DPG is weaker than 'raft': members may differ in their order, and answered requests"
                        + " may be lost");
        if (settings.tls().isPresent() && settings.secret().isEmpty()) {
            throw new OrderedLogException(
                    Fault.USER, "DPG's datagrams are sealed with the group's secret, not with TLS; give a secret file");
        }
        settings.secrets()
                .ifPresent(ring ->
                        ring.fix("DPG's datagrams are sealed with it; exchange it while all members are stopped"));
        listener = Optional.of(deliverTo);
        try {
            List<Member> numbering = settings.members()
                    .subList(0, Math.min(SEQUENCERS, settings.members().size()));
            String secret = settings.secret().orElse("amo insecure group ") + settings.group();
            int index = numbering.indexOf(settings.self());
            if (index >= 0) {
                sequencer = Optional.of(DpgSequencer.open(DpgSequencer.Options.builder(index, secret)
                        .listen(address(settings.self(), settings.self().clientPort()))
                        .build()));
            }
            DpgNodeOptions node = DpgNodeOptions.builder(secret)
                    .core(DpgNodeOptions.coreFor(settings.members().size())
                            .deliveryMicros(ABSENCE_MICROS / 5, GIVE_UP_MICROS)
                            .absence(ABSENCE_MICROS, 4)
                            .build())
                    .patience(PDU_PATIENCE)
                    .sequencers(numbering.size())
                    .build();
            List<InetSocketAddress> sequencers = numbering.stream()
                    .map(member -> address(member, member.clientPort()))
                    .toList();
            List<InetSocketAddress> peers = settings.members().stream()
                    .filter(member -> !member.equals(settings.self()))
                    .map(member -> address(member, member.orderPort()))
                    .toList();
            endpoint = Optional.of(DpgEndpoint.open(
                    DpgEndpointOptions.builder(node, sequencers)
                            .listen(address(settings.self(), settings.self().orderPort()))
                            .peers(peers)
                            .build(),
                    new Incoming()));
        } catch (IOException e) {
            close();
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "member " + settings.id() + ": " + e.getMessage()
                            + "; stop the program that uses the port or give the member another one in --members",
                    e);
        }
        sender.start();
        ticker.start();
    }

    private static InetSocketAddress address(Member member, int port) {
        return new InetSocketAddress(member.host(), port);
    }

    @Override
    public void submit(long submission, byte[] entry) {
        if (entry.length > MAX_ENTRY_BYTES) {
            throw new FrameLimitException("an entry", entry.length, MAX_ENTRY_BYTES);
        }
        if (stopped || !waiting.offer(new Parcel(Kind.ENTRY, settings.id(), "", entry.clone()))) {
            listener.ifPresent(told -> told.onRejected(submission));
        }
    }

    @Override
    public void send(String member, byte[] message) {
        byte[] copy = message.clone();
        if (member.equals(settings.id())) {
            listener.ifPresent(told -> told.onMessage(member, copy));
        } else {
            offer(new Parcel(Kind.WORD, settings.id(), member, copy));
        }
    }

    /**
     * Order violations that this member has seen since it started: digests of other members' deliveries that differed from
     * its own, and entries that had to be given up.
     *
     * @throws OrderedLogException when the log has ended
     */
    public long violations() {
        return figures().violations() + dummies.get();
    }

    /**
     * Figures of the site under it.
     *
     * @throws OrderedLogException when the log has ended
     */
    public DpgMetrics figures() {
        try {
            return endpoint.orElseThrow(() -> new IllegalStateException("the log was not started"))
                    .figures()
                    .get(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OrderedLogException(Fault.ENVIRONMENT, "interrupted while figures were read; ask again", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "the log of member " + settings.id() + " gives no figures; it has ended", e);
        }
    }

    @Override
    public void close() {
        stopped = true;
        sender.interrupt();
        ticker.interrupt();
        endpoint.ifPresent(DpgEndpoint::close);
        sequencer.ifPresent(DpgSequencer::close);
    }

    private void sendAll() {
        try {
            while (!stopped) {
                Parcel parcel = waiting.take();
                for (byte[] piece : Fragments.pieces(parcel, life, parcelsSent.incrementAndGet())) {
                    while (!stopped && !endpoint.orElseThrow().send(piece, PATIENCE)) {
                        // The others do not keep up, or this member listens for its place.
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tickUntilStopped() {
        try {
            long aliveAt = System.nanoTime();
            while (!stopped) {
                long now = System.nanoTime();
                if (now - aliveAt >= 0) {
                    aliveAt = now + ALIVE_NANOS;
                    State state = complete ? State.COMPLETE : everComplete ? State.BEHIND : State.NEW;
                    sendNow(new Parcel(Kind.ALIVE, settings.id(), "", new byte[] {state.code}));
                }
                remark(now);
                lookForLeader(now);
                TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void offer(Parcel parcel) {
        if (parcel.content().length > Fragments.MOST_BYTES) {
            LOG.error(
                    "member {} cannot send a parcel of {} bytes ({}) to {}; at most {} are possible",
                    settings.id(),
                    parcel.content().length,
                    parcel.kind(),
                    parcel.to(),
                    Fragments.MOST_BYTES);
        } else if (!waiting.offer(parcel)) {
            LOG.debug("no room for {} to {}", parcel.kind(), parcel.to());
        }
    }

    /** Sends ahead of the waiting parcels: others wait for this one, or take this member for gone. */
    private void sendNow(Parcel parcel) throws InterruptedException {
        for (byte[] piece : Fragments.pieces(parcel, life, parcelsSent.incrementAndGet())) {
            endpoint.orElseThrow().send(piece, PATIENCE);
        }
    }

    /** Sets an unanswered mark again, as a new mark. */
    private void remark(long now) throws InterruptedException {
        long set;
        synchronized (this) {
            if (mark == 0 || now - markedNanos < 0) {
                return;
            }
            markedNanos = now + MARK_NANOS;
            set = mark;
            mark = ++lastMark;
        }
        sendNow(new Parcel(
                Kind.MARK,
                settings.id(),
                "",
                ByteBuffer.allocate(8).putLong(set).array()));
    }

    /** There is none in DPG: the first of the members that were heard lately and lack nothing. */
    private void lookForLeader(long now) {
        String found;
        synchronized (this) {
            heard.values().removeIf(alive -> now - alive.heardNanos > GONE_NANOS);
            found = complete ? first(State.COMPLETE, "") : "";
            if (found.equals(leader)) {
                return;
            }
            leader = found;
        }
        listener.ifPresent(told -> told.onLeader(found));
    }

    /** Under the lock: the first member in this state but one; empty if there is none. */
    private String first(State state, String but) {
        return heard.entrySet().stream()
                .filter(each -> each.getValue().state == state && !each.getKey().equals(but))
                .map(Map.Entry::getKey)
                .sorted()
                .findFirst()
                .orElse("");
    }

    private synchronized boolean answersMarks(String asker) {
        return first(State.COMPLETE, asker).equals(settings.id());
    }

    /**
     * Whether no member can answer a mark, so that this one must go on with its own log: all were absent at one time, or all
     * have just started. The first of the members that were complete goes on; if there is none, the first new one.
     */
    private synchronized boolean goesOnAlone() {
        boolean nobody = first(State.COMPLETE, "").isEmpty() && System.nanoTime() - incompleteSinceNanos > NOBODY_NANOS;
        String behind = first(State.BEHIND, "");
        return nobody && (behind.isEmpty() ? first(State.NEW, "") : behind).equals(settings.id());
    }

    /** All calls come in the endpoint's thread. */
    private final class Incoming implements DpgReceiver {
        @Override
        public void onSegment(Tag after) {
            if (after.equals(Tag.ROOT) && !everComplete) {
                begin();
                return;
            }
            // Entries may have passed, and pieces of entries that are still to come.
            complete = false;
            sinceSegment.clear();
            synchronized (DpgLog.this) {
                mark = ++lastMark;
                markedNanos = System.nanoTime();
                incompleteSinceNanos = System.nanoTime();
            }
        }

        private void begin() {
            everComplete = true;
            complete = true;
            synchronized (DpgLog.this) {
                heard.put(settings.id(), new Alive(State.COMPLETE, System.nanoTime()));
            }
        }

        /** Goes on with these pieces: the awaited history has come, or never will. */
        private void resume(List<byte[]> pieces) {
            pieces.forEach(this::onPieceOfEntry);
            sinceSegment.clear();
            begin();
        }

        @Override
        public void onDummy(Tag tag) {
            dummies.incrementAndGet();
            LOG.warn("member {}: an entry, or a piece of one, was given up: no present member has it", settings.id());
        }

        @Override
        public void onMessage(Tag tag, byte[] body, boolean own) {
            if (stopped) {
                return;
            }
            try {
                if (!Fragments.isOfEntry(body)) {
                    words.onPiece(body).ifPresent(this::onParcel);
                } else if (complete) {
                    onPieceOfEntry(body);
                } else {
                    sinceSegment.add(body);
                }
            } catch (MalformedFrameException e) {
                LOG.warn("a message of a member was dropped: {}", e.getMessage());
            }
        }

        private void onParcel(Parcel parcel) {
            switch (parcel.kind()) {
                case ENTRY -> throw new IllegalStateException("entries are taken elsewhere");
                case WORD -> {
                    if (parcel.to().equals(settings.id())) {
                        listener.ifPresent(told -> told.onMessage(parcel.from(), parcel.content()));
                    }
                }
                case ALIVE -> onAlive(parcel);
                case MARK -> onMark(parcel);
                case HISTORY -> {
                    if (parcel.to().equals(settings.id())) {
                        onHistory(parcel.content());
                    }
                }
            }
        }

        /** A malformed piece is dropped, as at every member. */
        private void onPieceOfEntry(byte[] piece) {
            try {
                entries.onPiece(piece).ifPresent(parcel -> append(parcel.content()));
            } catch (MalformedFrameException e) {
                LOG.warn("a message of a member was dropped: {}", e.getMessage());
            }
        }

        private void append(byte[] entry) {
            history.add(entry);
            listener.ifPresent(told -> told.onDelivered(history.size(), entry.clone()));
        }

        private void onAlive(Parcel parcel) {
            byte[] content = parcel.content();
            for (State state : State.values()) {
                if (content.length == 1 && content[0] == state.code) {
                    synchronized (DpgLog.this) {
                        heard.put(parcel.from(), new Alive(state, System.nanoTime()));
                    }
                }
            }
            if (!complete && goesOnAlone()) {
                LOG.warn(
                        "member {} continues with the entries that it has: no present member has more; entries may be missing",
                        settings.id());
                synchronized (DpgLog.this) {
                    mark = 0;
                }
                resume(sinceSegment.all());
            }
        }

        private void onMark(Parcel parcel) {
            long set = new WireReader("mark", parcel.content()).i64("mark");
            if (parcel.from().equals(settings.id())) {
                if (!complete) {
                    sinceSegment.onMark(set);
                }
            } else if (complete && answersMarks(parcel.from())) {
                byte[] content = new DpgHistory(set, history, entries).encode();
                offer(new Parcel(Kind.HISTORY, settings.id(), parcel.from(), content));
            }
        }

        private void onHistory(byte[] content) {
            DpgHistory told = DpgHistory.decode(content);
            if (complete || !sinceSegment.has(told.mark())) {
                return;
            }
            synchronized (DpgLog.this) {
                mark = 0;
            }
            List<byte[]> theirs = told.entries();
            for (int i = 0; i < history.size(); i++) {
                if (i >= theirs.size() || !Arrays.equals(history.get(i), theirs.get(i))) {
                    end(i + 1);
                    return;
                }
            }
            theirs.subList(history.size(), theirs.size()).forEach(this::append);
            entries = told.unfinished();
            resume(sinceSegment.behind(told.mark()));
        }

        private void end(int position) {
            stopped = true;
            OrderedLogException why = new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "member " + settings.id() + " delivered another entry at position " + position
                            + " than the others did (DPG may violate the order); start it again, so that it takes theirs");
            LOG.error("{}", why.getMessage());
            listener.ifPresent(told -> told.onEnded(why));
        }
    }
}
