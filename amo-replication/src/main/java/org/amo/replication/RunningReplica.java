package org.amo.replication;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Execution;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.reply.ReplyStore;
import org.amo.core.request.Answer;
import org.amo.core.request.ClientId;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.store.ReplyStores;
import org.amo.transport.Inbox;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads, clocks and files around one {@link Replica}: the invariants of replication, told here together for the
 * reader. Each stands at the head of the class that keeps it, too; docs/coverage.md has the test that fails without it.
 *
 * <ul>
 *   <li>I1 Whether to execute is decided at delivery, by client id and number; a check on receipt only saves work.
 *   <li>I2 Client records and ordered time change only while an ordered entry is delivered; no timer touches them.
 *   <li>I3 The only clock that forgets or refuses is the running maximum of the stamps in the ordered entries.
 *   <li>I4 Every copy of a request carries the deadline fixed at the first send.
 *   <li>I5 A SACK frees the reply, never the id.
 *   <li>I6 Nothing is evicted for lack of room; what does not fit is refused.
 *   <li>I7 A snapshot is of one position in all its parts ({@link Snapshots}).
 *   <li>I8 A reply leaves after the log delivered the entry, which it does once a majority holds it.
 *   <li>I9 A duplicate of a running request waits and is answered.
 *   <li>I10 The client says NOT_EXECUTED only when it is certain; the core's client keeps it.
 *   <li>I13 A decision asks nothing local.
 * </ul>
 *
 * <p>Threads: the core is owned through {@link SerialOwner} by whichever thread has something for it; the servant
 * runs in {@link ExecutionThread}. If the core or the servant's port breaks an invariant the replica stops: a
 * wrong reply is worse than none.
 */
final class RunningReplica implements ReplicatedService {
    private static final Logger LOG = LoggerFactory.getLogger(RunningReplica.class);
    private static final long TICK_MILLIS = 50;
    private static final long START_WAIT_MILLIS = 2_000;
    private static final long NO_TIME_MILLIS = 10_000;
    private static final long STATUS_WAIT_MILLIS = 1_000;
    private static final byte[] NO_REPLY = {};

    private final ReplicaSettings settings;
    private final OrderedLog log;
    private final Replica replica;
    private final ReplyStore replies;
    private final SerialOwner owner = new SerialOwner(this::fail);
    private final Inbox<Arrival> arrivals = new Inbox<>();
    private final QuietMoment gathered;
    private final ExecutionThread execution;
    private final Snapshots snapshots;
    private final Optional<ReplicaHistory> history;
    private final Consumer<OrderedLogException> ended;
    private final Thread ticker;
    private final CountDownLatch groupSeen = new CountDownLatch(1);
    private final long wallOffsetMillis = Long.getLong("amo.clockOffsetMillis", 0L);

    private volatile boolean stopped;
    // Under the lock of this object: a member that may not take part is told by start(), or by ended once it has
    // joined.
    private Optional<OrderedLogException> refusal = Optional.empty();
    private boolean joined;
    // Under the owner.
    private long withoutTimeSinceMillis = now();
    private boolean warnedOfNoTime;
    private volatile ReplicaStatus status;

    RunningReplica(ReplicaSettings settings, ServantPort servant, OrderedLog log, Consumer<OrderedLogException> ended) {
        this.settings = settings;
        this.log = log;
        this.ended = ended;
        history = settings.history().map(file -> new ReplicaHistory(file, settings.id()));
        SecureRandom random = new SecureRandom();
        replies = ReplyStores.open(settings);
        replica = new Replica(
                new ReplicaOptions(
                        settings.id(),
                        settings.members().stream().map(Member::id).toList(),
                        random.nextLong(),
                        new ClientId(random.nextLong(), random.nextLong()),
                        settings.parameters(),
                        Interposition.INSTALLED.rules()),
                new Effects(),
                replies);
        status = replica.status();
        execution = new ExecutionThread(settings.id(), recording(servant), this::executed, this::fail);
        gathered = new QuietMoment(settings.id(), this::gathered);
        long logBytes = Long.getLong("amo.snapshotBytes", Snapshots.DEFAULT_LOG_BYTES);
        snapshots = new Snapshots(
                settings.id(), log, replica, servant, owner, execution, logBytes, firstSnapshotAfter(logBytes));
        ticker = new Thread(this::tickUntilStopped, "amo-tick-" + settings.id());
        ticker.setDaemon(true);
    }

    /** Members take turns, since one that takes the state of its servant executes nothing meanwhile. */
    private long firstSnapshotAfter(long logBytes) {
        int place = settings.members().indexOf(settings.self());
        return logBytes / settings.members().size() * (place + 1);
    }

