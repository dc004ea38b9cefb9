package org.amo.replication.order.raft;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import org.amo.core.door.SharedRoom;
import org.amo.core.order.LogHealth;
import org.amo.core.order.LogRepair;
import org.amo.replication.order.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.View;
import org.jgroups.protocols.raft.AppendEntriesRequest;
import org.jgroups.protocols.raft.AppendEntriesResponse;
import org.jgroups.protocols.raft.AppendResult;
import org.jgroups.protocols.raft.Follower;
import org.jgroups.protocols.raft.Leader;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.protocols.raft.Role;
import org.jgroups.raft.Options;
import org.jgroups.raft.util.CommitTable;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * jgroups-raft 1.1.4's RAFT with Raft's rules restored where it breaks them, and with snapshots of our own.
 *
 * <p>An entry is delivered, and so executed and answered, only once a majority of the members holds it; a minority
 * delivers nothing, and entries that it alone has are cut off when it hears of a leader.
 *
 * <ul>
 *   <li><b>A follower commits only entries that it knows to be the leader's.</b> The original applies entries of
 *       its own, uncommitted tail when a message without entries carries a higher commit index (a
 *       quorum read multicasts such a message: replicas diverged in 4 of 4 trials), and reports that tail as
 *       acknowledged.
 *   <li><b>A leader commits only entries of its own term by counting</b> (Raft, section 5.4.2 and figure
 *       8), and writes an empty one when it is elected so that older ones follow soon.
 *   <li><b>A leader appends submissions after the messages that came with them.</b> The original looks at its term once,
 *       before both: a former leader would append an entry of its old term behind those of the new leader, and then lose
 *       elections to members that hold less.
 *   <li><b>A leader whose append fails leaves its term.</b> The original multicasts entries before it appends them, and leads
 *       on if that fails: it would give the next entries the same indexes and the same term, and members take the one for the
 *       other.
 *   <li><b>A follower deletes only entries that the leader replaces.</b> On a conflict the original deletes all entries of
 *       the conflicting term that are not delivered, acknowledged and committed ones among them.
 *   <li><b>A member that lags is fed while the group is busy</b>, in pieces. The original sends missing
 *       entries only when nothing arrived for {@code resend_interval}, and then all in one message.
 *   <li><b>A leader knows each member of its view.</b> The original makes a new leader's table of members in the thread of the
 *       election, while the next view may come in another thread. A member of that view alone could be missing in the table. The
 *       leader then repeated nothing to it, neither entries nor the last commit index, until a further view came. A view that
 *       came while the leader stepped down could be lost for the protocols above.
 *   <li><b>A leader of an older term is told of the newer one.</b> The original drops its entries silently, and it
 *       leads on without followers.
 *   <li><b>A member votes once in a term.</b> The original raises the term in memory, and stores it and the vote behind that, each
 *       outside of any lock: a message of the same term in another thread could be answered before the term was on disk, and
 *       storing the term could erase a vote that had left. Here one lock is around each change, in memory and on disk.
 *   <li><b>A vote counts in its own term.</b> The original counts an answer to an earlier request as a vote in the present term
 *       ({@link ConfiguredElection}).
 *   <li><b>A follower acknowledges no entry that it appended behind a vote in a later term.</b> Votes come in other threads, and a vote tells
 *       the end of the log, which may lack an entry that is being written. The original acknowledges that entry in the old term: its
 *       leader would count a member that helped to elect one without the entry.
 *   <li><b>A removed member counts for no entry.</b> The original keeps its voice on entries that are not committed, and needs fewer voices
 *       once it is gone ({@link RemovedVoices}).
 *   <li><b>No quorum reads:</b> getAsync throws. Reads go through the log, or wait for a read index ({@link ReadIndexes}).
 *   <li><b>Snapshots are made and sent elsewhere</b> ({@link SnapshotFile}, {@link SnapshotTransfer}). The original
 *       makes one in RAFT's thread whenever its log has grown by a megabyte, from a state machine that may offer
 *       nothing, and sends it as one message. Here, the log is only cut and begun anew.
 * </ul>
 *
 * <p>A member with a damaged log only follows ({@link LogRepair}); a member with a full disk takes no entries until there
 * is room; a member whose disk or servant stands still is no help ({@link Progress}). None of them votes or leads
 * meanwhile ({@link #abstains}).
 *
 * <p><b>No member waits for another one's servant.</b> Committed entries stay in the log while the listener has no room; a
 * follower with a long undelivered tail takes no more entries, and messages beyond a limit are dropped.
 *
 * <p>One thread at a time runs RAFT ({@link RaftTurns}), and owns what comments call RAFT's. That is RAFT's own thread. If the log
 * is in memory, the thread that brings an append, an answer or a submission may run it, too, as a guest. A guest never waits, since
 * it may be a thread that reads from the network, or own the core: it delivers and repeats no entry, and it sends entries only while
 * none is in flight and flow control lets them pass (docs/decisions/0164-the-thread-that-brings-a-message-runs-raft.md). Role
 * changes happen in other threads, as in the original.
 */
final class GuardedRaft extends RAFT {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedRaft.class);

    /** Keeps snapshots and members. Called in RAFT's thread, but for {@link #restore}. */
    interface Keeper {
        /** The leader may be another member or the same one; perhaps under RAFT's lock. */
        void leaderChanged();

        /** Puts the snapshot on disk in place, before the log behind it is delivered. @return its index, or 0 */
        long restore();

        /** False once this member was removed: as a leader it would count itself. */
        boolean isMember();

        /** A change of the members has been committed; in the order of the log. */
        void memberChanged(boolean added, String member);

        /** A member lacks entries that were cut off here. */
        void offerSnapshot(Address member);

        /** Opens the log of this member. @throws OrderedLogException when it cannot be used */
        MeasuredLog openLog();

        /** All other members. */
        List<String> others();

        /** Whether the listener takes the next entry. If not, {@link #onRoom} is called later. */
        boolean hasRoom();

        /** Whether a message of so many bytes to all members waits for none of them, if no other is sent meanwhile. */
        boolean sendsAtOnce(long bytes);
    }

    /** Only entries that no connected member lacks are cut off, unless a member lacks more than this. */
    private static final long PATIENCE_ENTRIES = 20_000;

    /** Entries that a guest sends have at most so many bytes. */
    private static final long QUICK_BYTES = 64 << 10;

    private static final long HEAP_PART = Runtime.getRuntime().maxMemory() / 8;

    /** Of those entries, in a log in the heap. */
    private static final long PATIENCE_BYTES = Math.min(64L << 20, HEAP_PART);

    /**
     * Entries in front of a snapshot that stay, for members that are away for a moment: an operation of theirs may wait for one of
     * them, which no snapshot replaces (docs/decisions/0119-entries-for-members-that-are-away.md).
     */
    private static final long DEFAULT_KEPT_ENTRIES = 5_000;

    /** Of those, at most. */
    private static final long KEPT_BYTES = Math.min(8L << 20, HEAP_PART / 8);

    /**
     * Messages that wait for RAFT's thread. Those beyond it are dropped, and RAFT sends their content again: a thread that
     * reads from the network must not wait for a disk or a servant of this member, since flow control would then stop the
     * whole group (docs/decisions/0097-a-member-that-stands-still.md).
     */
    static final int MOST_INBOUND = 8_192;

    private static final long MOST_INBOUND_BYTES = Math.max(8L << 20, HEAP_PART);
    static final int MOST_UNDELIVERED = 20_000;
    static final long MOST_UNDELIVERED_BYTES = Math.min(64L << 20, HEAP_PART);

    /** Of a log that answers a request for a vote. */
    record LogEnd(long term, long index) {}

    private final Keeper keeper;
    /** Around each change of the term and the vote, in memory and on disk. Outside of RAFT's own lock. */
    private final Object terms = new Object();
    /** Around the members in a leader's table: the view and the lead come in different threads. */
    private final Object views = new Object();
    /** Bytes that were submitted here and are not committed. */
    private final AtomicLong outstanding = new AtomicLong();
    /** RAFT's thread, or the one that starts it. */
    private long applying;

    private final RaftTurns<Request> turns = new RaftTurns<>();
    private volatile boolean admitsGuests;

    // Of the thread that runs RAFT.
    /** Whether that is a guest. */
    private boolean guest;

    private final SentPieces pieces = new SentPieces();
    private final LeaderMatch match = new LeaderMatch(this);
    private final CutPace cuts = new CutPace(System::nanoTime);
    /** As {@link MeasuredLog#newest} of the log, around which RAFT puts a cache. */
    private LongBinaryOperator newest = (index, bytes) -> 0;

    private final long keptEntries = Long.getLong("amo.keptEntries", DEFAULT_KEPT_ENTRIES);
    // Of the thread that runs RAFT. Entries of this log up to here are committed. A follower delivers them when it has
    // answered the leader.
    private long known;
    /** The latest term in which this member, as the leader, has committed an entry of that term. */
    private long committedTerm;

    /** The term of the message that is handled, which this member may leave meanwhile; 0 if there is none. */
    private long heardTerm;

    private final RemovedVoices removedVoices = new RemovedVoices();

    private final Undelivered undelivered = new Undelivered(MOST_UNDELIVERED, MOST_UNDELIVERED_BYTES);
    private volatile SharedRoom inbound = new SharedRoom(MOST_INBOUND, MOST_INBOUND_BYTES);
    private final Progress progress = new Progress();
    private final Fitness fitness = new Fitness(progress);
    private volatile boolean waitsForRoom;

    GuardedRaft(Keeper keeper) {
        this.keeper = keeper;
        setId(RAFT_ID);
        impl = new GuardedFollower(this);
        processing_queue_max_size = 1; // that queue is not used
    }

    @Override
    public void init() throws Exception {
        super.init();
        runner.daemon(true).threadName("amo-raft-" + raftId());
    }

    @Override
    public CompletableFuture<byte[]> getAsync(byte[] buf, int offset, int length, Options options) {
        throw new UnsupportedOperationException(
                "amo never reads by getAsync; ask for a read index, or submit the read as an entry");
    }

    @Override
    public void start() throws Exception {
        if (log_impl == null) {
            MeasuredLog opened = keeper.openLog();
            newest = opened::newest;
            log_impl = opened;
            fitness.opened(log_impl);
        }
        super.start();
        admitsGuests = log_impl instanceof MemoryLog;
    }

    @Override
    public void stop() {
        admitsGuests = false;
        super.stop();
    }

    /** @param told why the log can no longer be written, in RAFT's thread; to be called once RAFT has started */
    void onBrokenLog(Consumer<String> told) {
        fitness.onBrokenLog(told);
    }

    /** When RAFT was stopped and is to start again: the original would use the closed log. Applied entries stay so. */
    void forgetClosedLog() {
        log_impl = null;
        inbound = new SharedRoom(MOST_INBOUND, MOST_INBOUND_BYTES);
        undelivered.deleted(0);
        known = 0;
        match.forget();
    }

    /** Whether the log has an entry, a term or a vote, which this member may have told others. Not while RAFT's thread runs. */
    boolean hasTakenPart() {
        Log log = log_impl;
        return log != null && (log.lastAppended() > 0 || log.currentTerm() > 0 || log.votedFor() != null);
    }

    /** The repair of a damaged log, while it lasts. Any thread. */
    Optional<LogRepair> repair() {
        return fitness.repair();
    }

    /** Whether the disk had no room when last asked. Any thread. */
    boolean isFull() {
        return fitness.isFull();
    }

    /** For the operator. Any thread. */
    LogHealth health() {
        return fitness.health();
    }

    /** Whether this member neither votes nor serves for now. Any thread. */
    boolean abstains() {
        return fitness.abstains();
    }

    /** False while a leader cannot count on this member. Any thread. */
    boolean takesEntries() {
        return fitness.takesEntries();
    }

    /** Every {@link LeaderWatch#TICK_MILLIS}, in the thread that ticks. */
    void onTick() {
        if (progress.onTick()) {
            if (progress.isStill()) {
                LOG.warn("member {} neither votes nor serves: {}", raftId(), fitness.stillness());
            } else {
                LOG.warn("member {} makes progress again; it votes and serves", raftId());
            }
            keeper.leaderChanged();
        }
    }

    /** The listener has room again. Any thread. */
    void onRoom() {
        if (waitsForRoom) {
            waitsForRoom = false;
            run(this::deliverKnown);
        }
    }

    /** Now and then, in RAFT's thread: there may be room on the disk again. */
    void lookForRoom() {
        if (isFull() && fitness.hasRoomFor(0, 0)) {
            keeper.leaderChanged();
        }
    }

    /** Another member told its stored term and the end of its log. RAFT's thread. */
    void onTerm(String member, long term, long lastIndex) {
        fitness.onTerm(member, term, lastIndex, keeper.others()).ifPresent(damage -> {
            synchronized (terms) {
                currentTerm(damage.term());
                // It may have voted in that term, so it counts as if it had: for itself, since it does not ask for
                // votes.
                if (votedFor() == null) {
                    votedFor(local_addr);
                }
                // Last: a process that is killed in between asks again.
                fitness.keep(damage);
            }
            LOG.info("member {} knows again that it did not vote behind term {}", raftId(), damage.term());
        });
    }

    /** The log equals the leader's further on. */
    private void tellRepair() {
        long upTo = match.index();
        LogEntry entry = repair().isPresent() ? log_impl.get(upTo) : null;
        if (entry != null && fitness.onVerified(upTo, entry.term())) {
            LOG.warn(
                    "member {}: the damaged log is repaired up to entry {}; it votes and serves again", raftId(), upTo);
            keeper.leaderChanged();
        }
    }

    @Override
    public RAFT leader(Address leader) {
        synchronized (terms) {
            if (isInHeardTerm()) {
                super.leader(leader);
            }
        }
        keeper.leaderChanged();
        return this;
    }

    /** Whether the sender of the message that is handled leads in the present term. Under the lock of the terms. */
    private boolean isInHeardTerm() {
        return heardTerm == 0 || heardTerm == currentTerm();
    }

    @Override
    public RAFT setLeaderAndTerm(Address leader, long term) {
        trySetLeaderAndTerm(leader, term);
        return this;
    }

    @Override
    public int trySetLeaderAndTerm(Address leader, long term) {
        int result;
        if (term == 0) {
            // Of the leader alone: stepping down, which the election does under its own lock.
            result = super.trySetLeaderAndTerm(leader, term);
        } else {
            synchronized (terms) {
                result = super.trySetLeaderAndTerm(leader, term);
            }
        }
        keeper.leaderChanged();
        return result;
    }

    @Override
    public RAFT votedFor(Address candidate) {
        synchronized (terms) {
            return super.votedFor(candidate);
        }
    }

    /**
     * Votes for the candidate in that term, unless this member abstains, is none of the group, is in a later term, or has voted for
     * another one in this term. Any thread.
     *
     * @return the end of this log, once the vote is on disk
     */
    Optional<LogEnd> vote(Address candidate, long term) {
        synchronized (terms) {
            if (abstains() || log_impl == null || currentTerm(term) < 0) {
                return Optional.empty();
            }
            Address voted = votedFor();
            if ((voted != null && !voted.equals(candidate)) || !members().contains(raftId())) {
                return Optional.empty();
            }
            long index = log_impl.lastAppended();
            LogEntry entry = log_impl.get(index);
            if (entry == null && index > 0) {
                return Optional.empty(); // RAFT's thread is replacing that entry; the candidate asks again
            }
            votedFor(candidate);
            return Optional.of(new LogEnd(entry == null ? 0 : entry.term(), index));
        }
    }

    /** Runs the task while the term is this one, if it is. */
    void inTerm(long term, Runnable task) {
        synchronized (terms) {
            if (term == currentTerm()) {
                task.run();
            }
        }
    }

    @Override
    public int currentTerm(long term) {
        int result;
        synchronized (terms) {
            result = super.currentTerm(term);
        }
        if (result > 0) {
            keeper.leaderChanged(); // a higher term knows no leader yet
        }
        return result;
    }

    @Override
    public long createNewTerm() {
        long term;
        synchronized (terms) {
            term = super.createNewTerm();
        }
        keeper.leaderChanged();
        return term;
    }

    @Override
    public void handleView(View now) {
        synchronized (views) {
            view = now;
            CommitTable table = commit_table;
            if (table != null) {
                List<Address> others = new ArrayList<>(now.getMembers());
                others.remove(local_addr);
                table.adjust(others, last_appended + 1);
            }
        }
    }

    /** Under RAFT's lock, in the thread in which the lead begins. */
    @Override
    protected void createCommitTable() {
        synchronized (views) {
            super.createCommitTable();
        }
    }

    // A member that is not (yet) one of the group follows like the others; the leader knows which members count.
    @Override
    protected RAFT changeRole(Role role) {
        if (role == Role.Leader) {
            return super.changeRole(role);
        }
        if (!(impl instanceof GuardedFollower)) {
            impl.destroy();
            impl = new GuardedFollower(this);
            notifyRoleChangeListeners(role);
        }
        return this;
    }

    /** Runs a task in RAFT's thread, between two messages. */
    void run(Runnable task) {
        turns.put(new UpRequest(new EmptyMessage(), new LocalTask(task)));
    }

    /** A message of another member. */
    @Override
    protected void add(Request request) {
        handIn(request, () -> true);
    }

    /** A submission. */
    @Override
    protected void offer(Request request) {
        handIn(request, this::ordersAtOnce);
    }

    /** While an entry is in flight, RAFT's thread takes all submissions that wait into one message. */
    private boolean ordersAtOnce() {
        return known == last_appended && outstanding.get() <= QUICK_BYTES && keeper.sendsAtOnce(2 * QUICK_BYTES);
    }

    /** A new leader submits its first entry under the lock of RAFT's state. */
    private boolean mayBeGuest() {
        return admitsGuests && !isLocked();
    }

    /** Whether this thread holds a lock that others need in order to ask for the leader or the term. */
    boolean isLocked() {
        return Thread.holdsLock(raft_state) || Thread.holdsLock(terms);
    }

    /** @param atOnce asked by the thread that has the turn */
    private void handIn(Request request, BooleanSupplier atOnce) {
        if (!mayBeGuest() || !turns.begin()) {
            turns.put(request);
            return;
        }
        guest = true;
        try {
            if (atOnce.getAsBoolean()) {
                process(List.of(request));
            } else {
                turns.put(request);
            }
        } catch (RuntimeException | Error e) {
            // JGroups drops it in RAFT's own thread, too.
            LOG.debug("while RAFT ran in the thread that brought a request", e);
        } finally {
            guest = false;
            turns.end(known > commit_index);
        }
    }

    /** The index of the entry that is being delivered. */
    long applying() {
        return applying;
    }

    /** The snapshot of this index is on disk: entries before it are not needed for a start. RAFT's thread. */
    void cut(long index) {
        long first = log_impl.firstAppended();
        long kept = Math.min(keptEntries, newest.applyAsLong(index, KEPT_BYTES));
        long upTo = Math.min(firstLacking(index), index - kept);
        // A cut of a file writes what stays anew, so as much goes.
        boolean isWorthIt = log_impl instanceof MemoryLog || upTo - first >= index - upTo;
        if (upTo > first && isWorthIt) {
            cuts.run(() -> log_impl.truncate(upTo));
        }
    }

    /** The first entry, up to this index, that a connected member may lack. */
    private long firstLacking(long index) {
        CommitTable table = commit_table;
        if (table == null) {
            return index;
        }
        long[] least = {index};
        table.forEach((member, entry) -> {
            if (index - entry.matchIndex() <= PATIENCE_ENTRIES) {
                least[0] = Math.min(least[0], entry.matchIndex());
            }
        });
        return log_impl instanceof MemoryLog
                ? Math.max(least[0], index - newest.applyAsLong(index, PATIENCE_BYTES))
                : least[0];
    }

    /**
     * Begins the log anew behind a snapshot of the leader. RAFT's thread.
     *
     * @param place puts the snapshot on disk in place; from then on a crash leads to the same end
     * @return false if it is not needed any more
     */
    boolean install(long index, long term, Runnable place) throws Exception {
        LogEntry there = log_impl.get(index);
        if (index <= commit_index || isLeader() || (there != null && there.term() == term)) {
            return false;
        }
        place.run();
        log_impl.reinitializeTo(index, new LogEntry(term, new byte[0]));
        commit_index = index;
        last_appended = index;
        undelivered.delivered(index);
        match.installed(index);
        tellRepair();
        return true;
    }

    /** Tells the leader that this member has everything up to the commit index. RAFT's thread. */
    void acknowledgeInstalled() {
        Address leader = leader();
        if (leader != null) {
            AppendResult result = new AppendResult(AppendResult.Result.OK, commit_index).commitIndex(commit_index);
            down_prot.down(
                    new EmptyMessage(leader).putHeader(getId(), new AppendEntriesResponse(currentTerm(), result)));
        }
    }

    @Override
    public CompletableFuture<byte[]> setAsync(byte[] buf, int offset, int length, boolean internal, Options options) {
        outstanding.addAndGet(length);
        try {
            return super.setAsync(buf, offset, length, internal, options)
                    .whenComplete((result, failure) -> outstanding.addAndGet(-length));
        } catch (IllegalStateException e) {
            outstanding.addAndGet(-length);
            throw e;
        }
    }

    @Override
    public void initStateMachineFromLog() throws Exception {
        if (state_machine_loaded) {
            return;
        }
        long from = keeper.restore();
        for (long index = from + 1; index <= commit_index; index++) {
            applyCommit(index, false);
        }
        state_machine_loaded = true;
    }

    @Override
    protected void applyCommit(long index, boolean serializeResponse) throws Exception {
        applying = index;
        super.applyCommit(index, serializeResponse);
    }

    @Override
    protected void _addServer(String member) {
        memberChanged(true, member);
    }

    @Override
    protected void _removeServer(String member) {
        memberChanged(false, member);
    }

    /**
     * The leader orders the next change once this one counts as applied at all members. A member that did not know it any more
     * after a loss of power would be further apart from them.
     */
    private void memberChanged(boolean added, String member) {
        if (!added) {
            removedVoices.removed(last_appended);
        }
        fitness.keepCommitIndex(applying);
        keeper.memberChanged(added, member);
    }

    /** Whether that member has said that it has each entry of this leader's log. RAFT's thread. */
    boolean isCaughtUp(String member) {
        CommitTable table = commit_table;
        boolean[] caughtUp = {false};
        if (table != null && isLeader()) {
            table.forEach((address, entry) ->
                    caughtUp[0] |= GroupChannel.idOf(address).equals(member) && entry.matchIndex() >= last_appended);
        }
        return caughtUp[0];
    }

    /** The term in which this member leads and may go on to; empty if there is none. RAFT's thread. */
    OptionalLong leadingTerm() {
        // Another thread may raise the term, which at the same moment knows no leader.
        long term = currentTerm();
        return isLeader() && term == currentTerm() && !abstains() ? OptionalLong.of(term) : OptionalLong.empty();
    }

    /** The term in which an entry of this member's own leadership was committed last. RAFT's thread. */
    long committedTerm() {
        return committedTerm;
    }

    /** Entries of this log up to here are committed, and perhaps not delivered yet. RAFT's thread. */
    long known() {
        return known;
    }

    /** Whether the entry at this index has been delivered here, or is one of RAFT's own that is not. RAFT's thread. */
    boolean hasDelivered(long index) {
        return Math.max(commit_index, applying) >= index;
    }

    /**
     * Whether this member is one of the group, may vote, and is in that term: no leader of a later term has its vote. RAFT's
     * thread.
     */
    boolean confirms(long term) {
        synchronized (terms) {
            return !abstains()
                    && log_impl != null
                    && currentTerm() == term
                    && members().contains(raftId());
        }
    }

    /**
     * The leader of this term said that its log is committed up to there: entries that are known to equal its own are delivered.
     * RAFT's thread.
     */
    void onCommitted(String from, long term, long index) {
        Address sender = leader();
        if (!(impl instanceof Leader)
                && term == currentTerm()
                && sender != null
                && GroupChannel.idOf(sender).equals(from)) {
            known = Math.max(known, Math.min(index, match.indexIn(term)));
            deliverKnown();
        }
    }

    /** Whether an entry of this leadership is committed: before that, changes of an earlier one may be under way. */
    boolean hasCommittedInItsTerm() {
        LogEntry entry = log_impl.get(commit_index);
        return isLeader() && entry != null && entry.term() == currentTerm();
    }

    @Override
    protected void takeSnapshot() {
        throw new UnsupportedOperationException("amo takes its snapshots itself");
    }

    @Override
    protected void sendSnapshotTo(Address member) {
        keeper.offerSnapshot(member);
    }

    @Override
    public @Nullable Object up(Message message) {
        return enters(message) ? super.up(message) : null;
    }

    @Override
    public void up(MessageBatch batch) {
        for (Iterator<Message> each = batch.iterator(); each.hasNext(); ) {
            if (!enters(each.next())) {
                each.remove();
            }
        }
        super.up(batch);
    }

    private boolean enters(Message message) {
        return message.getHeader(getId()) == null || inbound.enter(bytes(message));
    }

    private static long bytes(Message message) {
        return message instanceof ObjectMessage sent && sent.getObject() instanceof LogEntries entries
                ? entries.totalSize()
                : message.getLength();
    }

    @Override
    public void handleUpRequest(Message message, RaftHeader header) {
        if (header instanceof LocalTask local) {
            local.task.run();
            return;
        }
        inbound.leave(bytes(message));
        if (header instanceof AppendEntriesRequest && header.currTerm() < currentTerm()) {
            tellOfTerm(message.getSrc());
            return;
        }
        if (header instanceof AppendEntriesRequest && !mayTake(message)) {
            return; // the leader sends it again
        }
        heardTerm = header.currTerm();
        try {
            super.handleUpRequest(message, header);
        } finally {
            heardTerm = 0;
        }
        if (header instanceof AppendEntriesResponse) {
            if (removedVoices.early() > known) {
                commitLogTo(removedVoices.early(), true);
            }
            feed(message.getSrc());
        }
    }

    private boolean mayTake(Message message) {
        if (repair().filter(open -> !open.mayFollow()).isPresent()) {
            return false;
        }
        LogEntries sent = ((ObjectMessage) message).getObject();
        // Not while only the leader can empty it: the next commit index comes with entries.
        if (sent != null && sent.size() > 0 && undelivered.isFull() && known > commit_index) {
            return false;
        }
        boolean wasFull = isFull();
        boolean room = sent == null || fitness.hasRoomFor(sent.size(), sent.totalSize());
        if (room == wasFull) {
            keeper.leaderChanged(); // it serves again, or no longer
        }
        return room;
    }

    @Override
    protected void processQueue() {
        boolean came;
        try {
            came = turns.await(TimeUnit.MILLISECONDS.toNanos(resend_interval));
        } catch (InterruptedException e) {
            return; // RAFT stops
        }
        try {
            if (came) {
                process(turns.take());
            } else {
                flushCommitTable();
            }
        } finally {
            progress.ends(known > commit_index);
            turns.endOwn();
        }
    }

    @Override
    protected void process(List<Request> requests) {
        progress.begins();
        List<Request> messages = new ArrayList<>(requests.size());
        List<Request> submissions = new ArrayList<>();
        requests.forEach(each -> (each instanceof DownRequest ? submissions : messages).add(each));
        try {
            super.process(messages);
            if (!submissions.isEmpty()) {
                order(submissions);
            }
            deliverKnown();
        } finally {
            progress.ends(known > commit_index);
        }
    }

    /** A leader sends entries before it writes them. */
    private void order(List<Request> submissions) {
        long term = currentTerm();
        try {
            // So it must know before that it can.
            if (isLeader() && !fitness.hasRoomFor(submissions.size(), outstanding.get())) {
                setLeaderAndTerm(null);
            }
            super.process(submissions);
        } catch (RuntimeException | Error e) {
            leave(term, e);
            throw e;
        }
    }

    /**
     * Entries may have left that are not in this log. The next ones would have the same indexes in the same term, and members
     * take entries with equal indexes and terms for equal: some would execute the first ones, and others the second.
     */
    private void leave(long term, Throwable why) {
        try {
            // It holds in memory even if it cannot be stored.
            currentTerm(term + 1);
        } catch (RuntimeException | Error e) {
            why.addSuppressed(e);
        }
        LOG.debug("member {} no longer leads: its entries may be at others and not in its own log", raftId(), why);
    }

    /** RAFT's thread, when the answers to all messages that had arrived are on their way. */
    void deliverKnown() {
        if (known > commit_index) {
            commitLogTo(known, false);
        }
    }

    @Override
    protected long applyCommits(long upTo, boolean serializeResponse) {
        boolean applied = true;
        while (applied && commit_index < upTo && hasRoom()) {
            long next = commit_index + 1;
            commit_index = super.applyCommits(next, serializeResponse);
            applied = commit_index == next;
            progress.advances();
        }
        undelivered.delivered(commit_index);
        return commit_index;
    }

    private boolean hasRoom() {
        if (keeper.hasRoom()) {
            return true;
        }
        // Asked once more, since the listener tells only a member that waits.
        waitsForRoom = true;
        return keeper.hasRoom();
    }

    /** Figure 2 of Raft, "reply false if term < currentTerm": a leader of long ago steps down. */
    private void tellOfTerm(Address oldLeader) {
        AppendResult refused = new AppendResult(AppendResult.Result.FAIL_ENTRY_NOT_FOUND, commit_index);
        down_prot.down(
                new EmptyMessage(oldLeader).putHeader(getId(), new AppendEntriesResponse(currentTerm(), refused)));
    }

    @Override
    protected RAFT commitLogTo(long index, boolean serializeResponse) {
        if (index > known) {
            // Counted as the leader, which this member may have ceased to be meanwhile.
            long last = Math.min(index, last_appended);
            LogEntry entry = log_impl.get(last);
            if (!(impl instanceof Leader) || entry == null || entry.term() != currentTerm() || !keeper.isMember()) {
                return this;
            }
            if (!removedVoices.mayCommit(last, () -> holders(last) >= majority())) {
                return this;
            }
            known = last;
            committedTerm = entry.term();
        }
        return guest ? this : super.commitLogTo(index, serializeResponse);
    }

    /** Members that have each entry up to there, this leader among them. */
    private int holders(long index) {
        Set<String> holders = new HashSet<>(Set.of(raftId()));
        CommitTable table = commit_table;
        if (table != null) {
            table.forEach((address, entry) -> {
                if (entry.matchIndex() >= index) {
                    holders.add(GroupChannel.idOf(address));
                }
            });
        }
        holders.retainAll(members());
        return holders.size();
    }

    // Called when nothing has arrived for resend_interval.
    @Override
    protected void sendAppendEntriesMessage(Address member, CommitTable.Entry entry) {
        progress.begins();
        long first = log_impl.firstAppended();
        if (first > 0 && entry.nextIndex() <= first) {
            // The original goes on when it is just the first that is lacking, without the entry before to compare.
            keeper.offerSnapshot(member);
            return;
        }
        boolean lacksEntries = last_appended >= entry.nextIndex() || last_appended > entry.matchIndex();
        if (lacksEntries && !pieces.to(member).isDue(entry.nextIndex())) {
            return; // a silent member must not fill the flow control credits that the others share with it
        }
        super.sendAppendEntriesMessage(member, entry);
    }

    @Override
    protected void resend(Address target, long index) {
        pieces.to(target).sent(index, index);
        super.resend(target, index);
    }

    @Override
    protected void resend(Address target, long from, long to) {
        long last = SentPieces.end(log_impl, from, to);
        SentPieces.Piece piece = pieces.to(target);
        piece.sent(from, last);
        piece.lags |= last < to;
        super.resend(target, from, last);
    }

    private void feed(Address member) {
        CommitTable table = commit_table;
        CommitTable.Entry entry = table == null ? null : table.get(member);
        if (entry == null) {
            return;
        }
        SentPieces.Piece piece = pieces.to(member);
        if (entry.sendSingleMessage()) {
            piece.lags = true; // it refused an entry because it lacks the one before
        }
        if (entry.nextIndex() > last_appended) {
            piece.lags = false;
        } else if (piece.lags && piece.isDue(entry.nextIndex())) {
            if (guest) {
                run(() -> feed(member)); // flow control may hold it up
            } else {
                sendAppendEntriesMessage(member, entry);
            }
        }
    }

    /**
     * Handles entries at a follower; see GuardedFollower. The leader waits for the answer, but not for the delivery of
     * entries committed before, so delivery comes after the answer.
     */
    private AppendResult follow(LogEntries sent, long previousIndex, long leaderCommit, AppendResult result) {
        synchronized (terms) {
            if (!isInHeardTerm()) {
                // The vote has told the entries that were here before this message, and none of the others counts.
                return new AppendResult(AppendResult.Result.OK, Math.max(match.indexIn(heardTerm), commit_index));
            }
            match.verify(sent, previousIndex);
        }
        if (!result.success()) {
            return result;
        }
        known = Math.max(known, Math.min(leaderCommit, match.index()));
        tellRepair();
        return new AppendResult(AppendResult.Result.OK, match.index()).commitIndex(Math.max(known, commit_index));
    }

    @Override
    protected boolean append(long index, LogEntries entries) {
        boolean added = super.append(index, entries);
        if (added) {
            undelivered.took(last_appended, entries.totalSize());
        }
        return added;
    }

    @Override
    protected void deleteAllLogEntriesStartingFrom(long index) {
        if (index <= known) {
            throw new IllegalStateException("entry " + index + " is committed, as all up to " + known);
        }
        super.deleteAllLogEntriesStartingFrom(index);
        match.deleted();
        undelivered.deleted(index);
    }

    /** Not a message: it never leaves this process and cannot come from another. */
    private static final class LocalTask extends RaftHeader {
        private final Runnable task;

        private LocalTask(Runnable task) {
            this.task = task;
        }

        @Override
        public short getMagicId() {
            throw new UnsupportedOperationException("a task cannot be sent");
        }

        @Override
        public Supplier<? extends Header> create() {
            throw new UnsupportedOperationException("a task cannot be received");
        }
    }

    private static final class GuardedFollower extends Follower {
        private final GuardedRaft guarded;

        GuardedFollower(GuardedRaft raft) {
            super(raft);
            guarded = raft;
        }

        @Override
        public void handleInstallSnapshotRequest(Message message, Address leader, long index, long term) {
            LOG.debug("a snapshot in one message from {} is not taken", leader);
        }

        @Override
        public AppendResult handleAppendEntriesRequest(
                LogEntries entries,
                Address leader,
                long previousIndex,
                long previousTerm,
                long entryTerm,
                long leaderCommit) {
            LogEntries sent = entries == null ? new LogEntries() : entries;
            Optional<AppendResult> conflict = sent.size() > 0
                    ? guarded.match.conflict(previousIndex, previousTerm, guarded.known)
                    : Optional.empty();
            if (conflict.isPresent()) {
                guarded.leader(leader);
                return conflict.get();
            }
            // With commit index 0 the original appends and commits nothing; we commit the verified entries.
            AppendResult result = guarded.follow(
                    sent,
                    previousIndex,
                    leaderCommit,
                    super.handleAppendEntriesRequest(sent, leader, previousIndex, previousTerm, entryTerm, 0));
            if (LOG.isTraceEnabled()) {
                LOG.trace(
                        "append after {}: {} entries, verified {}", previousIndex, sent.size(), guarded.match.index());
            }
            return result;
        }
    }
}
