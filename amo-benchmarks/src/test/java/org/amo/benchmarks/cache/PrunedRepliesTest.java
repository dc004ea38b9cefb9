package org.amo.benchmarks.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.ClientId;
import org.amo.benchmarks.cache.PrunedReplies.Verdict;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The five policies: when each frees an entry, and that none lets a copy run again. */
final class PrunedRepliesTest {
    private static final ClientId C = new ClientId(1, 1);
    private static final long START = 1_000_000;
    private static final long DEADLINE = START + 10_000;
    private static final long SKEW = 100;
    private static final long RETENTION = 40_000;

    private static PrunedReplies cache(PruningPolicy policy) {
        PrunedReplies cache = new PrunedReplies(policy, RETENTION, SKEW);
        cache.advance(START);
        return cache;
    }

    private static Verdict call(PrunedReplies cache, long number, FinishedNumbers acknowledged) {
        Verdict verdict = cache.accept(C, number, START, DEADLINE, acknowledged);
        if (verdict == Verdict.EXECUTE) {
            cache.complete(C, number, new byte[] {(byte) number});
        }
        return verdict;
    }

    @Test
    void eachPolicyFreesWhatItsWordAllows() {
        Map<PruningPolicy, Long> entries = new EnumMap<>(PruningPolicy.class);
        for (PruningPolicy policy : PruningPolicy.values()) {
            PrunedReplies cache = cache(policy);
            for (int number = 1; number <= 5; number++) {
                call(cache, number, FinishedNumbers.NONE);
            }
            call(cache, 6, FinishedNumbers.of(2, 4, 4));
            entries.put(policy, cache.entries());
        }
        assertEquals(
                Map.of(
                        PruningPolicy.TIMEOUT, 6L,
                        PruningPolicy.NEXT, 1L,
                        PruningPolicy.SACK, 3L,
                        PruningPolicy.WATERMARK, 4L,
                        PruningPolicy.LEASE, 6L),
                entries);
    }

    @ParameterizedTest
    @EnumSource(PruningPolicy.class)
    void aCopyOfWhatWasFreedIsRefused(PruningPolicy policy) {
        PrunedReplies cache = cache(policy);
        assertEquals(Verdict.EXECUTE, call(cache, 1, FinishedNumbers.NONE));
        assertEquals(Verdict.LIVE, call(cache, 1, FinishedNumbers.NONE));
        call(cache, 2, FinishedNumbers.of(1));
        assertNotEquals(Verdict.EXECUTE, call(cache, 1, FinishedNumbers.NONE));
        cache.advance(DEADLINE + SKEW + 200);
        assertEquals(0, cache.entries());
        assertEquals(0, cache.replyBytes());
        assertEquals(Verdict.STALE, call(cache, 1, FinishedNumbers.NONE), "it ran, so EXPIRED would be a lie");
        assertEquals(Verdict.STALE, call(cache, 2, FinishedNumbers.NONE));
        cache.advance(START + RETENTION + 1_000);
        assertEquals(Verdict.STALE, call(cache, 1, FinishedNumbers.NONE));
        assertEquals(Verdict.STALE, call(cache, 2, FinishedNumbers.NONE));
    }

    @Property(tries = 200)
    void nothingRunsTwiceWhateverTheOrder(@ForAll long seed) {
        for (PruningPolicy policy : PruningPolicy.values()) {
            Random random = new Random(seed);
            PrunedReplies cache = cache(policy);
            Set<Long> executed = new HashSet<>();
            Map<Long, Long> sent = new java.util.HashMap<>();
            long now = START;
            for (int step = 0; step < 200; step++) {
                now += random.nextLong(2_000);
                cache.advance(now);
                long number = 1 + random.nextLong(40);
                long timestamp = sent.computeIfAbsent(number, any -> START + random.nextLong(20_000));
                long floor = random.nextLong(20);
                FinishedNumbers acknowledged =
                        random.nextBoolean() ? FinishedNumbers.NONE : FinishedNumbers.of(floor, floor + 2, floor + 3);
                Verdict verdict = cache.accept(C, number, timestamp, timestamp + 10_000, acknowledged);
                if (verdict == Verdict.EXECUTE) {
                    assertEquals(true, executed.add(number), policy + " ran " + number + " again");
                    cache.complete(C, number, new byte[8]);
                } else if (verdict == Verdict.EXPIRED) {
                    assertEquals(false, executed.contains(number), policy + " denies that it ran " + number);
                }
            }
        }
    }
}
