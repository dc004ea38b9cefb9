package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.core.request.Answer;
import org.junit.jupiter.api.Test;

class ReplyTimesTest {
    private static final long START = Long.MAX_VALUE - 5;
    private final ReplyTimes times = new ReplyTimes(START);
    private long now = START;

    private void add(int count, long micros) {
        for (int i = 0; i < count; i++) {
            times.add(micros * 1_000, now);
        }
    }

    @Test
    void withoutAnAnswerItIsZero() {
        assertEquals(0, times.microsP99(now));
    }

    @Test
    void oneInAHundredMayBeSlower() {
        add(99, 20);
        add(1, 31);
        assertEquals(20, times.microsP99(now), "one of a hundred");
        add(1, 31);
        assertEquals(31, times.microsP99(now), "two of a hundred and one");
    }

    @Test
    void aTimeIsAtMostASixteenthTooLargeAndNeverTooSmall() {
        for (long micros = 1; micros < 4_000_000_000L; micros = micros * 21 / 20 + 1) {
            ReplyTimes one = new ReplyTimes(now);
            one.add(micros * 1_000, now);
            long told = one.microsP99(now);
            assertTrue(told >= micros && told <= micros + micros / 16, micros + " is told as " + told);
        }
        add(1, 1L << 50);
        assertEquals((1L << 36) - 1, times.microsP99(now), "the longest that is told");
    }

    @Test
    void anAnswerIsForgottenAfterTwoSeconds() {
        add(1, 500_000);
        now += ReplyTimes.WINDOW_NANOS;
        add(1_000, 10);
        assertEquals(10, times.microsP99(now));
        add(5, 20);
        now += ReplyTimes.WINDOW_NANOS - 1;
        assertEquals(10, times.microsP99(now));
        now += 1;
        assertEquals(10, times.microsP99(now), "the last second still counts");
        now += 2 * ReplyTimes.WINDOW_NANOS;
        assertEquals(0, times.microsP99(now), "nothing was answered for two seconds");
    }

    @Test
    void theListenerIsToldOnceItWasMeasured() {
        ReplyTimes here = new ReplyTimes(System.nanoTime());
        List<Answer> told = new ArrayList<>();
        Answer answer = Answer.reply(new byte[0], 1, 0);
        here.timed(told::add, System.nanoTime() - 5_000_000).onAnswer(answer);
        assertEquals(List.of(answer), told);
        assertTrue(here.microsP99(System.nanoTime()) >= 5_000);
    }
}
