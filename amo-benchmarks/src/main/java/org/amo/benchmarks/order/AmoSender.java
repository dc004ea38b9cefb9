package org.amo.benchmarks.order;

import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;
import org.amo.replication.ReplicationProvider;

/** A replica with an empty servant, and one client of it in the same process: requests, decisions, replies, SACKs. */
final class AmoSender implements RemembersCalls {
    private static final long LIFE_MILLIS = 20_000;
    private static final long ANSWER_SECONDS = 30;
    private static final byte[] REPLY = new byte[20];
    private static final byte[] NO_STATE = {};

    private final ReplicaSettings settings;
    private final ClientId client;
    private final NumberRanges finished = new NumberRanges();
    private final AtomicLong repeats = new AtomicLong();
    private final AtomicLong executions = new AtomicLong();
    private volatile LongConsumer completed = sequence -> {};
    private volatile long orderedTime;
    private volatile long heardAt;
    private volatile Optional<ReplicatedService> opened = Optional.empty();

    AmoSender(ReplicaSettings settings) {
        this.settings = settings;
        SecureRandom random = new SecureRandom();
        client = new ClientId(random.nextLong(), random.nextLong());
    }

    @Override
    public void start(LongConsumer toTell) throws InterruptedException {
        completed = toTell;
        ReplicatedService service = new ReplicationProvider().open(settings, new NothingDone(), why -> {
            System.err.println("the replica ended: " + why.getMessage());
            Runtime.getRuntime().halt(1);
        });
        opened = Optional.of(service);
        while (service.status().orderedTimeMillis() == 0) {
            Thread.sleep(20);
        }
        heard(service.status().orderedTimeMillis());
        // A group that starts refuses calls that its earlier life may have run: the first skew passes.
        Thread.sleep(settings.parameters().skewMillis() + 200);
    }

    @Override
    public void send(long sequence, byte[] payload) {
        submit(request(client, sequence, payload));
    }

    @Override
    public long repeats() {
        return repeats.get();
    }

    @Override
    public boolean leads() {
        return service().status().leader().equals(settings.id());
    }

    @Override
    public long executionsOfALateDuplicate() throws Exception {
        ClientId late = new ClientId(client.high(), ~client.low());
        Request first = request(late, 1, new byte[8]);
        long before = executions.get();
        call(first, FinishedNumbers.NONE);
        call(first, FinishedNumbers.NONE);
        call(request(late, 2, new byte[8]), FinishedNumbers.of(1));
        call(first, FinishedNumbers.NONE);
        // Replies from other members may be ahead of the executions here.
        call(request(late, 3, new byte[8]), FinishedNumbers.of(2));
        return executions.get() - before - 2;
    }

    @Override
    public void callInARow(int count) throws Exception {
        ClientId own = new ClientId(~client.high(), client.low());
        for (int i = 1; i <= count; i++) {
            call(request(own, i, new byte[8]), i == 1 ? FinishedNumbers.NONE : FinishedNumbers.of(i - 1));
        }
    }

    @Override
    public long kept() {
        return service().status().entries();
    }

    @Override
    public void close() {
        opened.ifPresent(ReplicatedService::close);
    }

    /** It has a state, of no bytes, so that the log is cut. */
    private final class NothingDone implements ServantPort {
        @Override
        public byte[] execute(long position, long time, Request request) {
            executions.incrementAndGet();
            return REPLY;
        }

        @Override
        public Optional<byte[]> takeState() {
            return Optional.of(NO_STATE);
        }

        @Override
        public void restoreState(byte[] state) {
            // Nothing was in it.
        }
    }

    private Request request(ClientId caller, long number, byte[] body) {
        long timestamp = orderedTime + (System.nanoTime() - heardAt) / 1_000_000;
        return new Request(RequestId.own(caller, number), timestamp, timestamp + LIFE_MILLIS, number, false, body);
    }

    private void call(Request request, FinishedNumbers acknowledged) throws Exception {
        CompletableFuture<Answer> answered = new CompletableFuture<>();
        service().submit(request, acknowledged, answered::complete);
        heard(answered.get(ANSWER_SECONDS, TimeUnit.SECONDS).orderedTimeMillis());
    }

    private void submit(Request request) {
        FinishedNumbers acknowledged;
        synchronized (finished) {
            acknowledged = finished.toFinished(0, FinishedNumbers.MAX_RANGES);
        }
        service().submit(request, acknowledged, answer -> onAnswer(request, answer));
    }

    private void onAnswer(Request request, Answer answer) {
        heard(answer.orderedTimeMillis());
        long sequence = request.id().number();
        synchronized (finished) {
            finished.add(sequence, sequence);
        }
        if (answer.kind() != Answer.Kind.REPLY) {
            repeats.incrementAndGet();
            System.err.println("not executed: " + answer.kind() + " " + answer.refusal());
        }
        completed.accept(sequence);
    }

    private ReplicatedService service() {
        return opened.orElseThrow(() -> new IllegalStateException("not started"));
    }

    private void heard(long time) {
        if (time > orderedTime) {
            orderedTime = time;
            heardAt = System.nanoTime();
        }
    }
}
