package org.amo.replication.order.raft;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread of a test is RAFT's own thread, and each of its guests. */
@Timeout(60)
class RaftTurnsTest {
    private static final int GUESTS = 2;
    private static final int REQUESTS = 4;
    /** Longer than the test may take. */
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final RaftTurns<String> turns = new RaftTurns<>();

    @Test
    void eachRequestRunsOnceAloneAndInTheOrderOfItsThread() {
        Meetings.prove(() -> new Run(new RaftTurns<>()).meeting(), () -> new Run(new RaftTurns<>() {
                    @Override
                    boolean begin() {
                        boolean unused = super.begin();
                        return true;
                    }
                })
                .meeting());
    }

    @Test
    void aGuestHasTheTurnOnlyWhileNothingIsOpen() throws InterruptedException {
        assertTrue(turns.begin());
        assertFalse(turns.begin(), "another guest has it");
        turns.end(false);
        turns.put("waits");
        assertFalse(turns.begin(), "a request waits");
        assertOwnTurn("waits");
        assertFalse(turns.begin(), "RAFT's thread has it");
        turns.endOwn();
        assertTrue(turns.begin());
    }

    @Test
    void aRequestThatComesInTheTurnOfAGuestWaitsForNoTime() throws InterruptedException {
        assertTrue(turns.begin());
        turns.put("during");
        turns.end(false);
        assertOwnTurn("during");
        turns.endOwn();
        assertTrue(turns.begin(), "nothing is open");
    }

    @Test
    void whatAGuestLeavesToRaftsThreadWaitsForNoTime() throws InterruptedException {
        assertTrue(turns.begin());
        turns.end(true);
        assertFalse(turns.begin(), "RAFT's thread has the next turn");
        assertOwnTurn();
        turns.endOwn();
        assertTrue(turns.begin(), "nothing is open");
    }

    @Test
    void aRequestThatComesInTheTurnOfRaftsThreadWaitsForNoTime() throws InterruptedException {
        turns.put("first");
        assertOwnTurn("first");
        turns.put("second");
        turns.endOwn();
        assertOwnTurn("second");
        turns.endOwn();
        assertTrue(turns.begin(), "nothing is open");
    }

    @Test
    void aRequestWakesRaftsThread() throws Exception {
        FutureTask<Boolean> came = new FutureTask<>(() -> turns.await(LONG));
        Thread own = DaemonThreads.start("amo-test-raft", came);
        await().until(() -> own.getState() == Thread.State.TIMED_WAITING);
        turns.put("wakes");
        assertTrue(came.get(30, TimeUnit.SECONDS));
    }

    @Test
    void raftsThreadHasATurnWhenNothingComes() throws InterruptedException {
        assertFalse(turns.await(1));
        assertFalse(turns.begin(), "RAFT's thread has it");
        turns.put("meanwhile");
        turns.endOwn();
        assertOwnTurn("meanwhile");
        turns.endOwn();
        assertTrue(turns.begin(), "nothing is open");
    }

    @Test
    void theTurnOfAGuestIsSomethingThatComes() throws Exception {
        AtomicLong clock = new AtomicLong();
        AtomicInteger looks = new AtomicInteger();
        RaftTurns<String> timed = new RaftTurns<>(() -> {
            looks.incrementAndGet();
            return clock.get();
        });
        FutureTask<Boolean> came = new FutureTask<>(() -> timed.await(1_000));
        Thread own = DaemonThreads.start("amo-test-raft", came);
        await().until(() -> looks.get() > 2);
        clock.set(900);
        assertTrue(timed.begin());
        timed.end(false);
        clock.set(1_800);
        int before = looks.get();
        await().until(() -> looks.get() > before + 2);
        assertTrue(own.isAlive(), "900 ns have passed since the guest's turn");
        clock.set(1_900);
        assertFalse(came.get(30, TimeUnit.SECONDS));
    }

    /** RAFT's thread has the turn without a wait, until it ends, for these requests. */
    private void assertOwnTurn(String... requests) throws InterruptedException {
        assertTrue(turns.await(LONG));
        assertEquals(List.of(requests), turns.take());
    }

    /** Guests with requests, and RAFT's thread. The fields are plain, as RAFT's are. */
    private static final class Run {
        /** RAFT's thread looks for what guests have run. */
        private static final long LOOK_NANOS = 20_000;

        private static final int MOST_LOOKS = 100_000;

        private record Request(int guest, int number) {}

        private final RaftTurns<Request> turns;
        private final int[] last = new int[GUESTS];
        private int runs;
        private boolean inside;
        private String violation = "";

        Run(RaftTurns<Request> turns) {
            this.turns = turns;
        }

        Meeting meeting() {
            return Meeting.of(this::violation, () -> handIn(0), () -> handIn(1), this::runAll);
        }

        private void handIn(int guest) {
            for (int number = 0; number < REQUESTS; number++) {
                Request request = new Request(guest, number);
                if (turns.begin()) {
                    run(request);
                    turns.end(number % 2 == 0);
                } else {
                    turns.put(request);
                }
            }
        }

        private void runAll() throws InterruptedException {
            boolean all = false;
            for (int look = 0; look < MOST_LOOKS && !all; look++) {
                boolean unused = turns.await(LOOK_NANOS);
                turns.take().forEach(this::run);
                all = runs == GUESTS * REQUESTS || !violation.isEmpty();
                turns.endOwn();
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
        private void run(Request request) {
            if (inside) {
                violation = "two threads run RAFT at a time";
            }
            inside = true;
            if (last[request.guest] != request.number) {
                violation = request + " after " + last[request.guest];
            }
            last[request.guest] = request.number + 1;
            runs++;
            // Others get their turn here, also where there are fewer cores than threads.
            Thread.yield();
            inside = false;
        }

        private String violation() {
            return !violation.isEmpty() ? violation : runs == GUESTS * REQUESTS ? "" : runs + " requests have run";
        }
    }
}
