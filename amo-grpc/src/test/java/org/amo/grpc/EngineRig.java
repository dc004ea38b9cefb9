package org.amo.grpc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.ClientId;
import org.amo.core.replica.GroupParameters;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/** An engine over a folder, with clocks of its own and without gRPC. */
final class EngineRig implements AutoCloseable {
    static final ClientId CLIENT = new ClientId(1, 2);
    static final long START = 1_700_000_000_000L;

    /** Retention 10 s, skew 100 ms, longest life 8 s. */
    static final GroupParameters SHORT = GroupParameters.builder()
            .retentionMillis(10_000)
            .skewMillis(100)
            .lifeMillis(8_000)
            .defaultDeadlineMillis(5_000)
            .build();

    final AtomicLong wall = new AtomicLong(START);
    final AtomicLong monotonic = new AtomicLong(1_000);
    private final Path folder;
    private final long replyBytes;
    private final long recordBytes;
    private final long leastReplacedBytes;
    private final boolean forced;
    private final CallLog.Disk disk;
    CallEngine engine;

    EngineRig(Path folder) throws IOException {
        this(folder, 1 << 20, CallLog.LEAST_REPLACED_BYTES);
    }

    EngineRig(Path folder, long replyBytes, long leastReplacedBytes) throws IOException {
        this(folder, replyBytes, leastReplacedBytes, false, file -> {
            throw new IOException("not forced");
        });
    }

    EngineRig(Path folder, long replyBytes, long leastReplacedBytes, boolean forced, CallLog.Disk disk)
            throws IOException {
        this(folder, replyBytes, Long.MAX_VALUE, leastReplacedBytes, forced, disk);
    }

    /** One with room for so many bytes of what is kept of clients. */
    static EngineRig withRecordBytes(Path folder, long recordBytes) throws IOException {
        return new EngineRig(folder, 1 << 20, recordBytes, CallLog.LEAST_REPLACED_BYTES, false, file -> {
            throw new IOException("not forced");
        });
    }

    private EngineRig(
            Path folder, long replyBytes, long recordBytes, long leastReplacedBytes, boolean forced, CallLog.Disk disk)
            throws IOException {
        this.forced = forced;
        this.disk = disk;
        this.folder = folder;
        this.replyBytes = replyBytes;
        this.recordBytes = recordBytes;
        this.leastReplacedBytes = leastReplacedBytes;
        engine = open();
        pass(1_000); // the first timestamps after a begin are refused
    }

    private CallEngine open() throws IOException {
        return CallEngine.open(
                folder,
                new CallEngine.Settings(forced, replyBytes, recordBytes, SHORT, leastReplacedBytes, disk),
                Runnable::run,
                new CallEngine.Clocks(wall::get, monotonic::get));
    }

    /** Both clocks go on. */
    void pass(long millis) {
        wall.addAndGet(millis);
        monotonic.addAndGet(millis);
        engine.onTick();
    }

    /** As after the end of the process: only the notes are left. */
    void restart() throws IOException {
        engine.close();
        engine = open();
    }

    long now() {
        return engine.times().orderedTimeMillis();
    }

    /** An attempt of a call that begins now, with a deadline in 5 s. */
    FakeAttempt call(long number) {
        return new FakeAttempt(number, now(), now() + 5_000, 7, FinishedNumbers.NONE);
    }

    FakeAttempt send(FakeAttempt attempt) {
        engine.onAttempt(attempt);
        return attempt;
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }

    /** An attempt with a handler that ends when the test says so. */
    final class FakeAttempt implements CallEngine.Attempt {
        private final Request request;
        private final FinishedNumbers finished;
        volatile int executed;

        /** Runs when the handler would. */
        Runnable onExecute = () -> {};

        /** Runs when the answer would leave. */
        Runnable onReply = () -> {};

        /** All that it was told. */
        final List<String> answers = new CopyOnWriteArrayList<>();

        FakeAttempt(long number, long timestamp, long deadline, long fingerprint, FinishedNumbers finished) {
            request = new Request(RequestId.own(CLIENT, number), timestamp, deadline, fingerprint, false, new byte[0]);
            this.finished = finished;
        }

        /** Another attempt of the same call. */
        FakeAttempt again() {
            return again(request.fingerprint(), FinishedNumbers.NONE);
        }

        FakeAttempt again(long fingerprint, FinishedNumbers acknowledged) {
            return new FakeAttempt(
                    request.id().number(),
                    request.timestampMillis(),
                    request.deadlineMillis(),
                    fingerprint,
                    acknowledged);
        }

        FakeAttempt ends(String reply) {
            engine.onExecuted(this, reply.getBytes(StandardCharsets.UTF_8));
            return this;
        }

        @Override
        public Request request() {
            return request;
        }

        @Override
        public Principal principal() {
            return Principal.UNKNOWN;
        }

        @Override
        public FinishedNumbers finished() {
            return finished;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
        public void execute() {
            onExecute.run();
            executed = executed + 1;
        }

        @Override
        public void reply(byte[] reply, boolean replayed, CallEngine.Times times) {
            onReply.run();
            answers.add((replayed ? "again " : "") + new String(reply, StandardCharsets.UTF_8));
        }

        @Override
        public void refuse(AttemptOutcome outcome, Optional<Budget> budget, CallEngine.Times times) {
            answers.add(outcome + budget.map(used -> " " + used).orElse(""));
        }

        @Override
        public void fail(boolean mayHaveRun) {
            answers.add("fail " + mayHaveRun);
        }
    }
}
