package org.amo.replication.order.sequencer;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.group.GroupChannel;
import org.amo.replication.order.group.QuietJGroups;
import org.jgroups.Message;
import org.jgroups.protocols.SEQUENCER;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ordered log over JGroups' SEQUENCER: {@link OrderedLog.Guarantee#TOTAL}, weaker than RAFT.
 *
 * <p><b>Its weakness.</b> When the member that orders dies, the survivors need not have received the same
 * entries, and JGroups 5.5 does not make up for it (neither FLUSH nor rebroadcasting is left).
 * An entry is delivered here only after a majority has received it. Members with different sequences do
 * not confirm each other ({@link MajoritySequence}), so that they stop rather than disagree on the
 * deliveries from then on. A weakness remains: if the member that stops had delivered and answered an entry that
 * the others lack, that answer is lost, and a group of three can come to a halt until a member is restarted.
 * If no acknowledged request may be lost, use RAFT.
 *
 * <p><b>Memory.</b> Every member keeps its last snapshot and the entries behind it in its heap, to hand them to one that
 * joins; every entry, if the servant offers no state. If all members stop, everything is gone. The first start of a group
 * needs all its members at once.
 *
 * <p>A member that was cut off and has missed entries closes itself: it reports no leader, and its log says
 * to restart it. Started again it gets the history from the others.
 */
public final class SequencerLog implements OrderedLog {
    private static final Logger LOG = LoggerFactory.getLogger(SequencerLog.class);

    /** Beside those of {@link SequencerFrames}. */
    private static final byte MESSAGE = 8;

    private static final byte[] NOTHING = {};

    private static final int MAX_WAITING = 8_192;
    /** Own entries on their way; SEQUENCER's filter of duplicates must remember more. */
    private static final int WINDOW = 1_024;

    private static final int DUPLICATE_FILTER = 20_000;
    private static final long MOST_WHILE_JOINING =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    static {
        QuietJGroups.install();
    }

    private final ReplicaSettings settings;
    private final GroupChannel channel;
    private final MajoritySequence sequence;
    private final BlockingQueue<Submission> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Semaphore window = new Semaphore(WINDOW);
    private final ExecutorService events;
    private final ExecutorService ordered;
    private final List<Thread> threads = new ArrayList<>();
    private final LatestAcknowledgement acknowledgement = new LatestAcknowledgement();

    private volatile Optional<LogListener> listener = Optional.empty();
    private volatile boolean stopped;
    // The last state of the sequence. Its lock is held while entries are delivered, so submit must not take it.
    private volatile boolean takesPart;

    private record Submission(long number, byte[] entry) {}

    public SequencerLog(ReplicaSettings settings) {
        this.settings = settings;
        SEQUENCER sequencer = new SEQUENCER().setDeliveryTableMaxSize(DUPLICATE_FILTER);
        this.channel = new GroupChannel(settings, List.of(sequencer), new Incoming());
        this.sequence = new MajoritySequence(
                settings.id(),
                settings.members().stream().map(Member::id).toList(),
                MOST_WHILE_JOINING,
                new SecureRandom()::nextLong,
                new Outgoing());
        this.events = Executors.newSingleThreadExecutor(task -> thread("events", task));
        this.ordered = Executors.newSingleThreadExecutor(task -> thread("mark", task));
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.TOTAL;
    }

    @Override
    public void start(LogListener deliverTo) {
        LOG.warn("order 'sequencer' is weaker than 'raft': when the member that orders dies, acknowledged requests can"
                + " be lost and members may have to be restarted");
        listener = Optional.of(deliverTo);
        tell(told -> told.onLeader(""));
        run("send", this::sendSubmissions);
        run("ack", this::sendAcknowledgements);
        run("tick", this::tick);
        try {
            channel.connect(() -> {});
        } catch (OrderedLogException e) {
            close();
            throw e;
        }
    }

