package org.amo.replication.service;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.core.client.Attempt;
import org.amo.core.client.Delivery;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;

/** Remembers every copy that a client sent, and can send it again, as a network that kept it would. */
final class RepeatingLinks implements MemberLinks {
    private static final long FIRST_OWN_COPY = 1L << 40;

    private final MemberLinks real;
    private final ScheduledExecutorService owner;
    private final Map<Long, Attempt> byNumber = new ConcurrentHashMap<>();
    private final Map<Long, CompletableFuture<Answer>> repeated = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Void>> connected = new ConcurrentHashMap<>();
    private long lastCopy = FIRST_OWN_COPY;
    private volatile boolean losesAcknowledgements;

    RepeatingLinks(MemberLinks real, ScheduledExecutorService owner) {
        this.real = real;
        this.owner = owner;
    }

    /** What an idle client acknowledges arrives nowhere from now on. */
    void loseAcknowledgements() {
        losesAcknowledgements = true;
    }

    /** The number of the latest call. A call has another one than the first if a member refused it under that. */
    long latest() {
        return Collections.max(byNumber.keySet());
    }

    /** A copy of the call with that number arrives at a member once more. */
    Answer repeat(int member, long number) throws Exception {
        connected(member).get(10, TimeUnit.SECONDS);
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        owner.execute(() -> {
            Attempt old = byNumber.get(number);
            long copy = ++lastCopy;
            repeated.put(copy, answer);
            real.send(
                    member,
                    new Attempt(
                            copy,
                            old.id(),
                            old.timestampMillis(),
                            old.deadlineMillis(),
                            old.oneway(),
                            FinishedNumbers.NONE,
                            old.body()),
                    CallPath.NONE);
            real.flush();
        });
        return answer.get(20, TimeUnit.SECONDS);
    }

    /** Opens a connection of its own where the client has none. */
    private CompletableFuture<Void> connected(int member) {
        return connected.computeIfAbsent(member, absent -> {
            CompletableFuture<Void> there = new CompletableFuture<>();
            owner.execute(() -> real.connect(member, new Heard(there)));
            return there;
        });
    }

    @Override
    public Delivery delivery() {
        return real.delivery();
    }

    @Override
    public void connect(int member, Events events) {
        connected.put(member, new CompletableFuture<>());
        real.connect(member, new Passing(connected.get(member), events));
    }

    @Override
    public void place(int number, Member member) {
        real.place(number, member);
    }

    @Override
    public void send(int member, Attempt copy, CallPath path) {
        byNumber.put(copy.id().number(), copy);
        real.send(member, copy, path);
    }

    @Override
    public void acknowledge(int member, FinishedNumbers finished) {
        if (!losesAcknowledgements) {
            real.acknowledge(member, finished);
        }
    }

    @Override
    public void ask(int member, byte[] question, Consumer<Optional<byte[]>> answer) {
        real.ask(member, question, answer);
    }

    @Override
    public void flush() {
        real.flush();
    }

    @Override
    public void close() {
        real.close();
    }

    /** A connection that the client does not know of. */
    private class Heard implements Events {
        private final CompletableFuture<Void> there;

        Heard(CompletableFuture<Void> there) {
            this.there = there;
        }

        @Override
        public void onConnected(int member, long upperMillis) {
            there.complete(null);
        }

        @Override
        public void onAnswer(int member, long copy, Answer answer) {
            CompletableFuture<Answer> mine = repeated.remove(copy);
            if (mine != null) {
                mine.complete(answer);
            }
        }

        @Override
        public void onLeader(String member) {}

        @Override
        public void onMembers(GroupMembers members) {}

        @Override
        public void onDraining(int member) {}

        @Override
        public void onBatchEnd() {}

        @Override
        public void onDisconnected(int member, boolean lasting, String why) {
            connected.remove(member);
        }
    }

    private final class Passing extends Heard {
        private final Events events;

        Passing(CompletableFuture<Void> there, Events events) {
            super(there);
            this.events = events;
        }

        @Override
        public void onConnected(int member, long upperMillis) {
            super.onConnected(member, upperMillis);
            events.onConnected(member, upperMillis);
        }

        @Override
        public void onAnswer(int member, long copy, Answer answer) {
            if (copy > FIRST_OWN_COPY) {
                super.onAnswer(member, copy, answer);
            } else {
                events.onAnswer(member, copy, answer);
            }
        }

        @Override
        public void onLeader(String member) {
            events.onLeader(member);
        }

        @Override
        public void onDraining(int member) {
            events.onDraining(member);
        }

        @Override
        public void onBatchEnd() {
            events.onBatchEnd();
        }

        @Override
        public void onDisconnected(int member, boolean lasting, String why) {
            super.onDisconnected(member, lasting, why);
            events.onDisconnected(member, lasting, why);
        }
    }
}
