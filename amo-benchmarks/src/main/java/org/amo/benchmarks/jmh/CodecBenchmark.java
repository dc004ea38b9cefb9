package org.amo.benchmarks.jmh;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.RequestContext;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The service contexts of a call. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    private static final long TIME = 1_700_000_000_000L;
    private static final RequestContext REQUEST = new RequestContext(
            new ClientId(1, 1),
            Optional.of(new RequestContext.Call(1_000_000, TIME, TIME + 10_000)),
            FinishedNumbers.of(999_990, 999_992, 999_995));
    private static final Answer ANSWER = Answer.reply(new byte[0], TIME, TIME - 300_000);
    private static final byte[] REQUEST_BYTES = REQUEST.encode();
    private static final byte[] ANSWER_BYTES = AnswerContext.encode(ANSWER);

    @Benchmark
    public byte[] encodeRequest() {
        return REQUEST.encode();
    }

    @Benchmark
    public RequestContext decodeRequest() {
        return RequestContext.decode(REQUEST_BYTES);
    }

    @Benchmark
    public byte[] encodeAnswer() {
        return AnswerContext.encode(ANSWER);
    }

    @Benchmark
    public Answer decodeAnswer() {
        return AnswerContext.decode(ANSWER_BYTES);
    }
}
