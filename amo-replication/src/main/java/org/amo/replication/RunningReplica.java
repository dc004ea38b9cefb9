package org.amo.replication;

import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.base.NestedCalls;
import org.amo.base.SecretRing;
import org.amo.base.observe.TimeHistogram;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.LogHealth;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Execution;
import org.amo.core.replica.FeatureLevels;
import org.amo.core.replica.FirstDifference;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.MarkedServant;
import org.amo.core.replica.Place;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.net.Inbox;
import org.amo.replication.store.ReplyStores;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads, clocks and files around one {@link Replica}: the invariants of replication, told here together for the
 * reader. Each stands at the head of the class that keeps it, too; docs/reference/coverage.md has the test that fails without it.
 *
 * <ul>
 *   <li>I1 Whether to execute is decided at delivery, by client id and number; a check on receipt only saves work.
 *   <li>I2 Client records and ordered time change only while an ordered entry is delivered; no timer touches them.
 *   <li>I3 The only clock that forgets or refuses is the running maximum of the stamps in the ordered entries.
 *   <li>I4 Every attempt of a request carries the deadline fixed at the first send.
 *   <li>I5 A SACK frees the reply, never the id.
 *   <li>I6 Nothing is evicted for lack of room; a request that does not fit is refused.
 *   <li>I7 A snapshot is of one position in all its parts ({@link Snapshots}).
 *   <li>I8 A reply leaves after the log delivered the entry, which it does once a majority holds it.
 *   <li>I9 A duplicate of a running request waits and is answered.
 *   <li>I10 The client says NOT_EXECUTED only when it is certain; the core's client keeps it.
 *   <li>I13 A decision asks nothing local.
 * </ul>
 *
 * <p>Threads: the core is owned through {@link SerialExecutor} by whichever thread has something for it; the servant
 * runs in {@link ExecutionThread}. If the core or the servant's port breaks an invariant the replica stops: a
 * wrong reply is worse than none.
 */
final class RunningReplica implements ReplicatedService {
    private static final Logger LOG = LoggerFactory.getLogger(RunningReplica.class);
    private static final long TICK_MILLIS = 50;
    private static final long START_WAIT_MILLIS = 2_000;
    private static final long NO_TIME_MILLIS = 10_000;
    private static final long STATUS_WAIT_MILLIS = 1_000;
    private static final long GATE_WAIT_MILLIS = 1_000;
    private static final long CLOSE_WAIT_MILLIS = 10_000;
    private static final int SEED_BYTES = 32;
    private static final long MOST_EXECUTED_BYTES =
            Math.max(1L << 20, Runtime.getRuntime().maxMemory() / 64);

    private final SecureRandom random = new SecureRandom();
    private final ReplicaSettings settings;
    private final ExecutedSettings executedSettings;
    private final OrderedLog log;
    private final ServantPort servant;
    private final Replica replica;
    private final RecordMemory memory;
    private final SerialExecutor owner = new SerialExecutor(this::fail);
    private final RepliesOnTheWay executedReplies = new RepliesOnTheWay(owner, MOST_EXECUTED_BYTES);
    private final Inbox<Arrival> arrivals = new Inbox<>();
    private final IdleTimer gathered;
    private final ReplyTimes replyTimes = new ReplyTimes(System.nanoTime());
    private final CommitTimes commitTimes = new CommitTimes();
    private final ExecutionGate gate;
    private final Optional<OrderedNestedCalls> nested;
    private final Optional<PassiveRuns> passive;
    private final ExecutionThread execution;
    private final DeathVerdicts deaths;
    private final Snapshots snapshots;
    private final StateDigests stateDigests;
    private final Repair repair;
    private final boolean hasTimers;
    private final boolean findsReadIndexes;
    private final Optional<ReplicaHistory> history;
    private final Consumer<OrderedLogException> ended;
    private final FatalErrors fatal;
    private final Thread ticker;
    private final Runnable endSecretWatch;
    private final LoopWatch watch;
    private final CountDownLatch groupSeen = new CountDownLatch(1);

    private final AtomicBoolean stopping = new AtomicBoolean();
    private volatile boolean stopped;
    /** Set before a stop for which a request that runs may be the reason: its note stays, and counts a death. */
    private volatile boolean requestInDoubt;

