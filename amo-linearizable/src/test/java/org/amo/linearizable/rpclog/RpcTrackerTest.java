package org.amo.linearizable.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.junit.jupiter.api.Test;

/** Section III-A of Park's paper: rpc IDs and ack IDs (rows R1, R2, R11). */
class RpcTrackerTest {
    private static final LeaseId CLIENT = new LeaseId(9);

    private final RpcTracker tracker = new RpcTracker(CLIENT, 4);

    private long take() {
        return tracker.take().orElseThrow();
    }

    private static RpcHeader header(RpcTracker tracker, long number) {
        return tracker.header(number, new ClusterTime(20), new ClusterTime(10));
    }

    /** The off-by-one between the paper's text and code: ackId is the last number acknowledged, not the one after it. */
    @Test
    void ackIdIsTheLastNumberBelowTheFirstOneUnanswered() {
        assertEquals(0, tracker.ackId(), "nothing is acknowledged");
        take();
        take();
        take();
        assertEquals(0, header(tracker, 1).ackId());
        tracker.finish(2);
        assertEquals(0, tracker.ackId(), "the first one is not answered");
        tracker.finish(1);
        assertEquals(2, tracker.ackId(), "all up to and including 2 are answered, 3 is not");
        assertEquals(2, header(tracker, 3).ackId());
    }

    @Test
    void aCopyOfACallAcknowledgesOnlyWhatIsBelowIt() {
        take();
        take();
        tracker.finish(1);
        tracker.finish(2);
        assertEquals(0, header(tracker, 1).ackId(), "a late copy of the first");
        assertEquals(
                new RpcHeader(new RpcId(CLIENT, 2), 1, new ClusterTime(20), new ClusterTime(10)), header(tracker, 2));
        assertThrows(
                IllegalArgumentException.class,
                () -> new RpcHeader(new RpcId(CLIENT, 2), 2, ClusterTime.ZERO, ClusterTime.ZERO));
    }

    /** V-A: "The difference of rpcId - ackId is bounded by a fixed constant, and a client waits". */
    @Test
    void oneStuckCallHoldsTheWindowUntilItIsAnswered() {
        for (int i = 1; i <= 4; i++) {
            assertEquals(i, take());
        }
        for (int i = 2; i <= 4; i++) {
            tracker.finish(i);
        }
        assertEquals(OptionalLong.empty(), tracker.take());
        assertEquals(4, tracker.spread());
        tracker.finish(1);
        assertEquals(5, take());
        assertEquals(4, header(tracker, 5).ackId());
    }

    @Test
    void whatWasFinishedBeforeOrNeverTakenChangesNothing() {
        take();
        tracker.finish(1);
        tracker.finish(1);
        tracker.finish(2);
        assertEquals(2, take());
        assertEquals(1, tracker.ackId());
    }

    /** Slots of the window are used again by later numbers: what an earlier one left there says nothing of them. */
    @Test
    void aNumberIsNotTakenForFinishedSinceAnEarlierOneWas() {
        for (int i = 1; i <= 4; i++) {
            take();
            tracker.finish(i);
        }
        for (int i = 5; i <= 8; i++) {
            assertEquals(i, take());
        }
        tracker.finish(4);
        tracker.finish(0);
        assertEquals(4, tracker.ackId());
        for (int i = 5; i <= 7; i++) {
            tracker.finish(i);
        }
        assertEquals(7, tracker.ackId(), "8 uses the slot that 4 had");
        assertEquals(1, tracker.spread());
    }

    @Test
    void aWindowOfOneIsOneCallAtATime() {
        RpcTracker one = new RpcTracker(CLIENT, 1);
        assertEquals(1, one.take().orElseThrow());
        assertEquals(OptionalLong.empty(), one.take());
        one.finish(1);
        assertEquals(2, one.take().orElseThrow());
        assertThrows(IllegalArgumentException.class, () -> new RpcTracker(CLIENT, 0));
    }

    /** RAMCloud's tracker has no lock (T-R2): here threads get different numbers, and every acknowledgement is true. */
    @Test
    void threadsGetNumbersOfTheirOwnAndAcknowledgeOnlyWhatIsAnswered() throws Exception {
        RpcTracker shared = new RpcTracker(CLIENT, 64);
        boolean[] answered = new boolean[40_001];
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<Integer> caller = () -> {
                int done = 0;
                while (done < 10_000) {
                    OptionalLong number = shared.take();
                    if (number.isPresent()) {
                        RpcHeader header = header(shared, number.getAsLong());
                        synchronized (answered) {
                            for (long each = Math.max(1, header.ackId() - 70); each <= header.ackId(); each++) {
                                assertTrue(answered[(int) each], () -> "acknowledged before it was answered");
                            }
                            assertTrue(!answered[(int) number.getAsLong()], "a number given twice");
                            answered[(int) number.getAsLong()] = true;
                        }
                        shared.finish(number.getAsLong());
                        done++;
                    }
                }
                return done;
            };
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(threads.submit(caller));
            }
            for (Future<Integer> each : all) {
                assertEquals(10_000, each.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertEquals(40_000, shared.ackId());
        assertEquals(0, shared.spread());
    }
}
