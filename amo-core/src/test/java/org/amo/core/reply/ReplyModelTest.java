package org.amo.core.reply;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** The compact stores of a client record against plain maps. */
final class ReplyModelTest {

    // ------------------------------------------------- live entries

    @Property(tries = 200)
    void aWindowHoldsAndExpiresWhatAMapDoes(@ForAll long seed) {
        Random random = new Random(seed);
        int spread = 1 + random.nextInt(400);
        LiveWindow window = new LiveWindow();
        TreeMap<Long, LiveEntry> model = new TreeMap<>();
        for (int step = 0; step < 200; step++) {
            long number = 1L + random.nextInt(spread);
            switch (random.nextInt(8)) {
                case 0 -> {
                    long last = number + random.nextInt(random.nextInt(4) == 0 ? 200 : 20);
                    List<Long> removed = new ArrayList<>();
                    window.removeRange(number, last, (freed, entry) -> {
                        assertLike(model.get(freed), entry);
                        removed.add(freed);
                    });
                    assertEquals(
                            new ArrayList<>(
                                    model.subMap(number, true, last, true).keySet()),
                            removed);
                    model.subMap(number, true, last, true).clear();
                }
                case 1 -> {
                    long now = random.nextInt(1_000);
                    List<Long> removed = new ArrayList<>();
                    window.removeExpired(now, (freed, entry) -> removed.add(freed));
                    List<Long> expected = model.entrySet().stream()
                            .filter(entry -> entry.getValue().expiresAtMillis() < now)
                            .map(Map.Entry::getKey)
                            .toList();
                    assertEquals(expected, removed);
                    expected.forEach(model::remove);
                }
                default -> {
                    if (!model.containsKey(number)) {
                        LiveEntry entry = new LiveEntry(
                                random.nextInt(500), random.nextInt(1_000), random.nextLong(), random.nextInt(9));
                        window.put(number, entry);
                        model.put(number, entry);
                        if (random.nextBoolean()) {
                            byte[] reply = new byte[random.nextInt(3)];
                            window.complete(number, reply);
                            model.put(number, entry.completed(reply));
                        }
                    }
                }
            }
            assertEquals(model.size(), window.live());
            assertEquals(model.containsKey(number), window.find(number).isPresent());
            window.find(number).ifPresent(found -> assertLike(model.get(number), found));
            assertEquals(
                    model.values().stream()
                            .mapToLong(LiveEntry::expiresAtMillis)
                            .min()
                            .orElse(Long.MAX_VALUE),
                    window.earliestExpiry(),
                    "the earliest expiry is exact");
        }
        List<Long> visited = new ArrayList<>();
        LiveWindow copy = window.copy();
        window.removeRange(1, Long.MAX_VALUE - 1, (number, entry) -> {});
        copy.forEach((number, entry) -> {
            visited.add(number);
            assertLike(model.get(number), entry);
        });
        assertEquals(new ArrayList<>(model.keySet()), visited, "a copy keeps what its original drops");
    }

    @Test
    void numbersOfOneChunkMayBeUsedMonthsAfterEachOther() {
        long days = 20L * 24 * 3_600_000;
        LiveWindow window = new LiveWindow();
        for (int number = 1; number < LiveChunk.SIZE; number++) {
            window.removeRange(1, number - 2, (freed, entry) -> {});
            window.put(number, new LiveEntry(number * days, number * days + 5, -number, number));
            for (int live = Math.max(1, number - 1); live <= number; live++) {
                assertLike(
                        new LiveEntry(live * days, live * days + 5, -live, live),
                        window.find(live).orElseThrow());
            }
        }
    }

    /** Their times are kept as distances from the first, which has gone. */
    @Test
    void entriesThatLiveOnKeepTheirTimesWhenALaterOneIsFarFromTheFirst() {
        long days = 24L * 3_600_000;
        LiveWindow window = new LiveWindow();
        window.put(1, new LiveEntry(0, 5, -1, 1));
        for (int number = 2; number <= 4; number++) {
            window.put(number, new LiveEntry(10 * days + number, 10 * days + 7, -number, number));
        }
        window.removeRange(1, 1, (freed, entry) -> {});
        window.put(5, new LiveEntry(30 * days, 30 * days + 5, -5, 5));
        for (int number = 2; number <= 4; number++) {
            assertLike(
                    new LiveEntry(10 * days + number, 10 * days + 7, -number, number),
                    window.find(number).orElseThrow());
        }
        assertLike(
                new LiveEntry(30 * days, 30 * days + 5, -5, 5), window.find(5).orElseThrow());
    }