    // Under the lock of this object: a member that may not take part is told by start(), or by ended once it has
    // joined.
    private Optional<OrderedLogException> refusal = Optional.empty();
    private boolean joined;
    // Under the owner.
    private long withoutTimeSinceMillis = now();
    private boolean warnedOfNoTime;
    private volatile Supplier<Map<String, Long>> datagrams = Map::of;
    private volatile ReplicaStatus status;

    RunningReplica(
            ReplicaSettings settings,
            ServantPort unmarked,
            OrderedLog log,
            Consumer<OrderedLogException> ended,
            FatalErrors fatal) {
        this.settings = settings;
        this.log = log;
        this.ended = ended;
        this.fatal = fatal;
        // What a disk may refuse comes before the gate, which a failed start would leave open; replies alone come
        // behind it.
        executedSettings = ExecutedSettings.open(log.folder(), settings);
        DivergenceNote divergence = DivergenceNote.open(log.folder());
        history = settings.history().map(file -> new ReplicaHistory(file, settings.id()));
        long incarnation = random.nextLong();
        gate = ExecutionGate.open(log.folder(), settings.style() != ReplicaSettings.Style.PASSIVE);
        memory = openMemory(incarnation);
        ReplicaOptions options = new ReplicaOptions(
                settings.id(),
                settings.members().stream().map(Member::id).toList(),
                incarnation,
                new ClientId(random.nextLong(), random.nextLong()),
                settings.parameters(),
                settings.divergence(),
                told(settings),
                settings.style(),
                log.guarantee(),
                ExecutionThread.MOST_WAITING_BYTES,
                FeatureLevels.OF_BUILD.upTo(settings.featureLevel()));
        ReplicaEffects effects = new Effects();
        replica = InstalledFaultHooks.INSTALLED
                .replica(options, effects, memory)
                .orElseGet(() -> new Replica(options, effects, memory));
        status = replica.status();
        divergence.alsoIn(gate);
        tellOfEarlierProcesses();
        nested = settings.nested() == ReplicaSettings.Nested.ORDERED
                ? Optional.of(new OrderedNestedCalls(settings, gate, new NestedCore(), this::onFatal))
                : Optional.empty();
        servant = new MarkedServant(settings, unmarked, nested.map(NestedCalls.class::cast));
        hasTimers = servant.hasTimers();
        findsReadIndexes = log.findsReadIndexes() && servant.hasReads();
        passive = settings.style() == ReplicaSettings.Style.PASSIVE
                ? Optional.of(new PassiveRuns(servant, gate, this::ran, this::accepted, new UnableServant()))
                : Optional.empty();
        limitUpdates();
        boolean serial = passive.isEmpty() && settings.executors() == 1;
        execution = new ExecutionThread(
                settings.id(),
                settings.executors(),
                serial && history.isPresent() ? new RecordedServant(servant, this::noteExecution) : servant,
                gate,
                nested,
                passive,
                this::noteExecution,
                this::executed,
                new Timers(),
                this::fail);
        execution.onRoom(log::onRoom);
        deaths = new DeathVerdicts(settings, log, servant, gate, execution);
        gathered = new IdleTimer(settings.id(), this::gathered);
        snapshots = new Snapshots(
                settings.id(),
                log,
                replica,
                servant,
                owner,
                execution,
                new LogGrowth(
                        Long.getLong("amo.snapshotBytes", LogGrowth.DEFAULT_BYTES),
                        Long.getLong("amo.snapshotEntries", LogGrowth.DEFAULT_ENTRIES),
                        settings.members().indexOf(settings.self()),
                        settings.members().size(),
                        System::nanoTime),
                this::isHeldUp,
                this::fail);
        stateDigests = new StateDigests(replica, servant, owner, execution);
        repair = new Repair(settings, log, replica, servant, divergence, System::nanoTime, this::end);
        repair.begin();
        watch = new LoopWatch(
                settings.id(), List.of(new LoopWatch.Loop("core", owner::isBusy, owner::turns)), this::onStill);
        ticker = DaemonThreads.unstarted("amo-tick-" + settings.id(), this::tickUntilStopped);
        // Before it joins: one that was away takes the group's secret without a restart.
        endSecretWatch = settings.secrets()
                .map(ring -> ring.watch(
                        line -> LOG.info("member {}: {}", settings.id(), line),
                        why -> LOG.warn("member {}: {}", settings.id(), why)))
                .orElse(() -> {});
    }

