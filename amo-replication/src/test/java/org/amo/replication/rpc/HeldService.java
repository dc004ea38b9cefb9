package org.amo.replication.rpc;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** Answers requests and questions, and takes acknowledgements, when the test does. */
final class HeldService implements ReplicatedService, RpcQuestions {
    /** The first byte of a question that it does not understand. */
    static final int NO_QUESTION = 99;

    /** That of a question which it answers, and fails at. */
    static final int FAILS = 98;

    final AtomicInteger arrived = new AtomicInteger();
    final AtomicInteger statusFailures = new AtomicInteger();
    final AtomicInteger acknowledged = new AtomicInteger();
    final Queue<CallPath> paths = new ConcurrentLinkedQueue<>();
    final Queue<Principal> senders = new ConcurrentLinkedQueue<>();
    final Queue<AnswerListener> waiting = new ConcurrentLinkedQueue<>();
    final List<Consumer<Optional<byte[]>>> questions = new CopyOnWriteArrayList<>();
    volatile int replyBytes = 1;
    volatile boolean fails;
    volatile boolean statusFails;
    volatile String leader = "a";

    /** The thread of the server that asks this service. */
    volatile Optional<ScheduledExecutorService> owner = Optional.empty();

    private final Queue<Runnable> untaken = new ConcurrentLinkedQueue<>();

    static ReplicaStatus emptyStatus() {
        return emptyStatus("a");
    }

    private static ReplicaStatus emptyStatus(String leader) {
        return new ReplicaStatus(
                "a", leader, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), 0, Map.of(), Map.of(),
                0, 0, 0, 0, 0, 0, 0, "", "", "", 0, 0, 0, 0, 0, "", "active", "", 1, Map.of(), Map.of());
    }

    void answerAll() {
        for (AnswerListener next = waiting.poll(); next != null; next = waiting.poll()) {
            next.onAnswer(Answer.reply(new byte[replyBytes], 1, 0));
        }
    }

    void takeAll() {
        for (Runnable next = untaken.poll(); next != null; next = untaken.poll()) {
            next.run();
        }
    }

    @Override
    public void submitAll(List<Arrival> copies) {
        copies.forEach(copy -> senders.add(copy.principal()));
        ReplicatedService.super.submitAll(copies);
    }

    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        paths.add(request.path());
        arrived.incrementAndGet();
        waiting.add(listener);
        if (fails) {
            throw new IllegalStateException("the service is broken");
        }
    }

    @Override
    public void submitPlain(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished, Runnable taken) {
        acknowledged.incrementAndGet();
        untaken.add(taken);
    }

    @Override
    public void onStart(ScheduledExecutorService loop) {
        owner = Optional.of(loop);
    }

    @Override
    public void onQuestion(byte[] question, Consumer<Optional<byte[]>> answer) {
        if (question[0] == NO_QUESTION) {
            throw new MalformedFrameException("planted");
        }
        if (question[0] == FAILS) {
            answer.accept(Optional.of(question));
            throw new IllegalStateException("planted");
        }
        questions.add(answer);
    }

    @Override
    public ReplicaStatus status() {
        if (statusFails) {
            statusFailures.incrementAndGet();
            throw new NoClassDefFoundError("planted");
        }
        return emptyStatus(leader);
    }

    @Override
    public void close() {}
}
