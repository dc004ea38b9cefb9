package org.amo.replication.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.ClientId;
import org.amo.base.observe.Readiness;
import org.amo.core.client.Attempt;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.GroupClient;
import org.amo.core.client.GroupClientEffects;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.net.Inbox;
import org.amo.net.LoopErrors;
import org.amo.replication.rpc.DatagramCalls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one {@link GroupClient} with a thread, a clock and connections. Callers hand their calls over; the calls that have
 * arrived when the thread comes leave in one batch.
 *
 * <p>Invariant: an error of the program, such as want of memory for a frame, ends no other call than the one that it met. Whatever
 * an input throws, its batch ends, and {@link GroupClient#onTick} follows while a call is open.
 */
final class ClientLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ClientLoop.class);
    private static final long NEVER = Long.MAX_VALUE;

    /** An identity is taken without a connection after that long. */
    private static final long ALLOT_WITHIN_MILLIS = 1_000;

    /** After an input that ended in the middle. */
    private static final long LOOK_AGAIN_MILLIS = 100;

    private static final long LOOK_AT_THREADS_MILLIS = 1_000;

    private final String group;

    /** The owner writes it: by number, the ids of members that this client may connect to. */
    private volatile List<String> members;

    private final ScheduledExecutorService owner;
    private final MemberLinks links;
    private final ClientHistory history;
    private final GroupClient<PendingCall> core;
    private final Inbox<PendingCall> arrived = new Inbox<>();
    private final NotedCalls notes;
    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final CallCounts counts = new CallCounts();
    private final List<Runnable> endOfBatch;

    /** The owner's: identities that wait for a connection, which tells more of the group's time. */
    private final List<Allotment> allotments = new ArrayList<>();

    /** The owner's: questions that wait for a connection. */
    private final List<Question> questions = new ArrayList<>();

    /** The owner's: members with a connection. */
    private final Set<Integer> connected = new HashSet<>();

    /** The owner's: ended once this client is ready. */
    private final List<CompletableFuture<Void>> awaitingReady = new ArrayList<>();

    /** On the clock of {@link #now}; {@link #NEVER} before the first. */
    private volatile long latestReplyMillis = NEVER;

    // The owner writes them: the member that serves is connected, and the latest that told of leaders knows one.
    private volatile boolean isConnected;
    private volatile boolean knowsLeader;

    /** The owner's: calls that met an error, at their begin or at an attempt. */
    private final Deque<PendingCall> failed = new ArrayDeque<>();

    private volatile long moves;
    private volatile int serving;
    // Set by the owner before it refuses the arrived calls, and read by callers after they put a call in.
    private volatile boolean ended;

    // The owner's.
    private long tickAtMillis = NEVER;
    private @Nullable Future<?> tick;
    private @Nullable Future<?> handling;
    private boolean givenUp;

    /** Of the last list of members that was taken. */
    private long membersVersion;

    /** Members that refused this client for good, and have taken no connection since. */
    private final Set<Integer> refusing = new HashSet<>();

    private volatile String trouble = "";

    /** @param answer may be ended from outside, when the caller has waited long enough */
    private record Question(byte[] bytes, CompletableFuture<byte[]> answer) {}

    private record Allotment(long endMillis, CompletableFuture<ClientCall> taken) {}

    ClientLoop(
            String group,
            ClientId client,
            List<String> members,
            int first,
            ScheduledExecutorService owner,
            MemberLinks links,
            ClientHistory history,
            NotedCalls notes) {
        this.notes = notes;
        this.knowsLeader = !links.tellsLeader();
        this.group = group;
        this.members = List.copyOf(members);
        this.owner = owner;
        this.links = links;
        this.history = history;
        this.core = new GroupClient<>(
                new ClientSession(client, links.delivery(), notes::finished),
                members.size(),
                first,
                AttemptedCall.ATTEMPT_MILLIS,
                links.datagrams(),
                new Effects());
        this.endOfBatch = List.of(
                notes::release,
                this::endFailed,
                this::allotWaiting,
                this::askWaiting,
                this::tellReady,
                this::awaitHandling,
                notes::release,
                links::flush);
    }

    /** Any thread. A call that comes while this is closed, or later, is refused by its own thread: the owner may be gone. */
    void call(PendingCall call) {
        arrived.put(call);
        if (ended) {
            refuseArrived("is closed");
        } else if (arrived.wake()) {
            try {
                inOwner(this::takeArrived, this::ownerIsGone);
            } catch (RuntimeException | Error e) {
                // The first call starts the thread, and there may be no thread to be had. The next call tries again.
                arrived.awake();
                refuseArrived("has no thread: " + e);
            }
        }
    }

    /**
     * Takes an identity for a call of so long a duration, which any process may send. Any thread.
     *
     * @return ends exceptionally if this client is closed
     */
    CompletableFuture<ClientCall> allot(long timeoutMillis) {
        CompletableFuture<ClientCall> taken = new CompletableFuture<>();
        Runnable refused = () -> taken.completeExceptionally(new IllegalStateException("this client is closed"));
        inOwner(
                () -> {
                    if (ended) {
                        refused.run();
                        return;
                    }
                    allotments.add(new Allotment(now() + timeoutMillis, taken));
                    endBatch();
                    Future<?> unused =
                            owner.schedule(this::allotWithoutMember, ALLOT_WITHIN_MILLIS, TimeUnit.MILLISECONDS);
                },
                refused);
        return taken;
    }

    private void inOwner(Runnable task, Runnable ifClosed) {
        try {
            owner.execute(task);
        } catch (RejectedExecutionException e) {
            ifClosed.run();
        }
    }

    /** No process sends the call any more. Any thread. */
    void finished(ClientCall allotted) {
        // If this client is closed, the group forgets the number at its deadline.
        inOwner(
                () -> {
                    core.finished(allotted);
                    endBatch();
                },
                () -> {});
    }

    /** A former life's call, which this client has the id of, is over, and no life sends it any more. Any thread. */
    void finished(ClientCall.Identity former) {
        inOwner(
                () -> {
                    core.finished(former);
                    endBatch();
                },
                () -> {});
    }

    /** The application has handled the outcome of a kept call. Any thread. */
    void handled(PendingCall kept) {
        inOwner(
                () -> {
                    // One that close() gave up is left to the next life.
                    if (!givenUp) {
                        onHandled(kept);
                        endBatch();
                    }
                },
                () -> {});
    }

    private void onHandled(PendingCall kept) {
        kept.onHandled();
        core.onHandled(kept);
    }

    /** A thread that has ended handles nothing any more. */
    private void awaitHandling() {
        if (core.unhandled().isEmpty() || handling != null || ended) {
            return;
        }
        handling = owner.schedule(
                () -> {
                    handling = null;
                    input(() -> List.copyOf(core.unhandled()).stream()
                            .filter(PendingCall::isHandled)
                            .forEach(core::onHandled));
                },
                LOOK_AT_THREADS_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private void allotWaiting() {
        if (!allotments.isEmpty() && core.wantsMember(now())) {
            allotWithoutMember();
        }
    }

    private void allotWithoutMember() {
        for (Allotment each : allotments) {
            if (ended) {
                each.taken.completeExceptionally(new IllegalStateException("this client is closed"));
            } else {
                long left = Math.max(1, each.endMillis - now());
                each.taken.complete(core.allot(left, now(), System.currentTimeMillis()));
            }
        }
        allotments.clear();
    }

    /** Asks the member that serves, once there is a connection. Any thread. */
    void ask(byte[] bytes, CompletableFuture<byte[]> answer) {
        Runnable refused = () -> unanswered(answer, "this client is closed");
        inOwner(
                () -> {
                    if (ended) {
                        refused.run();
                        return;
                    }
                    questions.add(new Question(bytes, answer));
                    endBatch();
                },
                refused);
    }

    private void askWaiting() {
        questions.removeIf(each -> each.answer.isDone());
        if (questions.isEmpty() || !core.wantsMember(now())) {
            return;
        }
        List<Question> leaving = List.copyOf(questions);
        questions.clear();
        int member = core.serving();
        for (Question each : leaving) {
            CompletableFuture<byte[]> unused = each.answer.whenComplete((bytes, why) -> {
                if (why instanceof TimeoutException) {
                    inOwner(() -> core.onSilence(member), () -> {});
                }
            });
            links.ask(
                    member,
                    each.bytes,
                    answer -> answer.ifPresentOrElse(
                            each.answer::complete,
                            () -> unanswered(each.answer, "the member that was asked has none")));
        }
    }

    /** Whether a call would find a member. Any thread. */
    Readiness health() {
        if (ended) {
            return Readiness.not("this client is closed");
        }
        if (!isConnected) {
            String why = trouble;
            return Readiness.not("it has no connection to a member" + (why.isEmpty() ? "" : ": " + why));
        }
        return knowsLeader ? Readiness.READY : Readiness.not("the group has no leader");
    }

    /** Connects; ends once a call would find a member. Any thread. */
    CompletableFuture<Void> awaitReady() {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Runnable refused = () -> ready.completeExceptionally(new IllegalStateException("this client is closed"));
        inOwner(
                () -> {
                    if (ended) {
                        refused.run();
                        return;
                    }
                    awaitingReady.add(ready);
                    endBatch();
                },
                refused);
        return ready;
    }

    /** A reply has come, here or by way of another client of this program. Any thread. */
    void onReplied() {
        latestReplyMillis = now();
    }

    /** When the latest reply came, on the clock of {@link #now}. Any thread. */
    OptionalLong latestReplyMillis() {
        long latest = latestReplyMillis;
        return latest == NEVER ? OptionalLong.empty() : OptionalLong.of(latest);
    }

    private void tellReady() {
        isConnected = connected.contains(core.serving());
        if (ended || (isConnected && knowsLeader)) {
            awaitingReady.forEach(each -> each.complete(null));
            awaitingReady.clear();
        }
        awaitingReady.removeIf(CompletableFuture::isDone);
        if (!awaitingReady.isEmpty()) {
            boolean unused = core.wantsMember(now());
        }
    }

    private void unanswered(CompletableFuture<byte[]> answer, String why) {
        answer.completeExceptionally(new AmoUnknownException("no answer from group " + group + ": " + why));
    }

    long moves() {
        return moves;
    }

    CallCounts counts() {
        return counts;
    }

    String servedBy() {
        return members.get(serving);
    }

    /** Whether {@link #close} has given the open calls up. Any thread. */
    boolean isClosed() {
        return ended;
    }

    /** Gives every open call up, and lets the last acknowledgements leave. Any thread; the future says when. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (ended) {
            done.complete(null);
            return done;
        }
        inOwner(
                () -> {
                    try {
                        giveUpAll();
                    } finally {
                        done.complete(null);
                    }
                },
                () -> {
                    ownerIsGone();
                    done.complete(null);
                });
        return done;
    }

    /** Waits for the end that a future says, for some seconds at most. An interruption does not end the wait, and stays. */
    static void awaitEnd(CompletableFuture<Void> end, String whose) {
        long limitMillis = now() + AmoClient.PATIENCE_MILLIS;
        boolean interrupted = false;
        try {
            while (!end.isDone()) {
                try {
                    end.get(limitMillis - now(), TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(whose + " did not end", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void giveUpAll() {
        if (givenUp) {
            return;
        }
        givenUp = true;
        ended = true;
        List.copyOf(core.unhandled()).forEach(this::onHandled);
        core.onClose(now(), System.currentTimeMillis());
        endFailed();
        notes.release();
        refuseArrived("is closed");
        questions.forEach(each -> unanswered(each.answer, "this client is closed"));
        questions.clear();
        allotWithoutMember();
        tellReady();
        links.close();
        history.close();
    }

    /** It takes no task any more: another thread has closed this client meanwhile. No later call may wait for it. */
    private void ownerIsGone() {
        ended = true;
        refuseArrived("is closed");
    }

    private void takeArrived() {
        arrived.awake();
        if (ended) {
            refuseArrived("is closed");
            return;
        }
        long wall = System.currentTimeMillis();
        for (PendingCall next = arrived.poll(); next != null; next = arrived.poll()) {
            take(next, wall);
        }
        endBatch();
    }

    private void take(PendingCall call, long wall) {
        if (!errors.run(() -> begin(call, wall))) {
            failed.add(call);
            core.lookAgain(now() + LOOK_AGAIN_MILLIS);
        }
    }

    private void begin(PendingCall call, long wall) {
        call.before().ifPresent(this::onHandled);
        if (call.isKept() && !notes.mayBegin()) {
            call.failBeforeLeaving(new AmoNotExecutedException(
                    "group " + group + ": the identity of this client cannot be written; see its log",
                    Optional.empty()));
            return;
        }
        long now = now();
        // The deadline counts from the moment at which the application called.
        long left = call.endMillis() - now;
        if (left < 1) {
            call.failBeforeLeaving(new AmoNotExecutedException(
                    "group " + group + ": the deadline passed before the call left", Optional.of(Refusal.EXPIRED)));
            return;
        }
        counts.begun.increment();
        if (call.identity().isPresent()) {
            core.onCallAs(call.identity().get(), call, call.body(), call.oneway(), left, now, wall);
        } else {
            core.onCall(call, call.body(), call.oneway(), left, now, wall);
        }
    }

    /** A part of an attempt, and earlier attempts, may have left: unknown is true in any case. */
    private void endFailed() {
        for (PendingCall next = failed.poll(); next != null; next = failed.poll()) {
            if (!core.onSendFailed(next, now(), System.currentTimeMillis())) {
                counts.unknown.increment();
                next.fail(new AmoUnknownException(
                        "an error in this program ended a call of group " + group + "; it ran once or not at all"));
            }
        }
    }

    private void refuseArrived(String why) {
        for (PendingCall next = arrived.poll(); next != null; next = arrived.poll()) {
            next.failBeforeLeaving(
                    new AmoNotExecutedException("this client of group " + group + " " + why, Optional.empty()));
        }
    }

    private void onTick() {
        tickAtMillis = NEVER;
        if (!ended) {
            input(() -> core.onTick(now(), System.currentTimeMillis()));
        }
    }

    private void input(Runnable ofCore) {
        guard(ofCore);
        endBatch();
    }

    private void guard(Runnable task) {
        if (!errors.run(task)) {
            core.lookAgain(now() + LOOK_AGAIN_MILLIS);
        }
    }

    private void endBatch() {
        endOfBatch.forEach(this::guard);
        moves = core.moves();
        serving = core.serving();
        long due = core.nextDeadline();
        if (due < tickAtMillis && !ended) {
            // If there is no memory for this one, the one before still comes.
            Future<?> before = tick;
            tick = owner.schedule(this::onTick, Math.max(1, due - now()), TimeUnit.MILLISECONDS);
            tickAtMillis = due;
            if (before != null) {
                before.cancel(false);
            }
        }
    }

    static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private final class Events implements MemberLinks.Events {
        @Override
        public void onConnected(int member, long upperMillis) {
            refusing.remove(member);
            connected.add(member);
            input(() -> core.onConnected(member, upperMillis, now(), System.currentTimeMillis()));
        }

        @Override
        public void onAnswer(int member, long copy, Answer answer) {
            core.onAnswer(member, copy, answer, now(), System.currentTimeMillis());
        }

        @Override
        public void onDatagramTurnedAway(int member, long copy, boolean stays) {
            input(() -> core.onDatagramTurnedAway(member, copy, stays, now(), System.currentTimeMillis()));
        }

        @Override
        public void onDatagramsRefused(int member) {
            if (!ended) {
                input(() -> core.onDatagramsRefused(member, now(), System.currentTimeMillis()));
            }
        }

        @Override
        public void onLeader(String member) {
            knowsLeader = !member.isEmpty();
            int index = members.indexOf(member);
            if (index >= 0) {
                core.onLeader(index, now(), System.currentTimeMillis());
            }
        }

        @Override
        public void onMembers(GroupMembers told) {
            if (told.version() >= membersVersion) {
                membersVersion = told.version();
                take(told.members());
            }
        }

        /** Members of the application's list keep its addresses: it may reach them by another way than they do each other. */
        private void take(List<Member> told) {
            List<String> ids = new ArrayList<>(members);
            for (int number = 0; number < ids.size(); number++) {
                String id = ids.get(number);
                if (told.stream().noneMatch(member -> member.id().equals(id))) {
                    core.onMemberRemoved(number, now(), System.currentTimeMillis());
                }
            }
            for (Member member : told) {
                if (!ids.contains(member.id())) {
                    int number = core.onMemberAdded();
                    links.place(number, member);
                    refusing.remove(number);
                    if (number == ids.size()) {
                        ids.add(member.id());
                    } else {
                        ids.set(number, member.id());
                    }
                }
            }
            members = List.copyOf(ids);
        }

        @Override
        public void onDraining(int member) {
            core.onDraining(member, now(), System.currentTimeMillis());
        }

        @Override
        public void onBatchEnd() {
            endBatch();
        }

        @Override
        public void onDisconnected(int member, boolean lasting, String why) {
            if (ended) {
                return;
            }
            trouble = why;
            connected.remove(member);
            boolean unused = lasting ? refusing.add(member) : refusing.remove(member);
            if (refusing.size() == members.size()) {
                guard(() -> core.onNobodyTakesCalls(now(), System.currentTimeMillis()));
            }
            input(() -> core.onDisconnected(member, now(), System.currentTimeMillis()));
        }
    }

    /** An effect that throws would leave the core in the middle of its input, and other calls without their turn. */
    private final class Effects implements GroupClientEffects<PendingCall> {
        private final MemberLinks.Events events = new Events();

        @Override
        public void connect(int member) {
            links.connect(member, events);
        }

        @Override
        public void send(int member, PendingCall caller, Attempt copy) {
            send(caller, copy, () -> links.send(member, copy, caller.path()));
        }

        private void send(PendingCall caller, Attempt copy, Runnable link) {
            if (!notes.holdsBack()) {
                leave(caller, copy, link);
                return;
            }
            boolean noted = errors.run(() -> {
                if (caller.isKept()) {
                    notes.note(copy);
                }
                notes.leave(
                        () -> leave(caller, copy, link),
                        () -> guard(() -> core.onNotSent(copy.copy(), now(), System.currentTimeMillis())));
            });
            if (!noted) {
                failed.add(caller);
            }
        }

        private void leave(PendingCall caller, Attempt copy, Runnable link) {
            boolean sent = errors.run(() -> {
                history.sent(caller, copy.id());
                link.run();
            });
            if (!sent) {
                failed.add(caller);
            }
        }

        @Override
        public void acknowledge(int member, FinishedNumbers finished) {
            notes.leave(() -> errors.run(() -> links.acknowledge(member, finished)), this::notAcknowledged);
        }

        /** A datagram tells no path, and its key is that of this client. */
        @Override
        public boolean fitsDatagram(int member, PendingCall caller) {
            return DatagramCalls.fits(caller.body().length)
                    && caller.path().isEmpty()
                    && caller.identity().isEmpty();
        }

        @Override
        public void sendDatagram(int member, PendingCall caller, Attempt copy) {
            send(caller, copy, () -> links.sendDatagram(member, copy, events));
        }

        @Override
        public void acknowledgeByDatagram(int member, long timestampMillis, FinishedNumbers finished) {
            notes.leave(
                    () -> errors.run(() -> links.acknowledgeByDatagram(member, timestampMillis, finished)),
                    this::notAcknowledged);
        }

        private void notAcknowledged() {
            core.onNotAcknowledged(now());
        }

        @Override
        public void replied(PendingCall caller, RequestId id, byte[] reply) {
            onReplied();
            counts.replied.increment();
            errors.run(() -> history.replied(caller, id, reply));
            caller.reply(reply);
        }

        @Override
        public void notExecuted(PendingCall caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget) {
            counts.notExecuted.increment();
            errors.run(() -> history.notExecuted(caller, id, reason));
            String why = reason.map(refusal -> ": " + refusal
                            + budget.map(used -> ", " + used.sentence()).orElse(""))
                    .orElse(": no member could be reached" + (trouble.isEmpty() ? "" : " (" + trouble + ")"));
            boolean refusesClient = reason.isEmpty() && refusing.size() == members.size();
            Runnable tell = () -> caller.fail(new AmoNotExecutedException(
                    "call " + id + " of group " + group + " was not executed" + why, reason, budget, refusesClient));
            if (notes.notExecuted(id, reason)) {
                notes.leave(tell, () -> caller.fail(unknown(id)));
            } else {
                tell.run();
            }
        }

        @Override
        public void unknown(PendingCall caller, RequestId id, Optional<Refusal> reason) {
            counts.unknown.increment();
            errors.run(() -> history.unknown(caller, id));
            caller.onUnknown(reason);
            caller.fail(unknown(id));
        }

        private AmoUnknownException unknown(RequestId id) {
            return new AmoUnknownException(
                    "call " + id + " of group " + group + " ran once or not at all; its outcome is unknown");
        }

        @Override
        public boolean isHandled(PendingCall caller) {
            // A call that close() gives up is left to the next life, even if its thread has ended by now.
            return caller.isHandled() && !(givenUp && caller.isKept());
        }
    }
}
