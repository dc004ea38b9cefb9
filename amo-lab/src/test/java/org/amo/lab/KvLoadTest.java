package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.amo.base.wire.WireReader;
import org.amo.cli.ExitCodes;
import org.junit.jupiter.api.Test;

/** The verdict of {@code amo kv bench} and {@code amo kv chaos} over counters of the test's making. */
class KvLoadTest {
    private static final long LONG = TimeUnit.MILLISECONDS.toNanos(20);

    private final AtomicLong counter = new AtomicLong();

    private static int exitCode(LongUnaryOperator increment, long nanos) {
        KvLoad load = new KvLoad(1, new PrintWriter(new StringWriter()));
        load.count(increment, System.nanoTime() + nanos);
        return load.exitCode();
    }

    @Test
    void incrementsThatRunOnceAreRight() {
        assertEquals(ExitCodes.OK, exitCode(counter::addAndGet, LONG));
    }

    @Test
    void theLastIncrementIsCheckedToo() {
        // Answered, and lost before the counter is asked for the last time.
        assertEquals(
                ExitCodes.CHECK_FAILED,
                exitCode(amount -> amount == 0 ? counter.get() - 1 : counter.addAndGet(amount), LONG));
    }

    @Test
    void anIncrementThatRanTwiceIsWrong() {
        assertEquals(
                ExitCodes.CHECK_FAILED,
                exitCode(amount -> counter.addAndGet(counter.get() == 2 ? 2 * amount : amount), LONG));
    }

    @Test
    void anAnswerThatIsNoNumberIsNoSuccess() {
        assertEquals(
                ExitCodes.CHECK_FAILED,
                exitCode(
                        amount -> counter.get() == 3
                                ? new WireReader("number", new byte[0]).i64("number")
                                : counter.addAndGet(amount),
                        LONG));
    }

    @Test
    void aRunWithoutACallShowsNothing() {
        assertEquals(ExitCodes.CHECK_FAILED, exitCode(counter::addAndGet, -1));
    }
}