    /** The lock of the gate keeps a second process of this member from deleting the files of the first one. */
    private RecordMemory openMemory(long incarnation) {
        try {
            return ReplyStores.open(settings, incarnation);
        } catch (RuntimeException | Error e) {
            gate.close();
            throw e;
        }
    }

    /** The settings that the other members are told. */
    private static Map<String, String> told(ReplicaSettings settings) {
        Map<String, String> told = new TreeMap<>(settings.equalAtAllMembers());
        told.put(JavaVersion.SETTING, JavaVersion.here());
        if (settings.style() == ReplicaSettings.Style.PASSIVE) {
            told.put(ReplicaOptions.MOST_UPDATE_BYTES, Long.toString(PassiveRuns.mostUpdateBytesHere()));
        }
        return told;
    }

    /** Style passive: members with a smaller heap may have told theirs. */
    private void limitUpdates() {
        passive.ifPresent(runs -> runs.limitUpdates(replica.mostUpdateBytes()));
    }

    private void tellOfEarlierProcesses() {
        gate.tell(replica);
        gate.died()
                .forEach(place -> LOG.warn(
                        "the {} of the log of group {} ended member {}, which is no accident; the member holds it, and asks"
                                + " the others what became of it there",
                        place.named(),
                        settings.group(),
                        settings.id()));
    }