    /** Joins the group; returns once the group's parameters are known, or after two seconds without a majority. */
    void start() {
        history.ifPresent(file -> file.joined(0));
        try {
            log.start(new Deliveries());
            ticker.start();
            if (!groupSeen.await(START_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.info("{} waits for a majority of {}", settings.id(), Member.format(settings.members()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            close();
            // The end that a refusal put to the log may be what the log stumbled over.
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
        Thread stopper = new Thread(
                () -> {
                    stop(Optional.empty());
                    if (tell) {
                        ended.accept(why);
                    }
                },
                "amo-stop-" + settings.id());
        stopper.setDaemon(true);
        stopper.start();
    }

    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        submitAll(List.of(new Arrival(request, finished, listener)));
    }

    @Override
    public void submitAll(List<Arrival> copies) {
        copies.forEach(arrivals::put);
        gathered.came();
        if (arrivals.wake()) {
            owner.run(this::takeArrivals);
        }
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
    public void submitPlain(byte[] body, long fingerprint, boolean oneway, AnswerListener listener) {
        owner.run(() -> {
            if (stopped) {
                listener.onAnswer(closed());
            } else {
                replica.onPlainCall(body, fingerprint, oneway, listener, now());
            }
        });
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        owner.run(() -> {
            if (!stopped) {
                replica.onFinished(client, finished, now());
            }
        });
    }

    @Override
    public ReplicaStatus status() {
        CompletableFuture<ReplicaStatus> told = new CompletableFuture<>();
        owner.run(() -> told.complete(replica.status()));
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
    public Optional<GroupMembers> members() {
        return log.members();
    }

    @Override
    public CompletionStage<GroupMembers> changeMembers(MemberChange change) {
        return log.changeMembers(change);
    }

    @Override
    public void close() {
        stop(Optional.empty());
    }

    private void closeLogAndStore() {
        log.close();
        // Now nothing is delivered any more.
        owner.run(replies::close);
    }

    private void stop(Optional<Throwable> cause) {
        if (stopped) {
            return;
        }
        stopped = true;
        cause.ifPresent(thrown -> LOG.error("replica {} stops: a rule of its own was broken", settings.id(), thrown));
        LockSupport.unpark(ticker);
        execution.stop();
        gathered.stop();
        snapshots.close();
        owner.run(replica::onClose);
        // Not on this thread: it may be one of the log's own, which close() waits for.
        Thread closer = new Thread(this::closeLogAndStore, "amo-close-" + settings.id());
        closer.setDaemon(true);
        closer.start();
        if (cause.isEmpty()) {
            try {
                closer.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void fail(Throwable thrown) {
        stop(Optional.of(thrown));
    }

    private Answer closed() {
        return Answer.refused(Refusal.OVERLOADED, 0, Answer.NO_BOUND);
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
                if (replica.started()) {
                    groupSeen.countDown();
                } else {
                    warnOfAGroupWithoutTime();
                }
            }
        });
    }

    /** There is a leader, yet no first stamp: what GroupClock.startWall waits for is the operator's to mend. */
    private void warnOfAGroupWithoutTime() {
        if (replica.leader().isEmpty()) {
            withoutTimeSinceMillis = now();
        } else if (now() - withoutTimeSinceMillis > NO_TIME_MILLIS && !warnedOfNoTime) {
            warnedOfNoTime = true;
            LOG.warn(
                    "group {} cannot begin: not all members are heard, and the wall clocks of those that are differ by"
                            + " more than {} ms; set the clocks or start the missing members",
                    settings.group(),
                    settings.parameters().skewMillis() / 2);
        }
    }

    private void executed(List<Execution> executions, List<byte[]> replies) {
        owner.run(() -> {
            if (!stopped) {
                replica.onExecuted(executions, replies, now());
            }
        });
    }

    private void gathered() {
        owner.run(() -> {
            if (!stopped) {
                replica.onGathered(now());
            }
        });
    }

    private ServantPort recording(ServantPort servant) {
        if (history.isEmpty()) {
            return servant;
        }
        ReplicaHistory events = history.get();
        return (position, orderedTimeMillis, request) -> {
            byte[] reply = servant.execute(position, orderedTimeMillis, request);
            events.executed(new Execution(position, orderedTimeMillis, request), request.oneway() ? NO_REPLY : reply);
            return reply;
        };
    }

    private long wallMillis() {
        return System.currentTimeMillis() + wallOffsetMillis + Interposition.INSTALLED.clockStepMillis();
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private final class Deliveries implements LogListener {
        @Override
        public void onDelivered(long position, byte[] entry) {
            execution.awaitRoom();
            owner.run(() -> {
                if (!stopped) {
                    replica.onDelivered(position, entry, now());
                    snapshots.onDelivered(entry.length);
                }
            });
        }

        @Override
        public void onSnapshot(LogSnapshot snapshot) {
            history.ifPresent(file -> file.joined(snapshot.position()));
            snapshots.install(snapshot, () -> replica.install(snapshot.replica(), now()));
        }

        @Override
        public void onMembers(GroupMembers now) {
            owner.run(() ->
                    replica.onMembers(now.members().stream().map(Member::id).toList()));
        }

        @Override
        public void onRejected(long submission) {
            owner.run(() -> replica.onRejected(submission, now()));
        }

        @Override
        public void onLeader(String member) {
            owner.run(() -> replica.onLeader(member, now()));
        }

        @Override
        public void onEnded(OrderedLogException why) {
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
            log.submit(submission, entry);
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
        public void send(String member, byte[] message) {
            log.send(member, message);
        }

        @Override
        public void gather() {
            gathered.ask();
        }

        @Override
        public void parametersDiffer(GroupParameters ofGroup) {
            settings.contradiction(ofGroup)
                    .ifPresent(message -> refuse(new OrderedLogException(OrderedLogException.Fault.USER, message)));
        }
    }
}
