package org.amo.replication.order.dpg;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.amo.base.DaemonThreads;
import org.amo.base.Experimental;
import org.amo.core.door.SharedRoom;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgMetrics;
import org.amo.dpg.udp.DpgNode;
import org.amo.dpg.udp.DpgNodeEffects;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.dpg.udp.DpgReceiver;
import org.amo.dpg.udp.SequencerNode;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ByteArray;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DPG as a JGroups protocol (Konorski): except in rare scenarios, multicasts of the application are delivered in one order
 * at all present members. It stands right above the transport, in the place of NAKACK2, UNICAST3, STABLE, GMS, failure
 * detection and MERGE3: there is no view but each member's own, and no member waits for one that leaves. FRAG4 may stand
 * above it. The transport must multicast without knowing the members: {@code UDP} or {@code SHARED_LOOPBACK}, not TCP.
 *
 * <p>JGroups does not give the 1C service that the paper needs: its threads reorder incoming messages. So tags are numbered
 * (paper, section 3.3) by one of the members that {@link #sequencer} names; the others of them stand by. Messages with the
 * flag {@code OOB} or {@code NO_TOTAL_ORDER}, or to one member, pass unordered and unreliable.
 *
 * <p>One thread owns the protocol and delivers; a receiver that waits makes this member absent, and datagrams beyond 4,096 or
 * 16 MB (less in a heap under 256 MB) are dropped meanwhile, as by a network. A sender waits while too much is on its way.
 * Members find out about absences by {@link Events}, if they say that they want to know.
 */
@Experimental
public final class DpgProtocol extends Protocol {
    private static final Logger LOG = LoggerFactory.getLogger(DpgProtocol.class);
    private static final short PROTOCOL_ID = 3111;
    private static final int WAITING = 256;
    private static final int NO_SEQUENCER = -1;
    private static final int MOST_DATAGRAMS = 4_096;
    private static final long MOST_DATAGRAM_BYTES =
            Math.min(16L << 20, Runtime.getRuntime().maxMemory() / 16);

    static {
        ClassConfigurator.addProtocol(PROTOCOL_ID, DpgProtocol.class);
        DpgHeader.register();
    }

    private final DpgNodeOptions options;
    private final Events events;
    private final LinkedBlockingQueue<Runnable> inputs = new LinkedBlockingQueue<>();
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private final Semaphore room = new Semaphore(WAITING);
    private final SharedRoom datagrams = new SharedRoom(MOST_DATAGRAMS, MOST_DATAGRAM_BYTES);
    private final AtomicLong dropped = new AtomicLong();
    private final Map<Object, CompletableFuture<?>> questions = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final long startNanos = System.nanoTime();

    private int sequencerIndex = NO_SEQUENCER;
    private volatile @Nullable Thread thread;
    // Set before the open questions are failed, and read after one was added: none is left behind.
    private volatile boolean ended;
    private @Nullable DpgNode node;
    private @Nullable SequencerNode<String> sequencer;

    /** Events for which the stack above has no message. Called in the delivering thread. */
    @Experimental
    public interface Events {
        /** Wants to know nothing. */
        Events NONE = new Events() {};

        /** A message that no present member has stands here. */
        default void onDummy(Tag tag) {}

        /** The next deliveries continue after this message; the messages in between were missed. */
        default void onSegment(Tag after) {}

        /** A message of this member that was sent before an absence. */
        default void onUndetermined(Message message) {}
    }

    /** @param options the same at all members */
    public DpgProtocol(DpgNodeOptions options, Events events) {
        this.options = options;
        this.events = events;
    }

    /**
     * This member numbers tags, or stands by to.
     *
     * @param index 0 for the one that is asked first; each its own, below the number of sequencers in the options
     */
    public DpgProtocol sequencer(int index) {
        if (index < 0 || index >= options.sequencers()) {
            throw new IllegalArgumentException("a sequencer's index is 0 to " + (options.sequencers() - 1)
                    + " by the options: " + index + "; give more sequencers there, or another index");
        }
        sequencerIndex = index;
        return this;
    }

    @Override
    public void start() throws Exception {
        super.start();
        if (sequencerIndex != NO_SEQUENCER) {
            sequencer = new SequencerNode<>(options, sequencerIndex, System.currentTimeMillis(), random::nextLong);
        }
        node = new DpgNode(options, new Deliveries(), new Outgoing(), random::nextLong, micros());
        Thread owner = DaemonThreads.unstarted("amo-dpg-" + getAddress(), this::run);
        ended = false;
        thread = owner;
        owner.start();
    }

    @Override
    public void stop() {
        Thread owner = thread;
        thread = null;
        if (owner != null) {
            inputs.add(() -> {});
            room.release(); // the sender that takes it gives it back to the next one
            if (owner != Thread.currentThread()) {
                DaemonThreads.join(owner, TimeUnit.SECONDS.toMillis(5));
            }
        }
        super.stop();
    }

    /** Figures, read in the owning thread. The future fails if the protocol is stopped. */
    public CompletableFuture<DpgMetrics> figures() {
        return asked(DpgNode::figures);
    }

    /** Datagrams that were dropped since they came faster than the receiver of the messages took them. */
    public long droppedDatagrams() {
        return dropped.get();
    }

    /**
     * Whether the member has a place in the common sequence, asked in the owning thread. The future fails if the protocol is
     * stopped.
     */
    public CompletableFuture<Boolean> anchored() {
        return asked(DpgNode::isAnchored);
    }

    private <T> CompletableFuture<T> asked(Function<DpgNode, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Object key = new Object();
        questions.put(key, answer);
        inputs.add(() -> {
            answer.complete(question.apply(core()));
            questions.remove(key);
        });
        if (ended) {
            failQuestions();
        }
        return answer;
    }

    private void failQuestions() {
        questions.values().removeIf(each -> {
            each.completeExceptionally(new IllegalStateException("DPG is stopped"));
            return true;
        });
    }

    /** @throws IllegalArgumentException in one line, if the message is too long */
    @Override
    public @Nullable Object down(Message message) {
        boolean ordered = message.getDest() == null
                && !message.isFlagSet(Message.Flag.OOB)
                && !message.isFlagSet(Message.Flag.NO_TOTAL_ORDER);
        if (!ordered) {
            return down_prot.down(message);
        }
        if (message.getSrc() == null) {
            message.setSrc(getAddress());
        }
        byte[] body = bytes(message);
        if (body.length > options.maxMessageBytes()) {
            throw new IllegalArgumentException(
                    "a message of " + body.length + " bytes with its headers is too long: at most "
                            + options.maxMessageBytes() + " here; put FRAG4 with a smaller frag_size above DPG");
        }
        boolean own = Thread.currentThread() == thread;
        if (!own) {
            try {
                room.acquire();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a message waited to be sent; it was not", e);
            }
        }
        if (thread == null) {
            room.release(); // for the next sender that waits: it learns of the end
            throw new IllegalStateException("the channel is closed; the message was not sent");
        }
        // A message that the delivering thread itself sends does not wait, and is not counted.
        inputs.add(() -> take(body, !own));
        return null;
    }

    private static byte[] bytes(Message message) {
        try {
            ByteArray buffer = Util.messageToBuffer(message);
            byte[] bytes = new byte[buffer.getLength()];
            System.arraycopy(buffer.getArray(), buffer.getOffset(), bytes, 0, bytes.length);
            return bytes;
        } catch (Exception e) {
            throw new IllegalArgumentException("a message cannot be written: " + e, e);
        }
    }

    private void take(byte[] body, boolean counted) {
        if (counted) {
            waiting.add(body);
        } else if (!core().submit(body, micros())) {
            LOG.warn(
                    "a message that was sent while one was delivered found no room and is lost; send from another thread");
        }
    }

    @Override
    public @Nullable Object up(Message message) {
        if (message.getHeader(getId()) == null) {
            return up_prot.up(message);
        }
        hear(message);
        return null;
    }

    @Override
    public void up(MessageBatch batch) {
        for (var messages = batch.iterator(); messages.hasNext(); ) {
            Message message = messages.next();
            if (message.getHeader(getId()) != null) {
                messages.remove();
                hear(message);
            }
        }
        if (!batch.isEmpty()) {
            up_prot.up(batch);
        }
    }

    private void hear(Message message) {
        int length = message.getLength();
        if (!datagrams.enter(length)) {
            dropped.incrementAndGet();
            return;
        }
        byte[] datagram = new byte[length];
        System.arraycopy(message.getArray(), message.getOffset(), datagram, 0, datagram.length);
        String from = String.valueOf(message.getSrc());
        inputs.add(() -> {
            datagrams.leave(length);
            onDatagram(from, datagram);
        });
    }

    private void onDatagram(String from, byte[] datagram) {
        if (DpgNode.isForSequencer(datagram)) {
            if (sequencer != null) {
                sequencer.onDatagram(from, datagram, micros());
            }
        } else {
            core().onDatagram(datagram, micros());
        }
    }

    private long micros() {
        return (System.nanoTime() - startNanos) / 1_000;
    }

    private DpgNode core() {
        DpgNode started = node;
        if (started == null) {
            throw new IllegalStateException("DPG was not started");
        }
        return started;
    }

    // After an error no thread owns the core. No sender may wait for one.
    @SuppressWarnings("IllegalCatch")
    private void run() {
        try {
            while (thread == Thread.currentThread()) {
                long wait = Math.max(0, core().nextDeadline() - micros());
                Runnable input = inputs.poll(wait, TimeUnit.MICROSECONDS);
                for (; input != null; input = inputs.poll()) {
                    input.run();
                }
                afterInputs();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "an error ended DPG's thread; this member sends and delivers nothing any more: close its channel, and"
                            + " connect again",
                    e);
        } finally {
            if (thread == Thread.currentThread()) {
                thread = null;
                room.release();
            }
            ended = thread == null;
            failQuestions();
        }
    }

    private void afterInputs() {
        long now = micros();
        core().onTick(now);
        while (!waiting.isEmpty() && core().submit(waiting.element(), now)) {
            waiting.remove();
            room.release();
        }
        core().flush(now);
        SequencerNode<String> here = sequencer;
        if (here == null) {
            return;
        }
        // Numbers let messages be delivered here; messages sent because of these deliveries need numbers, too.
        for (List<byte[]> numbers = here.take(); !numbers.isEmpty(); numbers = here.take()) {
            for (byte[] each : numbers) {
                multicast(each);
                core().onDatagram(each, now);
            }
            core().flush(now);
        }
    }

    /** Own copies do not come back: JGroups would hand them up in another thread, out of order. */
    private void multicast(byte[] datagram) {
        Message message = new BytesMessage(null, datagram)
                .putHeader(getId(), new DpgHeader())
                .setFlag(Message.TransientFlag.DONT_LOOPBACK);
        message.setSrc(getAddress());
        down_prot.down(message);
    }

    private final class Outgoing implements DpgNodeEffects {
        @Override
        public void toGroup(byte[] datagram) {
            multicast(datagram);
        }

        /** The sequencer's location is unknown: other members drop a datagram that is not for them. */
        @Override
        public void toSequencer(int index, byte[] datagram) {
            if (index == sequencerIndex && sequencer != null) {
                sequencer.onDatagram("self", datagram, micros());
            } else {
                multicast(datagram);
            }
        }
    }

    private final class Deliveries implements DpgReceiver {
        @Override
        public void onMessage(Tag tag, byte[] body, boolean own) {
            Message message = read(body);
            if (message != null) {
                guard(() -> up_prot.up(message));
            }
        }

        // If the application throws, its delivery counts, and the next one must come: this thread is the only one.
        @SuppressWarnings("IllegalCatch")
        private void guard(Runnable call) {
            try {
                call.run();
            } catch (Throwable e) {
                LOG.error("the receiver of a delivery threw", e);
            }
        }

        private @Nullable Message read(byte[] body) {
            try {
                return Util.messageFromBuffer(body, 0, body.length);
            } catch (Exception e) {
                LOG.warn("a message that this member cannot read was dropped: {}", e.toString());
                return null;
            }
        }

        @Override
        public void onDummy(Tag tag) {
            guard(() -> events.onDummy(tag));
        }

        @Override
        public void onSegment(Tag after) {
            guard(() -> events.onSegment(after));
        }

        @Override
        public void onUndetermined(byte[] body) {
            Message message = read(body);
            if (message != null) {
                guard(() -> events.onUndetermined(message));
            }
        }
    }
}