    @Test
    void entriesThatLiveTogetherAreNotMonthsApart() {
        LiveWindow window = new LiveWindow();
        window.put(1, new LiveEntry(0, 5, 3, 4));
        LiveEntry far = new LiveEntry(1L << 32, (1L << 32) + 5, 3, 4);
        assertThrows(IllegalArgumentException.class, () -> window.put(2, far));
    }

    @Test
    void aWindowTakesTheLargestNumbersAndARangeOverAllOfThem() {
        LiveWindow window = new LiveWindow();
        window.put(1, new LiveEntry(1, 2, 3, 4));
        window.put(Long.MAX_VALUE - 1, new LiveEntry(1, 2, 3, 4));
        int[] removed = {0};
        window.removeRange(1, Long.MAX_VALUE - 1, (number, entry) -> removed[0]++);
        assertEquals(2, removed[0]);
        assertEquals(0, window.live());
    }

    // ------------------------------------------------- resolved numbers

    /** The model: for each resolved number, the largest timestamp under which it was resolved. */
    @Property(tries = 200)
    void resolvedNumbersHoldAtLeastWhatAMapDoesAndForgetOnlyWhatUpperCovers(@ForAll long seed) {
        Random random = new Random(seed);
        ResolvedNumbers numbers = new ResolvedNumbers();
        TreeMap<Long, Long> model = new TreeMap<>();
        long upper = 0;
        for (int step = 0; step < 150; step++) {
            if (random.nextInt(6) == 0) {
                upper += random.nextInt(60);
                numbers.forgetUpTo(upper);
            } else {
                long first = 1L + random.nextInt(80);
                long last = first + random.nextInt(5);
                long timestamp = upper + random.nextInt(200);
                numbers.add(first, last, timestamp);
                for (long number = first; number <= last; number++) {
                    model.merge(number, timestamp, Math::max);
                }
            }
            for (long number = 1; number <= 90; number++) {
                boolean needed = model.getOrDefault(number, -1L) > upper;
                if (needed && !numbers.contains(number)) {
                    fail("forgotten while upper does not cover it: " + number);
                }
                if (!model.containsKey(number) && numbers.contains(number)) {
                    fail("never resolved: " + number);
                }
            }
            long first = 1L + random.nextInt(80);
            long last = first + random.nextInt(6);
            boolean all = true;
            for (long number = first; number <= last; number++) {
                all &= numbers.contains(number);
            }
            assertEquals(all, numbers.containsAll(first, last), first + ".." + last);
            assertEquals(rangesAbove(numbers), numbers.rangeCount());
        }
        WireWriter writer = new WireWriter(16);
        numbers.write(writer);
        WireWriter again = new WireWriter(16);
        ResolvedNumbers.read(new WireReader("resolved", writer.toBytes())).write(again);
        assertArrayEquals(writer.toBytes(), again.toBytes());
    }

    @Test
    void aRangeIsForgottenExactlyWhenUpperReachesItsTimestamp() {
        ResolvedNumbers numbers = new ResolvedNumbers();
        numbers.add(5, 6, 100);
        numbers.forgetUpTo(99);
        assertTrue(numbers.contains(5));
        numbers.forgetUpTo(100);
        assertFalse(numbers.contains(5));
        assertFalse(numbers.contains(6));
    }

    /** The model: plain ranges, joined and forgotten one after the other. */
    @Property(tries = 200)
    void resolvedNumbersAreTheSameRangesAsInAPlainList(@ForAll long seed) {
        Random random = new Random(seed);
        ResolvedNumbers numbers = new ResolvedNumbers();
        TreeMap<Long, long[]> model = new TreeMap<>();
        long floor = 0;
        long upper = 0;
        for (int step = 0; step < 150; step++) {
            if (random.nextInt(6) == 0) {
                upper += random.nextInt(60);
                numbers.forgetUpTo(upper);
                long covered = upper;
                model.values().removeIf(range -> range[2] <= covered);
            } else {
                long first = 1L + random.nextInt(400);
                long last = first + random.nextInt(random.nextInt(8) == 0 ? 60 : 5);
                long timestamp = upper + random.nextInt(200) - 20;
                numbers.add(first, last, timestamp);
                floor = addTo(model, floor, new long[] {Math.max(first, floor + 1), last, timestamp});
            }
            ResolvedNumbers tested = random.nextInt(4) == 0 ? numbers.copy() : numbers;
            WireWriter expected = new WireWriter(64);
            expected.varint(floor);
            expected.varint(model.size());
            model.values().forEach(range -> Arrays.stream(range).forEach(expected::i64));
            WireWriter written = new WireWriter(64);
            tested.write(written);
            assertArrayEquals(expected.toBytes(), written.toBytes());
            if (random.nextInt(8) == 0) {
                numbers = ResolvedNumbers.read(new WireReader("numbers", written.toBytes()));
            } else if (random.nextInt(8) == 0) {
                numbers = tested;
            }
        }
    }

