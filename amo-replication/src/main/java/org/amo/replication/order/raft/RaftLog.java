package org.amo.replication.order.raft;

import java.io.DataInput;
import java.io.DataOutput;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.amo.base.DaemonThreads;
import org.amo.core.door.SharedRoom;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.LogHealth;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.LogTail;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.group.GroupChannel;
import org.amo.replication.order.group.QuietJGroups;
import org.jgroups.Address;
import org.jgroups.Message;
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
 * gaps, the same at every member. A member with a log in files reports its snapshot when it starts, if it has
 * one, then delivers all committed entries behind it (or from position 1), and the rest when it has a leader.
 *
 * <p>The leader appends the members' submissions; another member sends its own to the leader. jgroups-raft's own
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
    static final byte OFFER = 4;
    static final byte FETCH = 5;
    static final byte PIECE = 6;
    private static final byte WHICH_MEMBERS = 7;
    private static final byte APPLIED_MEMBERS = 8;
    static final byte WANTED = 9;
    private static final byte ASK_READ_INDEX = 10;
    static final byte READ_INDEX = 11;
    static final byte NO_READ_INDEX = 12;
    static final byte CONFIRM = 13;
    static final byte CONFIRMED = 14;
    /** Entries that one leadership has taken on and not yet committed, at most. */
    static final int MOST_UNCOMMITTED = 8_192;

    private static final long MOST_UNCOMMITTED_BYTES = 128L << 20;
    private static final long CHANGE_SECONDS = 5;
    private static final long ANSWER_MILLIS = 500;
    private static final byte[] NOTHING = {};
    /** Also how long followers wait for a commit index when no further entry carries it. */
    private static final long RESEND_MILLIS = 100;

    /** Messages and questions about read indexes that wait for RAFT's thread. */
    private static final int MOST_READ_TASKS = 512;

    private static final long VOTE_MILLIS = 600;

    /** Between two looks at the progress of a transfer of the lead. */
    private static final long TRANSFER_MILLIS = 2;

    static {
        QuietJGroups.install();
    }

    private final ReplicaSettings settings;
    private final FaultHooks interposer;
    private final MemberFolder folder;
    private final GuardedRaft raft;
    private final ConfiguredElection election;
    private final GroupChannel channel;
    private final RaftSnapshots snapshots;
    private final ExecutorService events;
    private final LeaderReport leaderReport;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger readTasks = new AtomicInteger();

    private volatile Optional<LogListener> listener = Optional.empty();
    private volatile SharedRoom uncommitted = roomForUncommitted();
    private volatile boolean stopped;
    private volatile boolean removed;

    // Under the folder's lock.
    private boolean writesSnapshot;
    private boolean closed;

    // RAFT thread only (and the joining thread before it).
    private final ReadIndexes readIndexes;
    private boolean readTickDue;
    private long position;
    private volatile Configuration configuration;
    /** Ids of the processes in the channel. */
    private volatile List<String> reached = List.of();

    // Events thread only.
    private final MemberChanges changes;

    private final LeadTransfer transfer;
    private final Strangers strangers;

    /** @param interposer may fail the disk */
    public RaftLog(ReplicaSettings settings, FaultHooks interposer) {
        this.settings = settings;
        this.interposer = interposer;
        this.folder = new MemberFolder(settings, Disk.LOCAL);
        this.configuration = new Configuration(0, settings.members());
        this.raft = new GuardedRaft(new Keeping());
        configure();
        this.election = new ConfiguredElection(
                () -> configuration,
                raft,
                why -> end(new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, why)));
        election.voteTimeout(VOTE_MILLIS);
        this.channel = new GroupChannel(settings, List.of(election, raft), new Incoming());
        Optional<SnapshotDatagrams> datagrams = SnapshotDatagrams.of(settings, () -> configuration.members());
        this.snapshots = new RaftSnapshots(settings.id(), logFolder(), raft, channel, datagrams, new Placing());
        this.events = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-log-" + settings.id()));
        this.leaderReport =
                new LeaderReport(this::leader, this::inEvents, id -> listener.ifPresent(told -> told.onLeader(id)));
        this.changes = new MemberChanges(settings.id(), new Changing());
        this.transfer = new LeadTransfer(settings.id(), new Transferring(), System::nanoTime);
        this.readIndexes = new ReadIndexes(raft, new Reading());
        this.strangers = new Strangers(settings.group(), settings.members());
    }

    @Override
    public Guarantee guarantee() {
        return Guarantee.UNIFORM;
    }

    @Override
    public void start(LogListener deliverTo) {
        listener = Optional.of(deliverTo);
        folder.claim();
        use(new Configuration(0, folder.firstMembers()));
        try {
            snapshots.open();
            channel.connect(raft::forgetClosedLog);
        } catch (OrderedLogException e) {
            stopped = true;
            channel.close();
            if (raft.hasTakenPart()) {
                // The failure came behind the join: a log in memory is lost with what this member promised.
                folder.close();
            } else {
                folder.release();
            }
            events.shutdown();
            snapshots.close();
            throw e;
        }
        raft.onBrokenLog(why -> end(new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, why)));
        leaderMayHaveChanged();
    }

    @Override
    public void submit(long submission, byte[] entry) {
        Address leader = raft.leader();
        if (leader == null || stopped || raft.abstains()) {
            rejected(submission);
        } else if (channel.isSelf(leader)) {
            if (!append(EntryFrame.wrap(entry), 0, entry.length + Integer.BYTES)) {
                rejected(submission);
            }
        } else if (!channel.send(
                GroupChannel.idOf(leader), SUBMIT, eightBytes(submission), entry, EntryFrame.checksumOf(entry))) {
            rejected(submission);
        }
    }

    @Override
    public boolean findsReadIndexes() {
        return true;
    }

    @Override
    public void askReadIndex(long question) {
        Address leader = raft.leader();
        if (leader == null || stopped || raft.abstains()) {
            tell(told -> told.onNoReadIndex(question));
        } else if (channel.isSelf(leader)) {
            reading(() -> readIndexes.onAsked(settings.id(), question));
        } else if (!sendSoon(GroupChannel.idOf(leader), ASK_READ_INDEX, ReadIndexes.message(question))) {
            tell(told -> told.onNoReadIndex(question));
        }
    }

    /** In RAFT's thread, with ticks while a round lasts. Dropped while that thread stands still: all of it is asked again. */
    private void reading(Runnable task) {
        if (readTasks.incrementAndGet() > MOST_READ_TASKS) {
            readTasks.decrementAndGet();
            return;
        }
        raft.run(() -> {
            readTasks.decrementAndGet();
            readNow(task);
        });
    }

    private void readNow(Runnable task) {
        if (!stopped) {
            task.run();
            tickReads();
        }
    }

    private void tickReads() {
        if (readIndexes.isBusy() && !readTickDue) {
            readTickDue = true;
            later(
                    RESEND_MILLIS,
                    () -> raft.run(() -> {
                        readTickDue = false;
                        readNow(readIndexes::onTick);
                    }));
        }
    }

    /** A few bytes that no queue and no flow control holds up. */
    private boolean sendSoon(String member, byte kind, byte[] few) {
        return channel.send(member, kind, few, NOTHING, Message.Flag.OOB, Message.Flag.NO_FC, Message.Flag.DONT_BUNDLE);
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
    public Optional<GroupMembers> members() {
        Configuration now = configuration;
        return Optional.of(new GroupMembers(now.version(), now.members()));
    }

    @Override
    public CompletableFuture<GroupMembers> changeMembers(MemberChange change) {
        CompletableFuture<GroupMembers> told = new CompletableFuture<>();
        if (settings.tls().isPresent() && settings.secret().isEmpty()) {
            told.completeExceptionally(new OrderedLogException(
                    OrderedLogException.Fault.USER,
                    "a change of members is proved by the group's secret, and this group has none; start its members"
                            + " with a secret file beside their certificates"));
            return told;
        }
        if (!isProved(change)) {
            told.completeExceptionally(new OrderedLogException(
                    OrderedLogException.Fault.USER, "the change was not made with this group's secret"));
            return told;
        }
        boolean keepsMembers = change.kind() == MemberChange.Kind.LEAD || change.kind() == MemberChange.Kind.SNAPSHOT;
        if (keepsMembers && change.version() != configuration.version()) {
            // Else a recorded one could be replayed for ever.
            told.completeExceptionally(new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "the members have changed since they were read; run the command again, which reads them anew"));
            return told;
        }
        if (change.kind() == MemberChange.Kind.LEAD) {
            tell(ignored -> {
                String id = change.member().id();
                tellEnd(transfer.to(id, configuration, reached.contains(id)), told);
            });
            return told;
        }
        if (change.kind() == MemberChange.Kind.SNAPSHOT) {
            if (change.member().id().equals(settings.id())) {
                tell(listening -> tellEnd(listening.onSnapshotAsked(), told));
            } else {
                told.completeExceptionally(new OrderedLogException(
                        OrderedLogException.Fault.USER,
                        "this is member '" + settings.id() + "', and '"
                                + change.member().id() + "' is to take a snapshot; ask that one"));
            }
            return told;
        }
        tell(ignored -> {
            if (!leadsWithAllChanges()) {
                told.completeExceptionally(new OrderedLogException(
                        OrderedLogException.Fault.ENVIRONMENT, "this member does not lead; ask the leader"));
                return;
            }
            CompletableFuture<GroupMembers> done = changes.change(change, configuration);
            watch(done, System.nanoTime() + TimeUnit.SECONDS.toNanos(CHANGE_SECONDS));
            CompletableFuture<GroupMembers> unused = done.whenComplete((now, failure) -> {
                tell(after -> changes.ended(done));
                if (failure == null) {
                    told.complete(now);
                } else {
                    told.completeExceptionally(failure);
                }
                if (removed) {
                    endRemoved(ANSWER_MILLIS);
                }
            });
        });
        return told;
    }

    /** Of an action after which the members are the same. */
    private void tellEnd(CompletionStage<Void> action, CompletableFuture<GroupMembers> told) {
        CompletionStage<Void> unused = action.whenComplete((nothing, failure) -> {
            if (failure == null) {
                told.complete(members().orElseThrow());
            } else {
                told.completeExceptionally(failure);
            }
        });
    }

    private boolean isProved(MemberChange change) {
        return settings.secrets()
                .map(ring -> ring.secrets().stream()
                        .anyMatch(secret -> change.isProved(settings.group(), Optional.of(secret))))
                .orElse(true);
    }

    /** At a leader that knows all changes of members. */
    private void lookForStrangers() {
        Configuration now = configuration;
        strangers.inView(reached, now).ifPresent(line -> LOG.warn("{}", line));
        strangers.inSettings(now).ifPresent(line -> LOG.warn("{}", line));
    }

    /** A leader knows the changes of earlier ones once an entry of its own is committed. */
    private boolean leadsWithAllChanges() {
        return raft.isLeader() && raft.hasCommittedInItsTerm();
    }

    private void watch(CompletableFuture<GroupMembers> change, long untilNanos) {
        if (change.isDone()) {
            return;
        }
        if (System.nanoTime() - untilNanos > 0) {
            changes.giveUp(change);
            return;
        }
        changes.onTick();
        later(RESEND_MILLIS, () -> watch(change, untilNanos));
    }

    /** In RAFT's thread, or in the one that starts it. */
    private void use(Configuration now) {
        configuration = now;
        raft.members(now.ids());
        channel.lookFor(Stream.concat(
                        settings.members().stream().filter(member -> !now.wasRemoved(member.id())),
                        now.members().stream())
                .toList());
        listener.ifPresent(told -> told.onMembers(new GroupMembers(now.version(), now.members())));
    }

    @Override
    public Optional<Path> folder() {
        return settings.log() == ReplicaSettings.Log.MEMORY ? Optional.empty() : Optional.of(folder.path());
    }

    @Override
    public LogHealth health() {
        return raft.health();
    }

    @Override
    public boolean takeStateOf(String member, long position) {
        if (!stopped) {
            snapshots.want(member, position);
        }
        return true;
    }

    @Override
    public void onRoom() {
        raft.onRoom();
    }

    @Override
    public boolean compacts() {
        return true;
    }

    @Override
    public boolean compact(LogSnapshot snapshot) {
        synchronized (folder) {
            if (stopped) {
                return false;
            }
            writesSnapshot = true;
        }
        try {
            return snapshots.compact(snapshot);
        } finally {
            synchronized (folder) {
                writesSnapshot = false;
                giveFolderBack();
            }
        }
    }

    /** Not while a slow disk still takes a snapshot: the next process would write into the same file. Under the folder's lock. */
    private void giveFolderBack() {
        if (closed && !writesSnapshot) {
            folder.close();
        }
    }

    @Override
    public void close() {
        stopped = true;
        channel.close();
        snapshots.close();
        events.shutdown();
        synchronized (folder) {
            closed = true;
            giveFolderBack();
        }
    }

    /** For tests of the guard rails. */
    GuardedRaft raft() {
        return raft;
    }

    private void configure() {
        raft.members(settings.members().stream().map(Member::id).toList());
        raft.raftId(settings.id());
        // The owner of the state takes snapshots (compact); jgroups-raft never takes one by itself.
        raft.maxLogSize(Long.MAX_VALUE);
        // Starts a storm of commit messages in 1.1.4.
        raft.sendCommitsImmediately(false);
        raft.resendInterval(RESEND_MILLIS);
        raft.logUseFsync(settings.log() == ReplicaSettings.Log.FSYNC);
        if (settings.log() == ReplicaSettings.Log.MEMORY) {
            // A second copy of what is in memory, and it hides the log, whose bytes are limited.
            raft.maxLogCacheSize(0);
        }
        raft.stateMachine(new Deliveries());
        raft.addRoleListener(this::onRole);
    }

    // Under RAFT's lock: must not block. The entry is handed in for RAFT's thread.
    private void onRole(Role role) {
        if (role == Role.Leader) {
            uncommitted = roomForUncommitted();
            byte[] command = EntryFrame.internalNoOperation();
            CompletableFuture<byte[]> committed =
                    raft.setAsync(command, 0, command.length, true, Options.DEFAULT_OPTIONS);
            // From its commit on, this leader has applied all changes of earlier ones.
            CompletableFuture<byte[]> unused = committed.whenComplete((nothing, failure) -> inEvents(() -> {
                if (failure == null && raft.isLeader()) {
                    lookForStrangers();
                }
            }));
            LOG.debug("{} leads; its first entry is {}", settings.id(), committed);
        }
    }

    private static SharedRoom roomForUncommitted() {
        return new SharedRoom(MOST_UNCOMMITTED, MOST_UNCOMMITTED_BYTES);
    }

    /** Hands an entry to RAFT, if this member leads. False: it certainly was not ordered. */
    private boolean append(byte[] framed, int offset, int length) {
        SharedRoom admitted = uncommitted;
        if (removed || transfer.isUnderWay() || !admitted.enter(length)) {
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
        if (listener.isPresent()) {
            leaderReport.mayHaveChanged();
        }
    }

    private String leader() {
        Address leader = stopped || raft.abstains() ? null : raft.leader();
        return leader == null ? "" : GroupChannel.idOf(leader);
    }

    private void tell(Consumer<LogListener> what) {
        inEvents(() -> listener.ifPresent(what));
    }

    private void inEvents(Runnable task) {
        try {
            events.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("closed; the listener is not called any more");
        }
    }

    /** RAFT's thread, or the one that starts it. */
    private void endIfRemoved(long afterMillis) {
        if (configuration.wasRemoved(settings.id())) {
            removed = true;
            endRemoved(afterMillis);
        }
    }

    /** Ends the log of this removed member; the delay leaves time to answer the request for its removal. */
    private void endRemoved(long afterMillis) {
        later(
                afterMillis,
                () -> end(
                        new OrderedLogException(
                                OrderedLogException.Fault.USER,
                                "member '" + settings.id()
                                        + "' was removed from the group, and its id cannot come back; add a member with a new id")));
    }

    /** In the thread of events: the common pool may have one thread, which an application's task can block. */
    private void later(long millis, Runnable task) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, this::inEvents)
                .execute(task);
    }

    /** The log cannot go on: it tells the listener the cause and closes. Once: a failure while it closes is no cause. */
    private void end(OrderedLogException why) {
        if (stopped || !ended.compareAndSet(false, true)) {
            return;
        }
        stopped = true;
        leaderMayHaveChanged();
        listener.ifPresent(told -> told.onEnded(why));
        DaemonThreads.start("amo-log-close-" + settings.id(), this::close);
    }

    private Path logFolder() {
        return MemberFolder.logFolder(folder.path());
    }

    static byte[] eightBytes(long value) {
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
                snapshots.delivered(next, configuration);
                listener.orElseThrow().onDelivered(next, EntryFrame.unwrap(data, offset, length));
                position = next;
                readIndexes.onDelivered();
            } catch (RuntimeException | Error e) {
                stop(next, e);
            }
            return NOTHING;
        }

        @Override
        public void readContentFrom(DataInput in) {
            throw new UnsupportedOperationException("snapshots do not go through jgroups-raft");
        }

        @Override
        public void writeContentTo(DataOutput out) {
            throw new UnsupportedOperationException("snapshots do not go through jgroups-raft");
        }

        private void stop(long failed, Throwable cause) {
            LOG.debug("entry {} was not delivered", failed, cause);
            end(new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "the entry at position " + failed + " could not be delivered (" + cause + "); restart this member",
                    cause));
        }
    }

    private final class Keeping implements GuardedRaft.Keeper {
        @Override
        public void leaderChanged() {
            leaderMayHaveChanged();
        }

        @Override
        public long restore() {
            return snapshots.restore();
        }

        @Override
        public boolean isMember() {
            return !removed;
        }

        @Override
        public void memberChanged(boolean added, String text) {
            Member member = Member.parseList(text).get(0);
            use(added ? configuration.with(member) : configuration.without(member.id()));
            LOG.info(
                    "group {} has {} member {}: {}",
                    settings.group(),
                    added ? "a new" : "no longer",
                    member.id(),
                    Member.format(configuration.members()));
            // A leader tells the others of its own removal first, and orders nothing more.
            endIfRemoved(raft.isLeader() ? CHANGE_SECONDS * 1_000 : 0);
        }

        @Override
        public void offerSnapshot(Address member) {
            snapshots.offer(GroupChannel.idOf(member));
        }

        @Override
        public MeasuredLog openLog() {
            if (settings.log() == ReplicaSettings.Log.MEMORY) {
                return new MemoryLog();
            }
            CheckedFileLog log = new CheckedFileLog(
                    logFolder(),
                    settings.log() == ReplicaSettings.Log.FSYNC,
                    new InterposedDisk(settings, interposer),
                    interposer.tail().orElseGet(LogTail::new),
                    folder.mayBeginLog());
            folder.logHasBegun();
            return log;
        }

        @Override
        public boolean hasRoom() {
            return listener.map(LogListener::hasRoom).orElse(true);
        }

        @Override
        public boolean sendsAtOnce(long bytes) {
            return channel.sendsToAllAtOnce(bytes);
        }

        @Override
        public List<String> others() {
            return configuration.ids().stream()
                    .filter(id -> !id.equals(settings.id()))
                    .toList();
        }
    }

    private final class Placing implements RaftSnapshots.Placed {
        @Override
        public void onPlaced(SnapshotFile.Stored stored) {
            use(stored.head().configuration());
            listener.orElseThrow().onSnapshot(stored.snapshot());
            position = stored.head().position();
            // Its removal is behind the snapshot, and the log does not tell it any more.
            endIfRemoved(0);
        }

        @Override
        public void onTaken(long taken) {
            end(new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "member '" + settings.id() + "' has taken the state of another member, of position " + taken
                            + "; start it again, and it continues from there"));
        }

        @Override
        public void onWanted(String member, long from) {
            tell(told -> told.onStateWanted(member, from));
        }

        @Override
        public void onFailure(Throwable thrown) {
            if (thrown instanceof OrderedLogException cause) {
                end(cause);
                return;
            }
            end(new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "its log or a snapshot could not be put in place (" + thrown + "); restart this member",
                    thrown));
        }
    }

    private final class Changing implements MemberChanges.Effects {
        @Override
        public void ask(String member) {
            boolean sent = channel.send(member, WHICH_MEMBERS, NOTHING, NOTHING);
            LOG.debug("asked {} for its members: {}", member, sent);
        }

        @Override
        public boolean isCurrent(Configuration before) {
            return leadsWithAllChanges() && configuration.version() == before.version();
        }

        @Override
        public void order(CompletableFuture<GroupMembers> which, MemberChange change, Configuration before) {
            byte[] command = EntryFrame.memberChange(change.add(), change.member());
            Configuration after = change.add()
                    ? before.with(change.member())
                    : before.without(change.member().id());
            try {
                CompletableFuture<byte[]> made =
                        raft.setAsync(command, 0, command.length, true, Options.DEFAULT_OPTIONS);
                CompletableFuture<byte[]> unused = made.whenComplete((nothing, failure) -> tell(told -> {
                    if (failure == null) {
                        changes.onMade(which, new GroupMembers(after.version(), after.members()));
                    } else {
                        changes.giveUp(which);
                    }
                }));
                LOG.debug("ordering {}: {}", change, made);
            } catch (IllegalStateException e) {
                changes.giveUp(which);
            }
        }
    }

    private final class Transferring implements LeadTransfer.Effects {
        @Override
        public boolean leads() {
            return leadsWithAllChanges();
        }

        @Override
        public String leader() {
            return RaftLog.this.leader();
        }

        @Override
        public void isCaughtUp(String member, Consumer<Boolean> told) {
            raft.run(() -> {
                boolean caughtUp = raft.isCaughtUp(member);
                inEvents(() -> told.accept(caughtUp));
            });
        }

        @Override
        public void elect(String member) {
            election.elect(member);
        }

        @Override
        public void later(Runnable task) {
            RaftLog.this.later(TRANSFER_MILLIS, task);
        }
    }

    private final class Reading implements ReadIndexes.Group {
        @Override
        public String self() {
            return settings.id();
        }

        @Override
        public List<String> members() {
            return configuration.ids();
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public void send(String member, byte kind, byte[] message) {
            boolean sent = sendSoon(member, kind, message);
            LOG.trace("sent {} about read indexes to {}: {}", kind, member, sent);
        }

        @Override
        public void found(long question, long at) {
            listener.ifPresent(told -> told.onReadIndex(question, at));
        }

        @Override
        public void refused(long question) {
            listener.ifPresent(told -> told.onNoReadIndex(question));
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
                case WHICH_MEMBERS -> answer(member, APPLIED_MEMBERS, eightBytes(configuration.version()));
                case APPLIED_MEMBERS -> {
                    byte[] version = Arrays.copyOfRange(data, offset, offset + length);
                    tell(told -> changes.onApplied(member, version));
                }
                case OFFER -> snapshots.onOffer(member, Arrays.copyOfRange(data, offset, offset + length));
                case FETCH -> snapshots.onFetch(member, Arrays.copyOfRange(data, offset, offset + length));
                case WANTED -> snapshots.onWanted(member, Arrays.copyOfRange(data, offset, offset + length));
                case PIECE -> snapshots.onPiece(member, Arrays.copyOfRange(data, offset, offset + length));
                case ASK_READ_INDEX, READ_INDEX, NO_READ_INDEX, CONFIRM, CONFIRMED -> {
                    byte[] message = Arrays.copyOfRange(data, offset, offset + length);
                    reading(() -> onReadMessage(member, kind, message));
                }
                default -> LOG.debug("message of unknown kind {} from {} dropped", kind, member);
            }
        }

        @Override
        public void onView(List<String> members) {
            LOG.debug("{} reaches {}", settings.id(), members);
            reached = List.copyOf(members);
            leaderMayHaveChanged();
            inEvents(() -> {
                if (!stopped && leadsWithAllChanges()) {
                    lookForStrangers();
                }
            });
        }

        @Override
        public void onTwin() {
            end(GroupChannel.sameId(settings));
        }

        @Override
        public void onFatal(VirtualMachineError error) {
            end(GroupChannel.broken(settings, error));
        }

        private void onReadMessage(String member, byte kind, byte[] message) {
            switch (kind) {
                case ASK_READ_INDEX -> readIndexes.onAsked(member, message);
                case READ_INDEX -> readIndexes.onAnswered(member, message);
                case NO_READ_INDEX -> readIndexes.onRefused(message);
                case CONFIRM -> readIndexes.onConfirmationAsked(member, message);
                default -> readIndexes.onConfirmed(member, message);
            }
        }

        private void onSubmit(String member, byte[] data, int offset, int length) {
            int entryLength = length - Long.BYTES;
            if (entryLength < 0 || !EntryFrame.isWhole(data, offset + Long.BYTES, entryLength)) {
                LOG.debug("damaged submission from {} dropped", member);
                return;
            }
            if (!append(data, offset + Long.BYTES, entryLength)) {
                answer(member, REJECT, Arrays.copyOfRange(data, offset, offset + Long.BYTES));
            }
        }

        /** Without flow control: this may be the thread that reads the member's credits, and must not wait for them. */
        private void answer(String member, byte kind, byte[] few) {
            channel.send(member, kind, few, NOTHING, Message.Flag.NO_FC);
        }

        private void onReject(byte[] data, int offset, int length) {
            if (length == Long.BYTES) {
                rejected(ByteBuffer.wrap(data).getLong(offset));
            }
        }
    }
}
