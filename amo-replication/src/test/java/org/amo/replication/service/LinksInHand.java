package org.amo.replication.service;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.core.client.Attempt;
import org.amo.core.client.Delivery;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;

/** The members are the test: it takes connections, answers attempts and breaks connections. */
final class LinksInHand implements MemberLinks {
    final Queue<Integer> connecting = new ConcurrentLinkedQueue<>();
    final Queue<String> placed = new ConcurrentLinkedQueue<>();
    final Queue<Attempt> sent = new ConcurrentLinkedQueue<>();

    /** What the next flush throws. */
    final AtomicReference<Error> failure = new AtomicReference<>();

    /** Sees each attempt as it leaves. */
    final AtomicReference<Consumer<Attempt>> leaving = new AtomicReference<>(attempt -> {});

    /** Of each read that left, the listener that waits for its answer. */
    final Queue<Consumer<Optional<ReadAnswer>>> reads = new ConcurrentLinkedQueue<>();

    /** What the next read throws. */
    final AtomicReference<Error> readFailure = new AtomicReference<>();

    private final ScheduledExecutorService owner;
    private volatile Optional<Events> events = Optional.empty();

    LinksInHand(ScheduledExecutorService owner) {
        this.owner = owner;
    }

    void tell(Consumer<Events> what) {
        owner.execute(() -> what.accept(events.orElseThrow()));
    }

    /** To the oldest attempt without an answer, by the member that has it. */
    void answer(int member, Answer answer) {
        long copy = sent.remove().copy();
        tell(heard -> {
            heard.onAnswer(member, copy, answer);
            heard.onBatchEnd();
        });
    }

    @Override
    public Delivery delivery() {
        return Delivery.AT_MOST_ONCE;
    }

    @Override
    public void connect(int member, Events heard) {
        events = Optional.of(heard);
        connecting.add(member);
    }

    @Override
    public void place(int number, Member member) {
        placed.add(number + " " + member.id());
    }

    @Override
    public void send(int member, Attempt copy, CallPath path) {
        leaving.get().accept(copy);
        sent.add(copy);
    }

    @Override
    public void acknowledge(int member, FinishedNumbers finished) {}

    @Override
    public void ask(int member, byte[] question, Consumer<Optional<byte[]>> answer) {
        answer.accept(Optional.empty());
    }

    @Override
    public void takesReads(int member, Consumer<Boolean> answer) {
        answer.accept(true);
    }

    @Override
    public void read(int member, Read read, Consumer<Optional<ReadAnswer>> answer) {
        Error planted = readFailure.getAndSet(null);
        if (planted != null) {
            throw planted;
        }
        reads.add(answer);
    }

    @Override
    public void flush() {
        Error planted = failure.getAndSet(null);
        if (planted != null) {
            throw planted;
        }
    }

    @Override
    public void close() {}
}
