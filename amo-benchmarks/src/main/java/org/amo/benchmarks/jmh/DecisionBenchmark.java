package org.amo.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.benchmarks.LoopReplica;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** All that one member's core does for a call, in one thread and without a network: encode, decode, decide, keep, free. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DecisionBenchmark {
    private static final ClientId CLIENT = new ClientId(1, 1);
    private static final byte[] BODY = new byte[80];

    private LoopReplica replica = new LoopReplica();
    private long timestamp;
    private long number;
    private long answered;
    private final AnswerListener count = this::answered;

    @Setup
    public void start() {
        replica = new LoopReplica();
        timestamp = replica.timestamp();
        number = 0;
        replica.call(replica.request(CLIENT, ++number, timestamp, BODY), FinishedNumbers.NONE, count);
    }

    /** A new request, which acknowledges the one before. */
    @Benchmark
    public long orderedCall() {
        Request request = replica.request(CLIENT, ++number, timestamp, BODY);
        replica.call(request, FinishedNumbers.of(number - 1), count);
        return answered;
    }

    /** A copy of the last request: its reply is kept, so nothing is ordered. */
    @Benchmark
    public long duplicate() {
        replica.call(replica.request(CLIENT, number, timestamp, BODY), FinishedNumbers.NONE, count);
        return answered;
    }

    private void answered(Answer answer) {
        if (answer.kind() != Answer.Kind.REPLY) {
            throw new IllegalStateException("a call was not executed: " + answer);
        }
        answered++;
    }
}