    /**
     * Joins the group; returns once the group's parameters are known and a majority has this member's settings, or after two
     * seconds without such a majority.
     */
    void start() {
        history.ifPresent(file -> file.joined(0));
        try {
            log.start(new Deliveries());
            ticker.start();
            watch.start();
            if (!groupSeen.await(START_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.info("{} waits for a majority of {}", settings.id(), Member.format(settings.members()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            close();
            // The log may have failed because a refusal ended it.
            throw refusal().map(RuntimeException.class::cast).orElse(e);
        }
        Optional<OrderedLogException> refused;
        synchronized (this) {
            refused = refusal;
            joined = refused.isEmpty();
        }
        if (refused.isPresent()) {
            close();
            throw refused.get();
        }
    }

    private synchronized Optional<OrderedLogException> refusal() {
        return refusal;
    }

    /** This process may not take part: its log ended, or its group has other parameters. */
    private void refuse(OrderedLogException why) {
        boolean tell;
        synchronized (this) {
            if (refusal.isPresent()) {
                return;
            }
            refusal = Optional.of(why);
            tell = joined;
        }
        groupSeen.countDown();
        // Not on this thread: it is one of the log's own, or holds the replica.
        Optional<Thread> unused = inThread("amo-stop-", () -> {
            stop(true);
            if (tell) {
                ended.accept(why);
            }
        });
    }

    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        submitAll(List.of(new Arrival(request, finished, Principal.UNKNOWN, listener)));
    }

    @Override
    public void submitAll(List<Arrival> copies) {
        long arrived = System.nanoTime();
        copies.forEach(copy -> arrivals.put(known(copy, arrived)));
        gathered.came();
        if (arrivals.wake()) {
            owner.run(this::takeArrivals);
        }
    }

    /** Where operations make no ordered calls, entries hold no paths: nothing would look at them. */
    private Arrival known(Arrival copy, long arrivedNanos) {
        Request request = nested.isPresent() || copy.request().path().isEmpty()
                ? copy.request()
                : copy.request().withoutPath();
        return new Arrival(request, copy.finished(), copy.principal(), replyTimes.timed(copy.listener(), arrivedNanos));
    }

    /** Under the owner: all that have come since it was asked for, so that they can share an entry. */
    private void takeArrivals() {
        arrivals.awake();
        List<Arrival> taken = new ArrayList<>();
        for (Arrival next = arrivals.poll(); next != null; next = arrivals.poll()) {
            taken.add(next);
        }
        if (stopped) {
            taken.forEach(copy -> copy.listener().onAnswer(closed()));
        } else {
            replica.onCopies(taken, now());
        }
    }

    @Override
    public void submitPlain(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
        AnswerListener timed = replyTimes.timed(listener, System.nanoTime());
        owner.run(() -> {
            if (stopped) {
                timed.onAnswer(closed());
            } else {
                replica.onPlainCall(body, fingerprint, oneway, principal, timed, now());
            }
        });
    }

    @Override
    public void read(Read read) {
        if (passive.isPresent()) {
            // The state of the primary is ahead of the order, and that of a backup changes by updates alone.
            read.listener().accept(ReadAnswer.toBeOrdered("style passive"));
        } else if (!findsReadIndexes) {
            read.listener().accept(ReadAnswer.toBeOrdered("the log or the service has no reads"));
        } else {
            owner.run(() -> {
                if (stopped) {
                    read.listener().accept(ReadAnswer.refused("this member stops"));
                } else {
                    replica.reads().onRead(read, now());
                }
            });
        }
    }

    private void run(Read read, long position, long orderedTimeMillis) {
        ReadAnswer answer;
        try {
            answer = ReadAnswer.result(position, servant.read(position, orderedTimeMillis, read.body()));
        } catch (RuntimeException e) {
            LOG.warn("a read at member {} failed", settings.id(), e);
            answer = ReadAnswer.refused("the member could not run it (" + e + ")");
        }
        // A member that stops interrupts its servant.
        read.listener().accept(stopped ? ReadAnswer.refused("this member stops") : answer);
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        acknowledge(client, finished, () -> {});
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished, Runnable taken) {
        owner.run(() -> {
            if (!stopped) {
                replica.onFinished(client, finished, now());
            }
            taken.run();
        });
    }

    @Override
    public TimeHistogram commitTimes() {
        return commitTimes.histogram();
    }

    @Override
    public TimeHistogram replyTimes() {
        return replyTimes.histogram();
    }

    @Override
    public ReplicaStatus status() {
        CompletableFuture<ReplicaStatus> told = new CompletableFuture<>();
        owner.run(() -> {
            LogHealth health = log.health();
            replica.onHealth(new LogHealth(health.trouble(), health.repaired() + gate.repaired()));
            replica.onReplyTime(replyTimes.microsP99(System.nanoTime()));
            replica.onDatagrams(datagrams.get());
            replica.onSecrets(settings.secrets().map(SecretRing::counts).orElse(Map.of()));
            replica.onSnapshot(snapshots.figures());
            told.complete(replica.status());
        });
        try {
            status = told.get(STATUS_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("a status as it was when last asked", e);
        }
        return status;
    }

    @Override
    public void countDatagrams(Supplier<Map<String, Long>> counts) {
        datagrams = counts;
    }

    @Override
    public Optional<GroupMembers> members() {
        return log.members();
    }

    @Override
    public CompletionStage<GroupMembers> changeMembers(MemberChange change) {
        return log.changeMembers(change);
    }

    @Override
    public void close() {
        stop(true);
    }

    /** Waits for a while only: a core that hangs in a write of the notes has locked the gate. */
    private void atGate(Runnable task) {
        await(inThread("amo-gate-", task), GATE_WAIT_MILLIS);
    }

    /** Empty if no thread can be made: the process cannot go on. */
    private Optional<Thread> inThread(String name, Runnable task) {
        try {
            return Optional.of(DaemonThreads.start(name + settings.id(), task));
        } catch (OutOfMemoryError e) {
            onFatal(e);
            return Optional.empty();
        }
    }

    private static void await(Optional<Thread> thread, long millis) {
        try {
            if (thread.isPresent()) {
                thread.get().join(millis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() {
        // Before the log: a next process of this member that gets the log must get the notes.
        atGate(gate::close);
        snapshots.awaitEnd();
        log.close();
        // Now nothing is delivered any more.
        owner.run(memory::close);
        history.ifPresent(ReplicaHistory::close);
    }

    /** @param wait until the log is closed; never on a thread of the log's own, which closing it waits for */
    private void stop(boolean wait) {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        if (!requestInDoubt) {
            atGate(gate::left);
        }
        stopped = true;
        endSecretWatch.run();
        LockSupport.unpark(ticker);
        nested.ifPresent(OrderedNestedCalls::close);
        execution.stop();
        watch.close();
        gathered.stop();
        snapshots.close();
        owner.run(replica::onClose);
        // Not on this thread: it may be one of the log's own, which close() waits for.
        Optional<Thread> closer = inThread("amo-close-", this::closeAll);
        if (wait) {
            await(closer, CLOSE_WAIT_MILLIS);
        }
    }

    /** A task of this replica threw. */
    private void fail(Throwable thrown) {
        FatalErrors.in(thrown).ifPresent(this::onFatal);
        if (!stopped) {
            // The notes of this member, or the store of replies.
            boolean disk = thrown instanceof UncheckedIOException;
            String why = disk ? "its disk failed" : "an invariant was broken";
            LOG.error("replica {} stops: {}", settings.id(), why, thrown);
            if (!disk) {
                requestInDoubt = true;
            }
            stop(false);
            refuse(new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "member " + settings.id() + " of group " + settings.group() + " stops, since " + why + " (" + thrown
                            + "); "
                            + (disk
                                    ? "make room on it or replace it, then start the member again"
                                    : "start it again, and report the output of the member"),
                    thrown));
        }
    }

    private void onStill(String loop) {
        // No request is in doubt: the loops are not those that execute.
        stop(false);
        refuse(new OrderedLogException(
                OrderedLogException.Fault.ENVIRONMENT,
                "member " + settings.id() + " of group " + settings.group() + " ends: its " + loop
                        + " made no progress for " + LoopWatch.LOOKS
                        + " s while work waited for it; start it again"));
    }

    private void onFatal(VirtualMachineError error) {
        requestInDoubt = true;
        fatal.onFatal("member " + settings.id() + " of group " + settings.group(), error);
    }

    private Answer closed() {
        return Answer.overloaded(Budget.ORDER, 0, Answer.NO_BOUND);
    }

    private void tickUntilStopped() {
        while (!stopped) {
            tick();
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS));
        }
    }

    private void tick() {
        owner.run(() -> {
            if (!stopped) {
                replica.onTick(now(), wallMillis());
                snapshots.keepIfAgreed();
                repair.onTick();
                checkState();
                limitUpdates();
                if (replica.started()) {
                    if (replica.hasEqualSettings() && executedSettings.keep()) {
                        groupSeen.countDown();
                    }
                } else {
                    warnOfAGroupWithoutTime();
                }
            }
        });
    }

    /** Style passive: a servant without a state may come to be known after the start. */
    private void checkState() {
        if (passive.isEmpty()) {
            return;
        }
        Optional<String> obstacle = servant.stateObstacle();
        // Behind the look at the obstacle, which may be one of the run: the group undoes that one first.
        if (!passive.get().isWithoutUpdate()) {
            obstacle.ifPresent(why -> end(OrderedLogException.Fault.USER, "cannot run in style passive: " + why));
        }
    }

    /** A leader exists, but no first stamp: the operator must restore the condition that GroupClock.startWall awaits. */
    private void warnOfAGroupWithoutTime() {
        if (replica.leader().isEmpty()) {
            withoutTimeSinceMillis = now();
        } else if (now() - withoutTimeSinceMillis > NO_TIME_MILLIS && !warnedOfNoTime) {
            warnedOfNoTime = true;
            LOG.warn(
                    "group {} cannot begin: not all members are heard, and the wall clocks of the heard ones differ by"
                            + " more than {} ms; set the clocks or start the missing members",
                    settings.group(),
                    settings.parameters().skewMillis() / 2);
        }
    }

    private void executed(List<Execution> executions, List<byte[]> replies) {
        executedReplies.handOver(replies, () -> take(executions, replies));
    }

    private void take(List<Execution> executions, List<byte[]> replies) {
        if (!stopped) {
            replica.onExecuted(executions, replies, now());
        }
    }

    private final class Timers implements ExecutionThread.TimerEvents {
        @Override
        public void next(OptionalLong dueMillis) {
            owner.run(() -> replica.operations().onTimer(dueMillis));
        }

        @Override
        public void ran(Place place) {
            owner.run(() -> replica.operations().onTimerRan(place));
        }
    }

    /** Style passive: this member has executed a run as the primary. */
    private void ran(List<Execution> executions, List<byte[]> replies, byte[] update) {
        owner.run(() -> {
            if (!stopped) {
                replica.onRun(executions, replies, update, now());
            }
        });
    }

    /** Style passive: the servant's state is that behind an accepted outcome. */
    private void accepted(List<Execution> executions, List<byte[]> replies) {
        for (int i = 0; i < executions.size(); i++) {
            noteExecution(executions.get(i), replies.get(i));
        }
        // Perhaps in the owner, which must not wait for itself.
        owner.run(() -> take(executions, replies));
    }

    private void noteExecution(Execution execution, byte[] reply) {
        // Once it is stopped, perhaps the reply of an interrupted servant; it goes nowhere.
        if (!stopped) {
            history.ifPresent(events -> events.executed(execution, reply));
        }
    }

    private final class UnableServant implements PassiveRuns.Unable {
        @Override
        public void undone(List<Execution> executions, List<byte[]> replies, String why) {
            LOG.error(
                    "member {} of group {} has no state behind the request at {} of the log; the group undoes it: {}",
                    settings.id(),
                    settings.group(),
                    executions.get(0).place(),
                    why);
            owner.run(() -> {
                if (!stopped) {
                    replica.onUndone(executions, replies, now());
                }
            });
        }

        @Override
        public void worthless(Place place, String why) {
            // Behind the replies.
            owner.run(() -> end(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "cannot run in style passive: " + why + "; the group has undone the request at " + place
                            + ": start this member again, and it continues without that request"));
        }

        @Override
        public void notApplied(Place place, RuntimeException why) {
            LOG.error(
                    "member {} of group {} cannot apply the update at {} of the log; it takes the state of another member",
                    settings.id(),
                    settings.group(),
                    place,
                    why);
            owner.run(() -> repair.onStateLost(
                    place.position(), "could not apply the update at " + place + " of the log (" + why + ")"));
        }
    }

    private OrderedLogException refusalOf(String cause) {
        return new OrderedLogException(
                OrderedLogException.Fault.USER,
                "member " + settings.id() + " of group " + settings.group() + " " + cause);
    }

    private void end(OrderedLogException.Fault fault, String why) {
        end(new OrderedLogException(fault, "member " + settings.id() + " of group " + settings.group() + " " + why));
    }

    private void end(OrderedLogException why) {
        stop(false);
        refuse(why);
    }

    private void gathered() {
        owner.run(() -> {
            if (!stopped) {
                replica.onGathered(now());
            }
        });
    }

    private long wallMillis() {
        return System.currentTimeMillis() + InstalledFaultHooks.INSTALLED.clockStepMillis();
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Whether the execution thread waits for an entry behind the delivered ones. */
    private boolean isHeldUp() {
        return gate.isHolding() || nested.filter(OrderedNestedCalls::isWaiting).isPresent();
    }

    /** Hands the words of nested calls to the owner. */
    private final class NestedCore implements OrderedNestedCalls.Core {
        @Override
        public void called(Place place, int number, long deadlineMillis) {
            inOwner(() -> replica.operations().onNestedCall(place, number, deadlineMillis, now()));
        }

        @Override
        public void identified(Place place, int number, Optional<byte[]> identity) {
            inOwner(() -> replica.operations().onNestedIdentity(place, number, identity, now()));
        }

        @Override
        public void sent(Place place, int number, Optional<byte[]> result) {
            inOwner(() -> replica.operations().onNestedSent(place, number, result, now()));
        }

        private void inOwner(Runnable input) {
            owner.run(() -> {
                if (!stopped) {
                    input.run();
                }
            });
        }
    }

    private final class Deliveries implements LogListener {
        @Override
        public boolean hasRoom() {
            return execution.hasRoom();
        }

        @Override
        public void onDelivered(long position, byte[] entry) {
            execution.awaitRoom();
            execution.delivers(entry.length);
            owner.run(() -> {
                if (!stopped) {
                    if (gate.died().stream().anyMatch(place -> place.position() == position)) {
                        // Nothing behind runs here for a while: others may need the state up to here.
                        snapshots.begin();
                    }
                    replica.onDelivered(position, entry, now());
                    snapshots.onDelivered(entry.length);
                    snapshots.keepIfAgreed();
                    stateDigests.onDelivered(position);
                }
                execution.delivered(entry.length);
            });
        }

        @Override
        public void onSnapshot(LogSnapshot snapshot) {
            if (isHeldUp()) {
                throw Snapshots.overtakes(settings.id(), snapshot);
            }
            // Before the servant's state is taken from it.
            Optional<String> obstacle = replica.snapshots().obstacle(snapshot.replica());
            if (obstacle.isPresent()) {
                throw refusalOf(obstacle.get());
            }
            snapshots.install(snapshot, () -> {
                // Behind all executions from before.
                history.ifPresent(file -> file.joined(snapshot.position()));
                replica.snapshots().install(snapshot.replica(), now());
                gate.restored(snapshot.position(), replica.snapshots().maySkip());
                stateDigests.onInstalled(snapshot.position());
            });
        }

        @Override
        public void onMembers(GroupMembers now) {
            owner.run(() ->
                    replica.onMembers(now.members().stream().map(Member::id).toList()));
        }

        @Override
        public void onStateWanted(String member, long position) {
            owner.run(() -> {
                if (!stopped && replica.snapshots().onStateWanted(member, position, gate.isHolding())) {
                    snapshots.begin(() -> replica.snapshots().onTimersPending(member));
                }
            });
        }

        @Override
        public CompletionStage<Void> onSnapshotAsked() {
            CompletableFuture<Void> kept = new CompletableFuture<>();
            owner.run(() -> snapshots.ask(kept));
            return kept;
        }

        @Override
        public void onRejected(long submission) {
            owner.run(() -> replica.onRejected(submission, now()));
        }

        @Override
        public void onReadIndex(long question, long position) {
            owner.run(() -> replica.reads().onIndex(question, position, now()));
        }

        @Override
        public void onNoReadIndex(long question) {
            owner.run(() -> replica.reads().onNoIndex(question, now()));
        }

        @Override
        public void onLeader(String member) {
            owner.run(() -> replica.onLeader(member, now()));
        }

        @Override
        public void onEnded(OrderedLogException why) {
            // Its disk failed, for example. Memory may have been taken by the running request.
            FatalErrors.in(why).ifPresent(RunningReplica.this::onFatal);
            refuse(why);
        }

        @Override
        public void onMessage(String member, byte[] message) {
            owner.run(() -> replica.onMessage(member, message, now()));
        }
    }

    private final class Effects implements ReplicaEffects {
        @Override
        public void submit(long submission, byte[] entry) {
            commitTimes.submitted(submission, System.nanoTime());
            log.submit(submission, entry);
        }

        @Override
        public void delivered(long submission) {
            commitTimes.delivered(submission, System.nanoTime());
        }

        @Override
        public void reached(long position, long orderedTimeMillis) {
            if (hasTimers) {
                execution.reached(position, orderedTimeMillis);
            }
        }

        @Override
        public Optional<byte[]> drawSeed() {
            if (settings.random() == ReplicaSettings.RandomSource.SEEDED) {
                return Optional.empty();
            }
            byte[] seed = new byte[SEED_BYTES];
            random.nextBytes(seed);
            return Optional.of(seed);
        }

        @Override
        public void execute(List<Execution> executions) {
            execution.execute(executions);
        }

        @Override
        public void answer(AnswerListener copy, Answer answer) {
            copy.onAnswer(answer);
        }

        @Override
        public void askReadIndex(long question) {
            log.askReadIndex(question);
        }

        @Override
        public void runReads(List<Read> reads, long position, long orderedTimeMillis) {
            execution.runBetween(() -> reads.forEach(read -> run(read, position, orderedTimeMillis)));
        }

        @Override
        public void send(String member, byte[] message) {
            log.send(member, message);
        }

        @Override
        public void takesPart(long position) {
            gate.takesPart(position);
            owner.run(RunningReplica.this::tellOfEarlierProcesses);
        }

        @Override
        public void digestState(long position) {
            stateDigests.onMark(position);
        }

        @Override
        public void diverged(long mark, List<String> majority) {
            repair.onDiverged(mark, majority);
        }

        @Override
        public void firstDifference(FirstDifference difference, List<String> majority) {
            owner.run(() -> repair.onFirstDifference(difference, majority));
        }

        @Override
        public void timersPending(String donor) {
            owner.run(() -> repair.onTimersPending(donor));
        }

        @Override
        public void trusted() {
            // At once, as a verdict is: behind what waits, it would take back a later one.
            repair.onTrusted();
        }

        @Override
        public void disputed(long mark, String votes) {
            owner.run(() -> repair.onDisputed(mark, votes));
        }

        @Override
        public void firstDisputed(FirstDifference difference, String other) {
            owner.run(() -> repair.onFirstDisputed(difference, other));
        }

        @Override
        public void agreed() {
            owner.run(repair::onAgreed);
        }

        @Override
        public void identifyNested(Place place, int number, long leftMillis) {
            nested.orElseThrow().identify(place, number, leftMillis);
        }

        @Override
        public void sendNested(Place place, int number, Optional<byte[]> identity, long leftMillis) {
            nested.orElseThrow().send(place, number, identity, leftMillis);
        }

        @Override
        public void nestedResult(Place place, int number, Optional<byte[]> result) {
            nested.orElseThrow().result(place, number, result);
        }

        @Override
        public void runAsPrimary(boolean primary) {
            passive.orElseThrow().onPrimary(primary);
        }

        @Override
        public void accepted(List<Execution> executions, List<byte[]> replies, byte[] update, boolean own) {
            passive.orElseThrow().onAccepted(executions, replies, update, own);
        }

        @Override
        public void acceptedUndone(List<Execution> executions, List<byte[]> replies, boolean own) {
            passive.orElseThrow().onUndone(executions, replies, own);
        }

        @Override
        public void gathers(long bytes) {
            passive.orElseThrow().onGathered(bytes);
        }

        @Override
        public void beginAnew(Place place) {
            end(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "had executed the request at " + place
                            + ", and the group goes on with the outcome of another member; start it again, and it continues"
                            + " with that outcome");
        }

        @Override
        public void styleDiffers() {
            boolean passiveHere = settings.style() == ReplicaSettings.Style.PASSIVE;
            refuse(new OrderedLogException(
                    OrderedLogException.Fault.USER,
                    "group " + settings.group() + " was started with --style " + (passiveHere ? "active" : "passive")
                            + "; start this member with that style (it is fixed at the group's first start)"));
        }

        @Override
        public void hold(Place place) {
            if (gate.hold(place)) {
                owner.run(() -> replica.onHeld(place));
            }
        }

        @Override
        public void skip(Place place) {
            deaths.skip(place).ifPresent(RunningReplica.this::end);
        }

        @Override
        public void takeStateBehind(Place place, List<String> executedBy) {
            deaths.takeStateBehind(place, executedBy);
        }

        @Override
        public void letGo(Place place) {
            deaths.letGo(place);
        }

        @Override
        public void waitsForWord(Place place, String silent) {
            deaths.waitsForWord(place, silent);
        }

        @Override
        public void gather() {
            gathered.ask();
        }

        @Override
        public void settingDiffers(String setting, String here, String there, List<String> differing) {
            String others = (differing.size() == 1 ? "member " : "members ") + String.join(", ", differing);
            String why = setting.equals(ReplicaSettings.FORMATS)
                    ? "runs a version of amo with number " + here + " of the formats between members, and " + others
                            + " one with number " + there + "; stop all members, and start them with the same version"
                            + " (docs/how-to/upgrade.md)"
                    : "has " + setting + " '" + here + "', and " + others + " '" + there
                            + "'; "
                            + (setting.equals(JavaVersion.SETTING)
                                    ? "run the same Java version at every member"
                                    : "give all members the same value, and stop all of them to change it");
            refuse(refusalOf(why));
        }

        @Override
        public void levelNotSpoken(int ofGroup, String obstacle) {
            refuse(refusalOf(obstacle));
        }

        @Override
        public void parametersDiffer(GroupParameters ofGroup) {
            settings.contradiction(ofGroup)
                    .ifPresent(message -> refuse(new OrderedLogException(OrderedLogException.Fault.USER, message)));
        }
    }
}
