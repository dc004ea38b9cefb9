package org.amo.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.amo.determinism.runtime.MemberOperations;
import org.amo.determinism.runtime.RandomSubstitutes;
import org.amo.determinism.runtime.TimeSubstitutes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The calls that the agent of deterministic execution puts in the place of the JDK's: a clock that is read outside of an
 * operation and inside one, and a UUID from the seed of an entry. The clock should cost at most twice the JDK's.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ClockBenchmark {

    /** The thread runs an operation. */
    @State(Scope.Thread)
    public static class Operation {
        private final MemberOperations member = new MemberOperations(new byte[] {1});

        @Setup(Level.Iteration)
        public void begin() {
            member.begin(1, 2, 3, 4, System.currentTimeMillis());
            member.drawFrom(new byte[32], 0);
        }

        @TearDown(Level.Iteration)
        public void end() {
            member.end();
        }
    }

    @Benchmark
    public long plainMillis() {
        return System.currentTimeMillis();
    }

    @Benchmark
    public long replacedMillisOutside() {
        return TimeSubstitutes.systemCurrentTimeMillis();
    }

    @Benchmark
    @SuppressWarnings("unused") // the thread is inside it
    public long replacedMillisInside(Operation operation) {
        return TimeSubstitutes.systemCurrentTimeMillis();
    }

    @Benchmark
    public Object plainUuid() {
        return java.util.UUID.randomUUID();
    }

    @Benchmark
    @SuppressWarnings("unused") // as above
    public Object replacedUuidInside(Operation operation) {
        return RandomSubstitutes.uUIDRandomUUID();
    }
}