    @Override
    public void submit(long submission, byte[] entry) {
        if (entry.length > MAX_ENTRY_BYTES) {
            throw new FrameLimitException("an entry", entry.length, MAX_ENTRY_BYTES);
        }
        if (stopped || !takesPart || !waiting.offer(new Submission(submission, entry.clone()))) {
            tell(told -> told.onRejected(submission));
        }
    }

    @Override
    public void send(String member, byte[] message) {
        if (member.equals(settings.id())) {
            byte[] copy = message.clone();
            tell(told -> told.onMessage(member, copy));
        } else {
            channel.send(member, MESSAGE, NOTHING, message, Message.Flag.OOB, Message.Flag.DONT_BUNDLE);
        }
    }

    @Override
    public boolean compacts() {
        return true;
    }

    @Override
    public boolean compact(LogSnapshot snapshot) {
        WireWriter content = new WireWriter(snapshot.replica().length + snapshot.servant().length + 16);
        content.blob(snapshot.replica());
        content.raw(snapshot.servant(), 0, snapshot.servant().length);
        byte[] bytes = content.toBytes();
        synchronized (sequence) {
            return !stopped && sequence.compact(snapshot.position(), bytes);
        }
    }

    private static LogSnapshot snapshot(long position, byte[] content) {
        WireReader in = new WireReader("snapshot", content);
        byte[] replica = in.blob("replica", content.length);
        return new LogSnapshot(position, replica, Arrays.copyOfRange(content, in.position(), content.length));
    }

    @Override
    public void close() {
        stopped = true;
        synchronized (threads) {
            threads.forEach(Thread::interrupt);
        }
        ordered.shutdownNow();
        channel.close();
        events.shutdown();
    }

    // SEQUENCER blocks its senders while the coordinator changes and for the first entries after that.
    private void sendSubmissions() throws InterruptedException {
        while (!stopped) {
            Submission next = waiting.take();
            // Given back when the entry comes by; after a second it is presumed lost with its coordinator.
            boolean paced = window.tryAcquire(1, TimeUnit.SECONDS);
            if (!paced) {
                LOG.debug("{}: no entry of its own came back for a second", settings.id());
            }
            if (!channel.multicast(SequencerFrames.ENTRY, NOTHING, next.entry)) {
                tell(told -> told.onRejected(next.number));
            }
        }
    }

    // One thread, so that entries received meanwhile are acknowledged together.
    private void sendAcknowledgements() throws InterruptedException {
        while (!stopped) {
            LatestAcknowledgement.Received received = acknowledgement.take();
            byte[] frame = SequencerFrames.acknowledge(received.count(), received.hash());
            channel.multicast(SequencerFrames.ACKNOWLEDGE, frame, NOTHING, Message.Flag.OOB);
        }
    }

    private void tick() throws InterruptedException {
        while (!stopped) {
            TimeUnit.MILLISECONDS.sleep(MajoritySequence.TICK_MILLIS);
            synchronized (sequence) {
                sequence.onTick();
                takesPart = sequence.takesPart();
            }
        }
    }

    private interface Task {
        void run() throws InterruptedException;
    }

