package org.amo.core.reply;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The live entries of a client against a sorted map, over numbers of several chunks. */
class LiveWindowTest {
    private static final int SIZE = LiveChunk.SIZE;

    private final LiveWindow window = new LiveWindow();

    private static LiveEntry entry(long expiresAtMillis) {
        return new LiveEntry(expiresAtMillis - 10, expiresAtMillis, 31 * expiresAtMillis, 7);
    }

    private void put(long... numbers) {
        for (long number : numbers) {
            window.put(number, entry(1_000 + number));
        }
    }

    private static List<Long> numbers(LiveWindow window) {
        List<Long> numbers = new ArrayList<>();
        window.forEach((number, entry) -> numbers.add(number));
        return numbers;
    }

    @Test
    void theSameAsASortedMap() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 60; round++) {
            LiveWindow tested = new LiveWindow();
            NavigableMap<Long, LiveEntry> model = new TreeMap<>();
            int span = SIZE * (1 + random.nextInt(6));
            for (int step = 0; step < 400; step++) {
                long first = random.nextInt(span);
                long last = first + random.nextInt(random.nextBoolean() ? 4 : span);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        NavigableMap<Long, LiveEntry> removed = new TreeMap<>();
                        tested.removeRange(first, last, removed::put);
                        NavigableMap<Long, LiveEntry> expected = model.subMap(first, true, last, true);
                        same(expected, removed);
                        expected.clear();
                    }
                    case 1 -> {
                        long now = 1_000L + random.nextInt(span);
                        NavigableMap<Long, LiveEntry> removed = new TreeMap<>();
                        tested.removeExpired(now, removed::put);
                        NavigableMap<Long, LiveEntry> expected = new TreeMap<>(model);
                        expected.values().removeIf(entry -> entry.expiresAtMillis() >= now);
                        same(expected, removed);
                        model.keySet().removeAll(expected.keySet());
                    }
                    case 2 ->
                        assertEquals(!model.subMap(first, true, last, true).isEmpty(), tested.hasBetween(first, last));
                    default -> {
                        LiveEntry entry = entry(1_000L + random.nextInt(span));
                        if (model.putIfAbsent(first, entry) == null) {
                            tested.put(first, entry);
                        }
                    }
                }
                // Not after each step: what is found out at a query must be right after several changes, too.
                if (random.nextInt(3) == 0) {
                    check(model, random.nextBoolean() ? tested : tested.copy());
                }
            }
            check(model, tested.copy());
        }
    }

    /** Numbers are the client's choice: it may spread them over as many chunks as it may have live entries. */
    @Test
    void acknowledgementsThatFreeNothingVisitFewChunksHoweverManyThereAre() {
        CountingWindow spread = new CountingWindow();
        int chunks = 100_000;
        for (long chunk = 1; chunk <= chunks; chunk++) {
            spread.put(SIZE * chunk, entry(1_000 + chunk));
        }
        spread.visits = 0;
        int ranges = 2_000;
        for (long chunk = 1; chunk <= ranges; chunk++) {
            spread.removeRange(SIZE * chunk + 2, SIZE * chunk + 2, (number, entry) -> {});
            assertEquals(1_001, spread.earliestExpiry());
        }
        spread.removeExpired(1_001, (number, entry) -> {});
        assertEquals(chunks, spread.live());
        assertTrue(spread.visits < 50L * ranges, "visits of chunks: " + spread.visits);
    }

    @Test
    void anAcknowledgementThatFreesOneEntryVisitsFewOtherChunks() {
        CountingWindow spread = new CountingWindow();
        int chunks = 10_000;
        for (long chunk = 1; chunk <= chunks; chunk++) {
            spread.put(SIZE * chunk, entry(1_000 + chunk));
        }
        spread.visits = 0;
        for (long freed = 1; freed <= 1_000; freed++) {
            long chunk = freed % 2 == 0 ? 1 + freed : chunks - freed;
            spread.removeRange(SIZE * chunk, SIZE * chunk, (number, entry) -> {});
            assertEquals(1_001, spread.earliestExpiry());
        }
        assertEquals(chunks - 1_000, spread.live());
        assertTrue(spread.visits < 100 * 1_000, "visits of chunks: " + spread.visits);
    }

    @Test
    void chunksThatWereEmptiedAreNotVisitedAgain() {
        CountingWindow spread = new CountingWindow();
        for (long chunk = 1; chunk <= 1_000; chunk++) {
            spread.put(SIZE * chunk, entry(1_000 + chunk));
        }
        spread.removeExpired(1_501, (number, entry) -> {});
        spread.removeRange(SIZE * 501, SIZE * 999, (number, entry) -> {});
        assertEquals(List.of(SIZE * 1_000L), numbers(spread));
        spread.visits = 0;
        spread.removeRange(1, SIZE * 2_000, (number, entry) -> {});
        assertEquals(0, spread.live());
        assertTrue(spread.visits < 10, "visits of chunks: " + spread.visits);
    }

    /** Counts the visits of its chunks. */
    private static final class CountingWindow extends LiveWindow {
        private long visits;

        @Override
        LiveChunk newChunk(long key) {
            return new LiveChunk(key) {
                @Override
                long key() {
                    visits++;
                    return super.key();
                }

                @Override
                boolean isEmpty() {
                    visits++;
                    return super.isEmpty();
                }

                @Override
                long earliestExpiry() {
                    visits++;
                    return super.earliestExpiry();
                }
            };
        }
    }

    private static void check(NavigableMap<Long, LiveEntry> model, LiveWindow tested) {
        NavigableMap<Long, LiveEntry> seen = new TreeMap<>();
        tested.forEach(seen::put);
        same(model, seen);
        assertEquals(model.size(), tested.live());
        assertEquals(
                model.values().stream()
                        .mapToLong(LiveEntry::expiresAtMillis)
                        .min()
                        .orElse(Long.MAX_VALUE),
                tested.earliestExpiry());
    }

    private static void same(Map<Long, LiveEntry> expected, Map<Long, LiveEntry> actual) {
        assertEquals(List.copyOf(expected.keySet()), List.copyOf(actual.keySet()));
        expected.forEach((number, entry) -> {
            LiveEntry other = actual.get(number);
            assertEquals(entry.timestampMillis(), other.timestampMillis());
            assertEquals(entry.expiresAtMillis(), other.expiresAtMillis());
            assertEquals(entry.fingerprint(), other.fingerprint());
            assertEquals(entry.charge(), other.charge());
        });
    }

    @Test
    void aNumberBetweenTwoIsFoundAndNoneBeside() {
        put(5, SIZE + 5);
        assertTrue(window.hasBetween(5, 5));
        assertTrue(window.hasBetween(6, SIZE + 5));
        assertFalse(window.hasBetween(6, SIZE + 4));
        assertFalse(window.hasBetween(0, 4));
        assertFalse(window.hasBetween(SIZE + 6, 9L * SIZE));
    }

    @Test
    void aReplyStaysWithItsNumberWhileOthersComeAndGo() {
        put(10, 40, 12);
        window.complete(12, new byte[] {1, 2});
        put(3, SIZE - 1, 2L * SIZE);
        window.removeRange(3, 10, (number, entry) -> {});
        assertArrayEquals(
                new byte[] {1, 2}, window.find(12).orElseThrow().reply().orElseThrow());
        assertEquals(Optional.empty(), window.find(40).orElseThrow().reply());
        assertEquals(List.of(12L, SIZE - 1L, 40L, 2L * SIZE), numbers(window));
        assertThrows(IllegalStateException.class, () -> window.complete(11, new byte[1]));
    }

    @Test
    void whatACopyHoldsDoesNotChangeWithTheWindow() {
        put(1, 2, SIZE);
        LiveWindow copy = window.copy();
        window.removeRange(1, SIZE, (number, entry) -> {});
        put(7);
        assertEquals(3, copy.live());
        assertEquals(Optional.empty(), copy.find(7));
        assertTrue(copy.find(SIZE).isPresent());
    }

    /** A chunk keeps its place in the client's record for as long as one of its numbers lives. */
    @Test
    void entriesThatAreFarApartInTimeMayFollowEachOtherInAChunk() {
        long later = 1L << 33;
        window.put(1, entry(1_000));
        assertThrows(IllegalArgumentException.class, () -> window.put(2, entry(later)));
        LiveWindow other = new LiveWindow();
        other.put(1, entry(1_000));
        other.removeRange(1, 1, (number, entry) -> {});
        other.put(2, entry(later));
        other.put(3, entry(later + (1L << 31) - 20));
        other.removeRange(2, 2, (number, entry) -> {});
        other.put(4, entry(later + (1L << 31) + 20));
        assertEquals(later + (1L << 31) - 20, other.find(3).orElseThrow().expiresAtMillis());
        assertEquals(later + (1L << 31) + 20, other.find(4).orElseThrow().expiresAtMillis());
    }
}
