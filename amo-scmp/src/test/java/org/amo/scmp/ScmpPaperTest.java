package org.amo.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Liskov, Shrira and Wroclawski, section 2: the promises about the filter. Times are seconds here. */
class ScmpPaperTest {
    private static final long SECOND = 1_000_000;
    private static final long NOW = 1_700_000_000 * SECOND;
    private static final long RHO = 300 * SECOND;
    private static final long BETA = 10 * SECOND;
    private static final ConnectionId C = new ConnectionId(1, 2, 3);
    private static final ConnectionId D = new ConnectionId(1, 2, 4);

    private static final ScmpOptions OPTIONS = ScmpOptions.defaults();

    private static MessageFilter created() {
        MessageFilter filter = MessageFilter.firstCreation(OPTIONS, NOW);
        store(filter, NOW);
        return filter;
    }

    private static long store(MessageFilter filter, long now) {
        long latest = filter.toStore(now).orElseThrow();
        filter.onStored(latest);
        return latest;
    }

    /** "It provides guaranteed detection of duplicate messages even when the receiver has no state stored for the sender." */
    @Test
    void aMessageAcceptedBeforeCollectionIsADuplicateAfterIt() {
        MessageFilter filter = created();
        assertEquals(Verdict.NEW, filter.accept(C, NOW, NOW));
        assertEquals(Verdict.DUPLICATE, filter.accept(C, NOW, NOW));
        assertEquals(1, filter.collect(NOW + RHO));
        assertEquals(0, filter.size());
        assertEquals(Verdict.OLD, filter.accept(C, NOW, NOW + RHO));
        assertEquals(Verdict.NEW, filter.accept(D, NOW + 1, NOW + RHO), "only what is not above upper is flagged");
    }

    /** "Only entries with timestamps <= G.time - ρ are removed." */
    @Test
    void nothingYoungerThanRetentionIsCollectedAndUpperIsTheLargestRemoved() {
        MessageFilter filter = created();
        filter.accept(C, NOW, NOW);
        filter.accept(D, NOW + SECOND, NOW);
        assertEquals(0, filter.collect(NOW + RHO - 1));
        assertEquals(0, filter.upperMicros(0));
        assertEquals(1, filter.collect(NOW + RHO));
        assertEquals(NOW, filter.upperMicros(0));
        assertEquals(1, filter.collect(NOW + RHO + SECOND));
        assertEquals(NOW + SECOND, filter.upperMicros(0));
    }

    /** Figure 2-1, rule 1: the connection's own bound, not the last one of anybody. */
    @Test
    void eachConnectionHasItsOwnBound() {
        MessageFilter filter = created();
        assertEquals(Verdict.NEW, filter.accept(C, NOW + 5, NOW));
        assertEquals(Verdict.NEW, filter.accept(D, NOW + 1, NOW));
        assertEquals(
                Verdict.DUPLICATE, filter.accept(C, NOW + 4, NOW), "reordered on one connection: the earlier is lost");
        assertEquals(Verdict.NEW, filter.accept(C, NOW + 6, NOW));
    }

    /** Figure 2-2, rule 1: "If m.ts > G.latest, refuse the message since it is too early." */
    @Test
    void tooEarlyIsRefusedWithoutATraceAndAcceptedLater() {
        MessageFilter filter = MessageFilter.firstCreation(OPTIONS, NOW);
        assertEquals(Verdict.TOO_EARLY, filter.accept(C, NOW, NOW), "nothing before latest is stored");
        assertEquals(NOW + BETA, store(filter, NOW));
        assertEquals(Verdict.TOO_EARLY, filter.accept(C, NOW + BETA + 1, NOW));
        assertEquals(0, filter.size());
        assertEquals(Verdict.NEW, filter.accept(C, NOW + BETA, NOW));
        store(filter, NOW + 3 * SECOND);
        assertEquals(Verdict.NEW, filter.accept(C, NOW + BETA + 1, NOW + 3 * SECOND));
    }

    /** "Then sets G.latest to this value": after the write, not before (T-S3). */
    @Test
    void latestRisesOnlyWhenTheWriteIsDurable() {
        MessageFilter filter = created();
        long later = NOW + 3 * SECOND;
        assertEquals(OptionalLong.of(later + BETA), filter.toStore(later));
        assertEquals(Verdict.TOO_EARLY, filter.accept(C, later + BETA, later));
        filter.onStoreFailed();
        assertEquals(Verdict.TOO_EARLY, filter.accept(C, later + BETA, later));
        assertEquals(later + 2 * SECOND + BETA, store(filter, later + 2 * SECOND));
        assertEquals(Verdict.NEW, filter.accept(C, later + BETA, later + 2 * SECOND));
    }

    /** "Stable storage need only be written infrequently": by time, whatever the load (S10). */
    @Test
    void writesFollowTheClockAndNotTheMessages() {
        MessageFilter filter = created();
        int writes = 0;
        for (long now = NOW + 1; now <= NOW + 20 * SECOND; now += 10_000) {
            for (int i = 0; i < 50; i++) {
                filter.accept(new ConnectionId(1, now, i), now, now);
            }
            OptionalLong latest = filter.toStore(now);
            if (latest.isPresent()) {
                writes++;
                filter.onStored(latest.getAsLong());
            }
        }
        assertEquals(9, writes, "every two seconds after the one of the start, for 100,000 messages");
    }