    private void run(String name, Task task) {
        Thread thread = thread(name, () -> {
            try {
                task.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        synchronized (threads) {
            threads.add(thread);
        }
        thread.start();
    }

    private Thread thread(String name, Runnable task) {
        return DaemonThreads.unstarted("amo-sequencer-" + name + "-" + settings.id(), task);
    }

    private void tell(Consumer<LogListener> what) {
        try {
            events.execute(() -> listener.ifPresent(what));
        } catch (RejectedExecutionException e) {
            LOG.trace("closed; the listener is not called any more");
        }
    }

    private void order(byte kind, byte[] frame) {
        try {
            ordered.execute(() -> channel.multicast(kind, frame, NOTHING));
        } catch (RejectedExecutionException e) {
            LOG.trace("closed; nothing is ordered any more");
        }
    }

    /** The log cannot go on: it tells the listener the cause and closes. */
    private void end(OrderedLogException why) {
        stopped = true;
        listener.ifPresent(told -> {
            told.onLeader("");
            told.onEnded(why);
        });
        thread("close", this::close).start();
    }

    /** Called with the lock on the sequence. */
    private final class Outgoing implements MajoritySequence.Effects {

        @Override
        public void mark(long nonce) {
            order(SequencerFrames.MARK, SequencerFrames.mark(nonce));
        }

        @Override
        public void found() {
            order(SequencerFrames.FOUND, NOTHING);
        }

        @Override
        public void status(String to, long nonce, boolean established) {
            channel.send(to, SequencerFrames.STATUS, SequencerFrames.status(nonce, established), NOTHING);
        }

        @Override
        public void fetch(String from, long nonce, long firstPosition, long offset) {
            channel.send(from, SequencerFrames.FETCH, SequencerFrames.fetch(nonce, firstPosition, offset), NOTHING);
        }

        @Override
        public void snapshotPiece(String to, long nonce, SequenceHistory.Snapshot snapshot, int offset, int length) {
            byte[] frame = SequencerFrames.snapshotPiece(nonce, snapshot, offset, length);
            channel.send(to, SequencerFrames.SNAPSHOT, frame, NOTHING);
        }

        @Override
        public void piece(String to, long nonce, long firstPosition, long total, List<byte[]> entries) {
            byte[] frame = SequencerFrames.piece(nonce, firstPosition, total, entries);
            channel.send(to, SequencerFrames.PIECE, frame, NOTHING);
        }

        @Override
        public void acknowledge(long count, long hashOfThem) {
            acknowledgement.set(count, hashOfThem);
        }

        @Override
        public void deliver(long position, byte[] entry) {
            if (stopped) {
                return;
            }
            try {
                listener.orElseThrow().onDelivered(position, entry.clone());
            } catch (RuntimeException | Error e) {
                end(new OrderedLogException(
                        OrderedLogException.Fault.ENVIRONMENT,
                        "the entry at position " + position + " could not be delivered (" + e
                                + "); restart this member",
                        e));
            }
        }

        @Override
        public void install(long position, byte[] snapshot) {
            try {
                listener.orElseThrow().onSnapshot(snapshot(position, snapshot));
                LOG.info("member {} continues from a snapshot of position {}", settings.id(), position);
            } catch (RuntimeException | Error e) {
                end(new OrderedLogException(
                        OrderedLogException.Fault.ENVIRONMENT,
                        "the snapshot of position " + position + " could not be put in place (" + e
                                + "); restart this member",
                        e));
            }
        }

        @Override
        public void leader(String member) {
            tell(told -> told.onLeader(member));
        }

        @Override
        public void stop(String reason) {
            end(new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, reason + "; restart this member"));
        }
    }

    private final class Incoming implements GroupChannel.Listener {

        @Override
        public void onMessage(String member, byte kind, byte[] data, int offset, int length) {
            if (stopped) {
                return;
            }
            byte[] body = Arrays.copyOfRange(data, offset, offset + length);
            if (kind == MESSAGE) {
                listener.ifPresent(told -> told.onMessage(member, body));
                return;
            }
            if (kind == SequencerFrames.ENTRY && member.equals(settings.id()) && window.availablePermits() < WINDOW) {
                window.release();
            }
            try {
                synchronized (sequence) {
                    if (!SequencerFrames.tell(sequence, member, kind, body)) {
                        LOG.debug("message of unknown kind {} from {} dropped", kind, member);
                    }
                    takesPart = sequence.takesPart();
                }
            } catch (MalformedFrameException e) {
                LOG.debug("frame of {} dropped", member, e);
            }
        }

        @Override
        public void onTwin() {
            end(GroupChannel.sameId(settings));
        }

        @Override
        public void onFatal(VirtualMachineError error) {
            end(GroupChannel.broken(settings, error));
        }

        @Override
        public void onView(List<String> members) {
            LOG.debug("{} reaches {}", settings.id(), members);
            synchronized (sequence) {
                sequence.onView(members);
                takesPart = sequence.takesPart();
            }
        }
    }
}
