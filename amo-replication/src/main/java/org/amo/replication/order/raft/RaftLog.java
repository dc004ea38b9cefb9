package org.amo.replication.order.raft;

import java.io.DataInput;
import java.io.DataOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.group.GroupChannel;
import org.amo.replication.order.group.QuietJGroups;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.protocols.raft.ELECTION;
import org.jgroups.protocols.raft.InMemoryLog;
import org.jgroups.protocols.raft.Role;
import org.jgroups.raft.Options;
import org.jgroups.raft.StateMachine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ordered log over jgroups-raft: {@link OrderedLog.Guarantee#UNIFORM}.
 *
 * <p>An entry is delivered once a majority of the configured members has it: in memory, in a file, or
 * forced to disk, as {@link ReplicaSettings.Log} says. Positions count delivered entries from 1 without
 * gaps, the same at every member. A member whose log is in files delivers all committed entries again
 * when it starts, from position 1, and the rest when it has a leader.
 *
 * <p>The leader appends what members submit to it; another member sends it there. jgroups-raft's own
 * REDIRECT is not used: it keeps a future for ever when a leader dies, and moves exceptions by Java
 * serialization. Nothing is remembered of a submission here, so none can leak.
 *
 * <p>{@link LogListener#onDelivered} is called in RAFT's thread, the others from other threads. A listener
 * that throws from onDelivered stops this member: it could only go on wrongly.
 */
public final class RaftLog implements OrderedLog {
    private static final Logger LOG = LoggerFactory.getLogger(RaftLog.class);

    private static final byte SUBMIT = 1;
    private static final byte REJECT = 2;
    private static final byte MESSAGE = 3;
    private static final byte[] NOTHING = {};
    /** Also how long followers wait for a commit index when no further entry carries it. */
    private static final long RESEND_MILLIS = 100;

    private static final long VOTE_MILLIS = 600;

    static {
        QuietJGroups.install();
    }

    private final ReplicaSettings settings;
    private final MemberFolder folder;
    private final GuardedRaft raft;
    private final GroupChannel channel;
    private final ExecutorService events;
    private final AtomicBoolean leaderReportWaits = new AtomicBoolean();

    private volatile Optional<LogListener> listener = Optional.empty();
    private volatile Admission admission = new Admission();
    private volatile boolean stopped;
    // RAFT thread only (and the joining thread before it).
    private long position;
    // Events thread only.
    private String reportedLeader = "?";

    public RaftLog(ReplicaSettings settings) {
        this.settings = settings;
        this.folder = new MemberFolder(settings);
        this.raft = new GuardedRaft(this::leaderMayHaveChanged);
        configure();
        ELECTION election = new ELECTION();
        election.voteTimeout(VOTE_MILLIS);
        this.channel = new GroupChannel(settings, List.of(election, raft), new Incoming());
        this.events = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "amo-log-" + settings.id());
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.UNIFORM;
    }

    @Override
    public void start(LogListener deliverTo) {
        listener = Optional.of(deliverTo);
        folder.claim();
        try {
            channel.connect(raft::forgetClosedLog);
        } catch (OrderedLogException e) {
            stopped = true;
            channel.close();
            folder.release();
            events.shutdown();
            throw e;
        }
        raft.onBrokenLog(why -> end(new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, why)));
        leaderMayHaveChanged();
    }

    @Override
    public void submit(long submission, byte[] entry) {
        Address leader = raft.leader();
        if (leader == null || stopped) {
            rejected(submission);
        } else if (channel.isSelf(leader)) {
            if (!append(EntryFrame.wrap(entry), 0, entry.length + Integer.BYTES)) {
                rejected(submission);
            }
        } else if (!channel.send(GroupChannel.idOf(leader), SUBMIT, eightBytes(submission), EntryFrame.wrap(entry))) {
            rejected(submission);
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
    public void close() {
        stopped = true;
        channel.close();
        if (settings.log() == ReplicaSettings.Log.MEMORY) {
            forgetMemoryLog();
        }
        events.shutdown();
        folder.close();
    }

    /** For tests of the guard rails. */
    GuardedRaft raft() {
        return raft;
    }

    /** For tests of the guard rails. */
    GroupChannel channel() {
        return channel;
    }

    private void configure() {
        raft.members(settings.members().stream().map(Member::id).toList());
        raft.raftId(settings.id());
        raft.logDir(folder.path().toString());
        raft.logPrefix(settings.id());
        // The log is never cut while the servant cannot be snapshotted: an empty snapshot would stand for it.
        raft.maxLogSize(Long.MAX_VALUE);
        // Starts a storm of commit messages in 1.1.4.
        raft.sendCommitsImmediately(false);
        raft.resendInterval(RESEND_MILLIS);
        if (settings.log() == ReplicaSettings.Log.MEMORY) {
            raft.logClass(InMemoryLog.class.getName());
        } else {
            raft.logClass(CheckedFileLog.class.getName());
            // Off by default in jgroups-raft, whatever its file log's own default.
            raft.logUseFsync(settings.log() == ReplicaSettings.Log.FSYNC);
        }
        raft.stateMachine(new Deliveries());
        raft.addRoleListener(this::onRole);
    }

    // Under RAFT's lock: must not block.
    private void onRole(Role role) {
        if (role == Role.Leader) {
            admission = new Admission();
            byte[] command = EntryFrame.internalNoOperation();
            CompletableFuture<byte[]> committed =
                    raft.setAsync(command, 0, command.length, true, Options.DEFAULT_OPTIONS);
            LOG.debug("{} leads; its first entry is {}", settings.id(), committed);
        }
    }

    /** Hands an entry to RAFT, if this member leads. False: it certainly was not ordered. */
    private boolean append(byte[] framed, int offset, int length) {
        Admission admitted = admission;
        if (!admitted.enter(length)) {
            return false;
        }
        try {
            // Its failure is ambiguous (stepped down with the entry in its log), so only its end is of interest.
            CompletableFuture<byte[]> ended = raft.setAsync(framed, offset, length, false, Options.create(true))
                    .whenComplete((result, failure) -> admitted.leave(length));
            LOG.trace("entry of {} bytes: {}", length, ended);
            return true;
        } catch (IllegalStateException e) {
            admitted.leave(length);
            return false; // does not lead any more
        }
    }

    private void rejected(long submission) {
        tell(told -> told.onRejected(submission));
    }

    private void leaderMayHaveChanged() {
        if (listener.isPresent() && leaderReportWaits.compareAndSet(false, true)) {
            tell(told -> {
                leaderReportWaits.set(false);
                Address leader = stopped ? null : raft.leader();
                String id = leader == null ? "" : GroupChannel.idOf(leader);
                if (!id.equals(reportedLeader)) {
                    reportedLeader = id;
                    told.onLeader(id);
                }
            });
        }
    }

    private void tell(java.util.function.Consumer<LogListener> what) {
        try {
            events.execute(() -> listener.ifPresent(what));
        } catch (RejectedExecutionException e) {
            LOG.trace("closed; nothing is told any more");
        }
    }

    /** The log cannot go on: it closes, and whoever listens hears why. */
    private void end(OrderedLogException why) {
        stopped = true;
        leaderMayHaveChanged();
        listener.ifPresent(told -> told.onEnded(why));
        Thread closing = new Thread(this::close, "amo-log-close-" + settings.id());
        closing.setDaemon(true);
        closing.start();
    }

    private void forgetMemoryLog() {
        // jgroups-raft keeps memory logs in a static map, for ever.
        InMemoryLog.logs.remove(folder.path().resolve(settings.id() + ".log").toString());
    }

    private static byte[] eightBytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private final class Deliveries implements StateMachine {

        @Override
        public byte[] apply(byte[] data, int offset, int length, boolean serializeResponse) {
            if (stopped) {
                return NOTHING;
            }
            long next = position + 1;
            try {
                if (!EntryFrame.isWhole(data, offset, length)) {
                    throw new IllegalStateException("the entry does not match its checksum");
                }
                listener.orElseThrow().onDelivered(next, EntryFrame.unwrap(data, offset, length));
                position = next;
            } catch (RuntimeException | Error e) {
                stop(next, e);
            }
            return NOTHING;
        }

        @Override
        public void readContentFrom(DataInput in) {
            throw new UnsupportedOperationException("amo takes no snapshots of the log yet");
        }

        @Override
        public void writeContentTo(DataOutput out) {
            throw new UnsupportedOperationException("amo takes no snapshots of the log yet");
        }

        private void stop(long failed, Throwable cause) {
            LOG.debug("entry {} was not delivered", failed, cause);
            end(new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "the entry at position " + failed + " could not be delivered (" + cause + "); restart this member",
                    cause));
        }
    }

    private final class Incoming implements GroupChannel.Listener {

        @Override
        public void onMessage(String member, byte kind, byte[] data, int offset, int length) {
            if (stopped) {
                return;
            }
            switch (kind) {
                case SUBMIT -> onSubmit(member, data, offset, length);
                case REJECT -> onReject(data, offset, length);
                case MESSAGE ->
                    listener.ifPresent(
                            told -> told.onMessage(member, Arrays.copyOfRange(data, offset, offset + length)));
                default -> LOG.debug("message of unknown kind {} from {} dropped", kind, member);
            }
        }

        @Override
        public void onView(List<String> members) {
            LOG.debug("{} reaches {}", settings.id(), members);
            leaderMayHaveChanged();
        }

        @Override
        public void onTwin() {
            end(GroupChannel.sameId(settings));
        }

        private void onSubmit(String member, byte[] data, int offset, int length) {
            int entryLength = length - Long.BYTES;
            if (entryLength < 0 || !EntryFrame.isWhole(data, offset + Long.BYTES, entryLength)) {
                LOG.debug("damaged submission from {} dropped", member);
                return;
            }
            if (!append(data, offset + Long.BYTES, entryLength)) {
                channel.send(member, REJECT, Arrays.copyOfRange(data, offset, offset + Long.BYTES), NOTHING);
            }
        }

        private void onReject(byte[] data, int offset, int length) {
            if (length == Long.BYTES) {
                rejected(ByteBuffer.wrap(data).getLong(offset));
            }
        }
    }
}