    /** Figure 2-2, crash recovery; "in the worst case we will accept all messages sent after t_cr + β". */
    @Test
    void afterACrashWhatMayHaveBeenAcceptedIsFlaggedAndWhatCameLaterIsNot() {
        MessageFilter before = created();
        assertEquals(Verdict.NEW, before.accept(C, NOW + BETA, NOW), "the last timestamp that could be accepted");
        long crash = NOW + SECOND;
        MessageFilter after = MessageFilter.recovered(OPTIONS, NOW + BETA, crash);
        assertEquals(Verdict.TOO_EARLY, after.accept(D, NOW + BETA + 1, crash), "not before the new latest is stored");
        store(after, crash);
        assertEquals(Verdict.OLD, after.accept(C, NOW + BETA, crash));
        assertEquals(Verdict.OLD, after.accept(D, NOW, crash));
        assertEquals(Verdict.NEW, after.accept(D, crash + BETA, crash + BETA));
    }

    /** "To avoid removing entries from the table until sufficient time has passed to process all pending messages." */
    @Test
    void nothingIsCollectedSoonAfterARecovery() {
        MessageFilter after = MessageFilter.recovered(OPTIONS, NOW - 2 * RHO, NOW);
        store(after, NOW);
        assertEquals(Verdict.NEW, after.accept(C, NOW - RHO - SECOND, NOW), "pending since before the crash");
        assertEquals(0, after.collect(NOW));
        assertEquals(Verdict.NEW, after.accept(D, NOW - RHO - 2 * SECOND, NOW), "so this one is still welcome");
        assertEquals(2, after.collect(NOW + RHO));
    }

    /** "The server merely ensures that the value of G.latest on stable storage is monotonic." */
    @Test
    void theStoredValueDoesNotFallWithTheClock() {
        MessageFilter filter = created();
        long anHourBack = NOW - 3_600 * SECOND;
        assertEquals(OptionalLong.of(NOW + BETA), filter.toStore(anHourBack));
        filter.onStored(NOW + BETA);
        assertEquals(Verdict.NEW, filter.accept(C, NOW + BETA, anHourBack));
        MessageFilter restarted = MessageFilter.recovered(OPTIONS, NOW + BETA, anHourBack);
        assertEquals(NOW + BETA, store(restarted, anHourBack));
        assertEquals(Verdict.OLD, restarted.accept(C, NOW + BETA, anHourBack));
    }

    /** "When restarting after a crash, the server refuses all messages for a period of ε, then sets G.upper to G.time." */
    @Test
    void withoutStorageARestartRefusesForTheSkewAndThenWorks() {
        long skew = OPTIONS.skewMicros();
        MessageFilter before = MessageFilter.volatileFirstCreation(OPTIONS, NOW);
        assertEquals(Verdict.TOO_EARLY, before.accept(C, NOW + skew + 1, NOW));
        assertEquals(Verdict.NEW, before.accept(C, NOW + skew, NOW));
        MessageFilter after = MessageFilter.volatileRestart(OPTIONS, NOW + 1);
        assertEquals(Verdict.OLD, after.accept(C, NOW + skew, NOW + 1));
        assertEquals(Verdict.OLD, after.accept(D, NOW + skew, NOW + skew));
        assertEquals(Verdict.NEW, after.accept(D, NOW + skew + 2, NOW + skew + 2));
    }

    /** A state file that is missing is no proof of a first start. */
    @Test
    void lostStorageRefusesWhatMayHaveBeenAccepted() {
        MessageFilter before = created();
        assertEquals(Verdict.NEW, before.accept(C, NOW + BETA, NOW));
        MessageFilter after = StartModes.of(OPTIONS).storageLost(NOW + 1).filter(NOTHING);
        store(after, NOW + 1);
        assertEquals(Verdict.OLD, after.accept(C, NOW + BETA, NOW + 1));
        store(after, NOW + 3 * SECOND);
        assertEquals(Verdict.NEW, after.accept(C, NOW + BETA + 2, NOW + BETA + 2));
    }

    /** "The minimum of zero and G.time - ρ": with a clock that begins near zero too. */
    @Test
    void theFirstCreationAcceptsEverything() {
        MessageFilter young = MessageFilter.volatileFirstCreation(OPTIONS, 5);
        assertEquals(Verdict.NEW, young.accept(C, 1, 5));
        assertTrue(young.upperMicros(0) <= 5 - RHO, "upper <= G.time - rho");
    }

