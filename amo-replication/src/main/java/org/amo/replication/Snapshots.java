package org.amo.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaSnapshots;
import org.amo.core.replica.ServantPort;
import org.amo.core.replica.SnapshotCut;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes and installs the snapshots of one replica.
 *
 * <p>A snapshot is one cut. The replica's part is copied when the entry at its position has been delivered, and
 * gets the replies of requests decided up to there as they come in. The servant's part is taken in the execution
 * thread, in a task that stands in its queue behind the last execution up to that position and before the first one
 * beyond. Deliveries go on all the time; executions wait while the servant gives its state, and for nothing else: the
 * encoding and the disk have a thread of their own.
 */
final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    /** So long a snapshot waits for the votes of a majority, unless votes differ: the others may run without marks. */
    private static final long VOTES_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Between two lines that tell of snapshots, of which there may be one a second. */
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A snapshot has all kept replies on the heap. They go within their deadlines, and it comes then. */
    private static final long MOST_REPLY_BYTES = Runtime.getRuntime().maxMemory() / 8;

    /** So long an operator waits for a snapshot; the ports of operators wait longer. */
    private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final String TIMERS =
            "timers of operations are pending, and a timer cannot be in a snapshot; try again when none is pending";

    private static final String LARGE_REPLIES =
            "the kept replies take more than an eighth of the heap; try again when their clients have acknowledged them";

    /** Longest wait for the disk when a member is closed. */
    private static final long CLOSE_MILLIS = 8_000;

    private final String member;
    private final OrderedLog log;
    private final Replica replica;
    private final ReplicaSnapshots core;
    private final ServantPort servant;
    private final SerialExecutor owner;
    private final ExecutionThread execution;
    private final LogGrowth growth;
    private final BooleanSupplier heldUp;
    private final Consumer<Throwable> onFailure;
    private final ExecutorService writer;

    // The writer's thread.
    private Optional<Long> lastTold = Optional.empty();

    // Under the owner.
    private boolean underWay;
    private boolean toldThatNone;
    private boolean toldOfTimers;
    private Optional<Taken> taken = Optional.empty();
    private Optional<Kept> kept = Optional.empty();
    private long writtenHere;
    private boolean closed;
    private final List<Asked> asked = new ArrayList<>();

    /** On the disk. The times are 0 if this process has not taken it. */
    private record Kept(long position, long bytes, long takeNanos, long writeNanos) {}

    /** An operator waits for a snapshot of this position or a later one. */
    private record Asked(long position, CompletableFuture<Void> told, long sinceNanos) {}

    /** How a write has ended: kept or not, and the reason if it failed. */
    private record Written(boolean isKept, long bytes, Optional<String> failure) {}

    /** Complete, and not kept yet, because no majority has agreed on its digest so far. */
    private record Taken(SnapshotCut cut, byte[] state, long tookNanos, long sinceNanos) {}

    /**
     * @param growth used under the owner
     * @param heldUp whether an execution waits for an entry that has not been delivered
     * @param onFailure told of errors, after which the member must not go on
     */
    Snapshots(
            String member,
            OrderedLog log,
            Replica replica,
            ServantPort servant,
            SerialExecutor owner,
            ExecutionThread execution,
            LogGrowth growth,
            BooleanSupplier heldUp,
            Consumer<Throwable> onFailure) {
        this.member = member;
        this.log = log;
        this.replica = replica;
        this.core = replica.snapshots();
        this.servant = servant;
        this.owner = owner;
        this.execution = execution;
        this.growth = growth;
        this.heldUp = heldUp;
        this.onFailure = onFailure;
        this.writer = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-snapshot-" + member));
    }

    /** Under the owner, when an entry was delivered. */
    void onDelivered(int bytes) {
        growth.add(bytes);
        if (growth.isDue()) {
            begin();
        }
    }

    /** Under the owner: at once, if none is under way. */
    void begin() {
        begin(() -> {});
    }

    /** @param onTimers run under the owner if timers are pending, so that there is no snapshot */
    void begin(Runnable onTimers) {
        if (underWay || obstacle().isPresent()) {
            return;
        }
        if (replica.operations().hasPendingTimers()) {
            // Without a copy of the records: members may ask for long.
            onPendingTimers(onTimers);
            return;
        }
        growth.restart();
        underWay = true;
        long beganCut = System.nanoTime();
        SnapshotCut cut = core.cut(MOST_REPLY_BYTES - core.keptReplyBytes());
        growth.spend(System.nanoTime() - beganCut);
        core.wantMark();
        execution.runBetween(() -> {
            if (servant.nextTimerMillis().isPresent()) {
                owner.run(() -> {
                    if (underWay) {
                        onPendingTimers(onTimers);
                    }
                });
                return;
            }
            long began = System.nanoTime();
            Optional<byte[]> state = servant.takeState();
            long tookNanos = System.nanoTime() - began;
            owner.run(() -> onTaken(cut, state, tookNanos));
        });
    }

    /** The reason for which no snapshot can begin now; timers apart, which only the execution thread knows for certain. */
    private Optional<String> obstacle() {
        if (!log.compacts()) {
            return Optional.of("its log keeps no snapshots");
        }
        if (!replica.isCaughtUp()) {
            return Optional.of("it has not caught up with its group yet; try again when it has");
        }
        return core.keptReplyBytes() > MOST_REPLY_BYTES ? Optional.of(LARGE_REPLIES) : Optional.empty();
    }

    /** Under the owner: the snapshot on the disk as numbers, for the status. */
    Map<String, Long> figures() {
        return kept.map(now -> Map.of(
                        "position",
                        now.position,
                        "bytes",
                        now.bytes,
                        "takeMicros",
                        TimeUnit.NANOSECONDS.toMicros(now.takeNanos),
                        "writeMicros",
                        TimeUnit.NANOSECONDS.toMicros(now.writeNanos),
                        "taken",
                        writtenHere))
                .orElse(Map.of());
    }

    /**
     * Under the owner: an operator wants a snapshot of the present position or a later one.
     *
     * @param told done when it is on the disk, or the reason why there is none
     */
    void ask(CompletableFuture<Void> told) {
        asked.add(new Asked(replica.position(), told, System.nanoTime()));
        answerAsked();
    }

    /** Tells those that have their snapshot, and begins the next one for the others. */
    private void answerAsked() {
        long position = kept.map(Kept::position).orElse(0L);
        asked.stream().filter(each -> each.position <= position).forEach(each -> each.told.complete(null));
        asked.removeIf(each -> each.told.isDone());
        if (asked.isEmpty() || underWay) {
            return;
        }
        if (closed) {
            refuseAsked(OrderedLogException.Fault.ENVIRONMENT, "it stops");
        } else if (obstacle().isPresent()) {
            refuseAsked(OrderedLogException.Fault.ENVIRONMENT, obstacle().get());
        } else {
            begin();
        }
    }

    private void refuseAsked(OrderedLogException.Fault fault, String why) {
        List<Asked> refused = List.copyOf(asked);
        asked.clear();
        refused.forEach(each -> each.told.completeExceptionally(refusal(fault, why)));
    }

    private OrderedLogException refusal(OrderedLogException.Fault fault, String why) {
        return new OrderedLogException(fault, "member '" + member + "' takes no snapshot: " + why);
    }

    /** The ports give up soon after. */
    private void refuseOverdue() {
        long now = System.nanoTime();
        asked.stream()
                .filter(each -> now - each.sinceNanos > ASKED_NANOS)
                .forEach(each -> each.told.completeExceptionally(refusal(
                        OrderedLogException.Fault.ENVIRONMENT,
                        taken.isPresent()
                                ? "no majority of the members has confirmed the state that it would hold yet; look at"
                                        + " their digests in ./amo status"
                                : "it is still being taken or written; ./amo snapshot list tells when it is there")));
        asked.removeIf(each -> each.told.isDone());
    }

    /**
     * From the log, which waits: the servant's state first, then the replica's, when nothing is under way.
     *
     * @param ofReplica puts the replica's part in place, under the owner
     */
    void install(LogSnapshot snapshot, Runnable ofReplica) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        // Behind the effects of all earlier deliveries.
        owner.run(() -> execution.runInstall(() -> {
            try {
                servant.restoreState(snapshot.servant());
                // Earlier executions have already been handed to the owner.
                owner.run(() -> {
                    try {
                        ofReplica.run();
                        growth.restart();
                        underWay = false;
                        taken = Optional.empty();
                        long bytes = (long) snapshot.replica().length + snapshot.servant().length;
                        kept = Optional.of(new Kept(snapshot.position(), bytes, 0, 0));
                        answerAsked();
                        done.complete(null);
                    } catch (RuntimeException | Error e) {
                        done.completeExceptionally(e);
                    }
                });
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(withRemedy(e));
            }
        }));
        awaitInstalled(done, snapshot);
    }

    /**
     * An execution of this member waits for an entry that only the snapshot covers, and an operation cannot be taken back from its midst.
     * The snapshot is on the disk already.
     */
    static OrderedLogException overtakes(String member, LogSnapshot snapshot) {
        return new OrderedLogException(
                OrderedLogException.Fault.ENVIRONMENT,
                "member '" + member + "' has taken a snapshot of position " + snapshot.position()
                        + " while an earlier request waited for an entry that the others have cut off; start it again,"
                        + " and it continues from there");
    }

    /**
     * A program's own restore may take more stack than its taking of the state did, and each start meets it again. The servant may have
     * a part of the state, so this member cannot go on with its log.
     */
    private Throwable withRemedy(Throwable thrown) {
        if (FatalErrors.in(thrown).filter(StackOverflowError.class::isInstance).isEmpty()) {
            return thrown;
        }
        // It is no cause: the process would end by it at once, without this line.
        return new OrderedLogException(
                OrderedLogException.Fault.USER,
                "member " + member + " cannot take the state of a snapshot, which nests too deep for the stack ("
                        + thrown + "); start every member with a larger -Xss");
    }

    private void awaitInstalled(CompletableFuture<Void> done, LogSnapshot snapshot) {
        while (true) {
            try {
                done.get(500, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                if (execution.hasEnded()) {
                    throw new IllegalStateException("the replica was closed while a snapshot was put in place", e);
                }
                if (heldUp.getAsBoolean()) {
                    throw overtakes(member, snapshot);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a snapshot was put in place", e);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
            }
        }
    }

    void close() {
        writer.shutdown();
        owner.run(() -> {
            closed = true;
            refuseAsked(OrderedLogException.Fault.ENVIRONMENT, "it stops");
        });
    }

    /** After {@link #close}: returns when the current snapshot has been written, or after a bound. */
    void awaitEnd() {
        try {
            if (!writer.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn("member {} still writes a snapshot although it is closed", member);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A timer is a closure of the servant's, which cannot be written down. */
    private void onPendingTimers(Runnable onTimers) {
        tryLater(TIMERS);
        onTimers.run();
        if (!toldOfTimers) {
            toldOfTimers = true;
            LOG.warn(
                    "the log of member {} cannot be cut while timers of operations are pending, and a timer cannot be in a"
                            + " snapshot; it grows until none is pending: let timers of operations end, or start periodic ones"
                            + " elsewhere",
                    member);
        }
    }

    /** This one is impossible. */
    private void tryLater(String why) {
        core.dropCut();
        underWay = false;
        growth.retryLater();
        refuseAsked(OrderedLogException.Fault.ENVIRONMENT, why);
    }

    private void onTaken(SnapshotCut cut, Optional<byte[]> state, long tookNanos) {
        if (!underWay) {
            return;
        }
        growth.spend(tookNanos);
        // In style passive the primary is ahead of the order, and its cut is complete some time later.
        if (state.isEmpty()) {
            core.dropCut();
            underWay = false;
            refuseAsked(
                    OrderedLogException.Fault.USER,
                    "its servants offer no state now; the member's log has the reason, and"
                            + " docs/how-to/offer-a-servants-state.md the remedy");
            if (!toldThatNone) {
                toldThatNone = true;
                LOG.warn("the log of member {} cannot be cut, because its servants offer no state; it grows", member);
            }
            return;
        }
        taken = Optional.of(new Taken(cut, state.get(), tookNanos, System.nanoTime()));
        keepIfAgreed();
    }

    /** Under the owner, often: keeps a snapshot once a majority agrees on its digest. A diverged member keeps none. */
    void keepIfAgreed() {
        if (taken.filter(each -> each.cut.isTooLarge()).isPresent()) {
            taken = Optional.empty();
            tryLater(LARGE_REPLIES);
        }
        refuseOverdue();
        if (taken.isEmpty() || !taken.get().cut.isComplete()) {
            return;
        }
        Taken waiting = taken.get();
        boolean silent =
                !core.isDisputed() && replica.isCaughtUp() && System.nanoTime() - waiting.sinceNanos > VOTES_NANOS;
        if (silent || core.mayKeep(waiting.cut.position())) {
            taken = Optional.empty();
            write(waiting);
        }
    }

    private void write(Taken agreed) {
        try {
            writer.execute(() -> {
                long began = System.nanoTime();
                Written written = keep(agreed.cut, agreed.state, agreed.tookNanos / 1_000_000);
                LOG.debug("snapshot of position {}: {}", agreed.cut.position(), written);
                long wroteNanos = System.nanoTime() - began;
                owner.run(() -> onWritten(agreed, written, wroteNanos));
            });
        } catch (RejectedExecutionException e) {
            LOG.trace("closed");
        }
    }

    private void onWritten(Taken agreed, Written written, long wroteNanos) {
        underWay = false;
        growth.spend(wroteNanos);
        long position = agreed.cut.position();
        if (written.isKept) {
            writtenHere++;
            // One of another member may have come meanwhile.
            if (kept.filter(now -> now.position > position).isEmpty()) {
                kept = Optional.of(new Kept(position, written.bytes, agreed.tookNanos, wroteNanos));
            }
        }
        written.failure.ifPresent(why -> refuseAsked(OrderedLogException.Fault.ENVIRONMENT, why));
        answerAsked();
    }

    private Written keep(SnapshotCut cut, byte[] state, long tookMillis) {
        try {
            byte[] records = cut.encode();
            boolean isKept = log.compact(new LogSnapshot(cut.position(), records, state));
            boolean tells = lastTold.isEmpty() || System.nanoTime() - lastTold.get() > TELL_NANOS;
            if (tells) {
                lastTold = Optional.of(System.nanoTime());
            }
            LOG.atLevel(tells ? Level.INFO : Level.DEBUG)
                    .log(
                            "member {} has a snapshot of position {}: {} bytes of the servant (taken in {} ms), {} of records",
                            member,
                            cut.position(),
                            state.length,
                            tookMillis,
                            records.length);
            return new Written(isKept, (long) records.length + state.length, Optional.empty());
        } catch (RuntimeException e) {
            // Nothing was forgotten; the next one may fare better.
            LOG.error("member {} could not keep a snapshot; its log stays as it is", member, e);
            return new Written(false, 0, Optional.of(String.valueOf(e.getMessage())));
        } catch (Error e) {
            onFailure.accept(e);
            return new Written(false, 0, Optional.of("it ends"));
        }
    }
}
