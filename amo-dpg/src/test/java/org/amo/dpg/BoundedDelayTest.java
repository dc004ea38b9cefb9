package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Section 3.2: reception by times of sending, and contiguity while delays stay below the bound (row D4). */
class BoundedDelayTest {
    private static final long BOUND = 1_000;

    private final List<String> seen = new ArrayList<>();
    private final BoundedDelayReception<String> reception = new BoundedDelayReception<>(
            BOUND, 8, new BoundedDelayDetector(BOUND, 100_000, 0), new SequencedReception.Receiver<>() {
                @Override
                public void receive(String pdu, boolean contiguous) {
                    seen.add((contiguous ? "=>" : "->") + pdu);
                }

                @Override
                public void late(String pdu) {
                    seen.add("late " + pdu);
                }
            });

    @Test
    void pdusAreReceivedInTheOrderOfTheirTimesABoundLater() {
        reception.onPdu(10, 1, "a", true, 500);
        reception.onPdu(30, 1, "c", true, 600);
        reception.onPdu(20, 2, "b", true, 700);
        assertEquals(1_010, reception.nextDeadline());
        reception.onTick(1_009);
        assertEquals(List.of(), seen);
        reception.onTick(1_020);
        assertEquals(List.of("->a", "=>b"), seen, "the first comes after what nobody knows");
        reception.onTick(1_030);
        assertEquals(List.of("->a", "=>b", "=>c"), seen);
        assertEquals(Long.MAX_VALUE, reception.nextDeadline());
    }

    @Test
    void whatComesAfterItsTurnIsLateAndBreaksContiguity() {
        reception.onPdu(10, 1, "a", true, 500);
        reception.onPdu(40, 1, "d", true, 600);
        reception.onTick(1_040);
        reception.onPdu(20, 2, "b", true, 1_050);
        reception.onPdu(50, 1, "e", true, 1_050);
        reception.onPdu(60, 1, "f", true, 1_055);
        reception.onTick(1_060);
        assertEquals(
                List.of("->a", "=>d", "late b", "->e", "=>f"),
                seen,
                "that d came right after a was false: what was late alone could not be foreseen");
    }

    @Test
    void reportsAreNoMessagesAndAFullWindowStopsWaiting() {
        reception.onPdu(10, 1, "a", true, 20);
        reception.onPdu(20, 2, "report", false, 30);
        reception.onPdu(30, 1, "b", true, 40);
        for (int i = 0; i < 7; i++) {
            reception.onPdu(40 + i, 1, "m" + i, true, 50);
        }
        assertEquals(List.of("->a", "->report"), seen, "ten have come, eight are held");
        reception.onTick(5_000);
        assertEquals(List.of("->b", "=>m0"), seen.subList(2, 4), "the report did not wait for what came before it");
    }

    /** A process that stood still finds what came meanwhile, in the order in which it came. */
    @Test
    void whatLayUnreadIsInItsPlaceHoweverLateItIsRead() {
        reception.onPdu(10, 1, "a", true, 500);
        reception.onPdu(30, 1, "c", true, 9_000);
        reception.onPdu(20, 2, "b", true, 9_000);
        reception.onTick(9_000);
        assertEquals(List.of("->a", "->b", "->c"), seen);
    }

    /** What is received before its time for lack of room may be overtaken: the next that comes was sent earlier. */
    @Test
    void aFullWindowInfersNothing() {
        for (int i = 0; i < 10; i++) {
            reception.onPdu(100 + 10 * i, 1, "m" + i, true, 600 + i);
        }
        assertEquals(List.of("->m0", "->m1"), seen);
    }

    /** Row D4: while no delay exceeds the bound no inference is false, whatever the delays. */
    @Test
    void withinTheBoundContiguityIsNeverFalse() {
        for (int seed = 0; seed < 2_000; seed++) {
            seen.clear();
            Random random = new Random(seed);
            List<long[]> arrivals = new ArrayList<>();
            long sent = 1_000_000L * (seed + 1);
            for (int i = 0; i < 8; i++) {
                sent += 1 + random.nextInt(400);
                arrivals.add(new long[] {sent + random.nextInt((int) BOUND), sent, i});
            }
            arrivals.sort((x, y) -> Long.compare(x[0], y[0]));
            for (long[] each : arrivals) {
                reception.onTick(each[0]);
                reception.onPdu(each[1], each[2] % 3, String.valueOf(each[2]), true, each[0]);
            }
            reception.onTick(sent + BOUND);
            assertEquals(List.of("->0", "=>1", "=>2", "=>3", "=>4", "=>5", "=>6", "=>7"), seen, "seed " + seed);
        }
    }

    /** "Since the latest message was received": who has just begun to listen may have missed what came before that. */
    @Test
    void nothingIsInferredFromAMessageSentBeforeTheSiteListened() {
        BoundedDelayDetector detector = new BoundedDelayDetector(BOUND, 5_000, 300);
        detector.onDelay(200, 400);
        assertFalse(detector.onReception(new ContiguityDetector.Arrival(true, false, 200, 400, 400)));
        detector.onDelay(310, 420);
        assertFalse(
                detector.onReception(new ContiguityDetector.Arrival(true, false, 310, 420, 420)),
                "another was sent at 250 and came at 290");
        detector.onDelay(320, 430);
        assertTrue(detector.onReception(new ContiguityDetector.Arrival(true, false, 320, 430, 430)));
    }

    @Test
    void aLongSilenceIsNotContiguous() {
        BoundedDelayDetector detector = new BoundedDelayDetector(BOUND, 5_000, 0);
        detector.onDelay(0, 100);
        assertFalse(detector.onReception(new ContiguityDetector.Arrival(true, false, 0, 100, 100)));
        detector.onDelay(4_000, 4_100);
        assertTrue(detector.onReception(new ContiguityDetector.Arrival(true, false, 4_000, 4_100, 4_100)));
        detector.onDelay(9_500, 9_600);
        assertFalse(detector.onReception(new ContiguityDetector.Arrival(true, false, 9_500, 9_600, 9_600)));
    }
}