    /** "It could use larger ps for clients on slower paths; it would need to maintain a different G.upper for each." */
    @Test
    void eachClassHasItsRetentionAndItsUpper() {
        ScmpOptions options = ScmpOptions.builder()
                .retention(Duration.ofSeconds(10))
                .retention(Duration.ofSeconds(100))
                .build();
        MessageFilter filter = MessageFilter.volatileFirstCreation(options, NOW);
        ConnectionId slow = new ConnectionId(1, 2, ConnectionId.uid(1, 0));
        ConnectionId slower = new ConnectionId(1, 2, ConnectionId.uid(1, 1));
        filter.accept(C, NOW, NOW);
        filter.accept(slow, NOW, NOW);
        assertEquals(1, filter.collect(NOW + 10 * SECOND));
        assertEquals(Verdict.OLD, filter.accept(D, NOW, NOW + 10 * SECOND));
        assertEquals(Verdict.DUPLICATE, filter.accept(slow, NOW, NOW + 10 * SECOND));
        assertEquals(
                Verdict.NEW, filter.accept(slower, NOW - SECOND, NOW + 10 * SECOND), "it survives the longer delay");
        assertEquals(0, filter.upperMicros(slow.uid()));
        assertEquals(2, filter.collect(NOW + 100 * SECOND));
        assertEquals(NOW, filter.upperMicros(slow.uid()));
    }

    /** Section 2.2: "a counter to use as the low bits of the timestamp". */
    @Test
    void timestampsRiseOverACoarseAndASteppingClock() {
        TimestampSource source = new TimestampSource();
        long last = 0;
        for (long clock : new long[] {1_000, 1_000, 1_000, 2_000, 500, 500, 1_900, 3_000, 3_000}) {
            long next = source.next(clock);
            assertTrue(next > last, next + " after " + last);
            assertTrue(next >= clock);
            last = next;
        }
        assertEquals(3_001, last);
    }

    /** We never evict for room: a full table refuses, and forgets only what is old. */
    @Test
    void aFullTableRefusesAndNeverForgetsForRoom() {
        ScmpOptions options = ScmpOptions.builder().maxConnections(3).build();
        MessageFilter filter = MessageFilter.volatileFirstCreation(options, NOW);
        for (int i = 0; i < 3; i++) {
            assertEquals(Verdict.NEW, filter.accept(new ConnectionId(9, 9, i), NOW, NOW));
        }
        assertEquals(Verdict.FULL, filter.accept(C, NOW, NOW));
        assertEquals(0, filter.upperMicros(0), "upper is not raised to make room");
        assertEquals(Verdict.NEW, filter.accept(new ConnectionId(9, 9, 1), NOW + 1, NOW), "who is known goes on");
        long later = NOW + RHO + 1;
        assertEquals(Verdict.NEW, filter.accept(C, later, later), "old ones made room");
        assertEquals(Verdict.OLD, filter.accept(new ConnectionId(9, 9, 0), NOW, later));
    }

    /** Far-future timestamps cannot shut others out: rule 1 holds without storage too. */
    @Test
    void aSenderFarAheadPoisonsNobody() {
        MessageFilter filter = MessageFilter.volatileFirstCreation(OPTIONS, NOW);
        assertEquals(Verdict.TOO_EARLY, filter.accept(C, NOW + 3_600 * SECOND, NOW));
        assertEquals(0, filter.size());
        assertEquals(Verdict.NEW, filter.accept(D, NOW, NOW));
    }

    /** S4, on the core itself: any timestamps, any clocks, collections between. */
    @Property(tries = 200)
    void noMessageIsAcceptedTwice(@ForAll @LongRange(min = 0) long seed) {
        Random random = new Random(seed);
        ScmpOptions options = ScmpOptions.builder()
                .retention(Duration.ofMillis(1 + random.nextInt(50)))
                .skew(Duration.ZERO)
                .storeInterval(Duration.ofMillis(1))
                .beta(Duration.ofMillis(2 + random.nextInt(50)))
                .maxConnections(1 + random.nextInt(20))
                .build();
        MessageFilter filter = MessageFilter.firstCreation(options, NOW);
        long durable = Long.MIN_VALUE;
        Set<String> accepted = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            long now = NOW + random.nextInt(200_000) - (random.nextInt(50) == 0 ? 3_600 * SECOND : 0);
            ConnectionId connection = new ConnectionId(0, 0, random.nextInt(30));
            long timestamp = NOW + random.nextInt(200_000) - 50_000;
            if (filter.accept(connection, timestamp, now) == Verdict.NEW) {
                assertTrue(accepted.add(connection + " " + timestamp), () -> "twice: " + connection + " " + timestamp);
            }
            if (random.nextInt(10) == 0) {
                filter.collect(now);
            }
            OptionalLong latest = filter.toStore(now);
            if (latest.isPresent()) {
                assertFalse(latest.getAsLong() < durable, "the stored value falls");
                if (random.nextInt(4) > 0) {
                    durable = latest.getAsLong();
                    filter.onStored(durable);
                } else {
                    filter.onStoreFailed();
                }
            }
            if (random.nextInt(200) == 0 && durable > Long.MIN_VALUE) {
                filter = MessageFilter.recovered(options, durable, now);
            }
        }
    }

    private static final MessageFilter.Keeper NOTHING = new MessageFilter.Keeper() {
        @Override
        public boolean mayForget(int slot, long nowMicros) {
            return true;
        }

        @Override
        public void onForgotten(int slot) {}
    };
}