    private static long addTo(Map<Long, long[]> ranges, long floor, long[] added) {
        if (added[1] <= floor) {
            return floor;
        }
        long[] joined = added;
        for (long[] range : List.copyOf(ranges.values())) {
            if (range[0] <= added[1] + 1 && range[1] >= added[0] - 1) {
                ranges.remove(range[0]);
                joined = new long[] {
                    Math.min(joined[0], range[0]), Math.max(joined[1], range[1]), Math.max(joined[2], range[2])
                };
            }
        }
        if (joined[0] == floor + 1) {
            return joined[1];
        }
        ranges.put(joined[0], joined);
        return floor;
    }

    /** The time decides when a record forgets, so it must not tell members apart by when they came. */
    @Property(tries = 200)
    void aRecordOutOfASnapshotWantsToBeLookedAtWhenTheOriginalDoes(@ForAll long seed) {
        Random random = new Random(seed);
        ClientRecord record = new ClientRecord(new ClientId(1, 2), new Principal(3));
        for (int step = 0; step < 200; step++) {
            long number = 1L + random.nextInt(300);
            switch (random.nextInt(5)) {
                case 0 -> record.resolve(number, number + random.nextInt(40), random.nextInt(500));
                case 1 -> record.expire(random.nextInt(600), (freed, timestamp) -> record.keepId(freed, timestamp));
                case 2 -> record.forgetUpTo(random.nextInt(300));
                default -> {
                    if (!record.hasLive(number, number)) {
                        record.accept(number, new LiveEntry(random.nextInt(500), random.nextInt(1_000), 1, 1));
                    }
                }
            }
            if (random.nextInt(4) == 0) {
                WireWriter snapshot = new WireWriter(256);
                record.write(snapshot);
                ClientRecord restored = ClientRecord.read(new WireReader("record", snapshot.toBytes()));
                assertEquals(restored.nextWakeMillis(100, 300), record.copy().nextWakeMillis(100, 300));
                assertEquals(restored.nextWakeMillis(100, 300), record.nextWakeMillis(100, 300));
            }
        }
    }

    @Test
    void theFloorIsNeverForgotten() {
        ResolvedNumbers numbers = new ResolvedNumbers();
        numbers.add(1, 6, 100);
        numbers.forgetUpTo(Long.MAX_VALUE);
        assertEquals(6, numbers.floor());
        assertTrue(numbers.contains(6));
        assertFalse(numbers.contains(7));
    }

    @Test
    void joinedRangesKeepTheLaterTimestamp() {
        ResolvedNumbers numbers = new ResolvedNumbers();
        numbers.add(5, 5, 100);
        numbers.add(7, 7, 50);
        numbers.add(6, 6, 20);
        assertEquals(1, numbers.rangeCount());
        numbers.forgetUpTo(99);
        assertTrue(numbers.contains(7));
        numbers.forgetUpTo(100);
        assertEquals(0, numbers.rangeCount());
    }

    private static void assertLike(LiveEntry expected, LiveEntry found) {
        assertEquals(expected.timestampMillis(), found.timestampMillis());
        assertEquals(expected.expiresAtMillis(), found.expiresAtMillis());
        assertEquals(expected.fingerprint(), found.fingerprint());
        assertEquals(expected.charge(), found.charge());
        assertSame(expected.reply().orElse(null), found.reply().orElse(null));
    }

    private static int rangesAbove(ResolvedNumbers numbers) {
        int ranges = 0;
        for (long number = numbers.floor() + 1; number <= 120; number++) {
            if (numbers.contains(number) && (number == 1 || !numbers.contains(number - 1))) {
                ranges++;
            }
        }
        return ranges;
    }
}
