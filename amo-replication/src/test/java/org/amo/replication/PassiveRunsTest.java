package org.amo.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.replica.Execution;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The executions of one member in style passive, without an order: the test accepts the outcomes. */
@Timeout(60)
class PassiveRunsTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final byte[] REPLY = {1};

    private final ExecutionGate gate = ExecutionGate.open(Optional.empty(), true);
    private final Servant servant = new Servant();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<byte[]> handed = new CopyOnWriteArrayList<>();
    private final List<String> reasons = new CopyOnWriteArrayList<>();
    private final AtomicInteger executedHere = new AtomicInteger();
    private final AtomicInteger inState = new AtomicInteger();
    private final PassiveRuns runs = new PassiveRuns(
            servant,
            gate,
            (executions, replies, update) -> {
                handed.addAll(replies);
                told.add("ran " + executions.size());
            },
            (executions, replies) -> inState.addAndGet(executions.size()),
            new PassiveRuns.Unable() {
                @Override
                public void undone(List<Execution> executions, List<byte[]> replies, String why) {
                    handed.addAll(replies);
                    reasons.add(why);
                    told.add("undone " + executions.size());
                }

                @Override
                public void worthless(Place place, String why) {
                    told.add(place + " is undone: " + why);
                }

                @Override
                public void notApplied(Place place, RuntimeException why) {
                    told.add(place + " was not applied");
                }
            });

    private static final class Servant implements ServantPort {
        private final CountDownLatch applies = new CountDownLatch(1);
        private volatile boolean fails;
        private volatile String failure = "planted";
        private volatile boolean offersNone;
        private volatile Runnable whileTaking = () -> {};
        private volatile int updateBytes = 1;
        private volatile boolean refuses;

        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            return REPLY;
        }

        @Override
        public Optional<byte[]> takeUpdate() {
            whileTaking.run();
            if (fails) {
                throw new IllegalStateException(failure);
            }
            return offersNone ? Optional.empty() : Optional.of(new byte[updateBytes]);
        }

        @Override
        public byte[] undone(Request request, String why) {
            return why.getBytes(UTF_8);
        }

        @Override
        public void applyUpdate(byte[] update) {
            if (refuses) {
                throw new IllegalStateException("planted");
            }
            try {
                assertTrue(applies.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @AfterEach
    void stop() {
        runs.stop();
    }

    private static Execution execution(long position) {
        return new Execution(
                position, 0, 1, new Request(RequestId.own(new ClientId(1, 2), position), 1, 2, 3, false, new byte[0]));
    }

    /** Runs them in a thread of their own, as entries that follow each other. */
    private Thread run(long first, long last) {
        return run(first, last, REPLY);
    }

    private Thread run(long first, long last, byte[] reply) {
        return DaemonThreads.start("amo-test-runs", () -> {
            try {
                for (long position = first; position <= last; position++) {
                    runs.run(List.of(execution(position)), execution -> {
                        executedHere.incrementAndGet();
                        return reply;
                    });
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void accept(long position, int updateBytes) {
        runs.onAccepted(List.of(execution(position)), List.of(REPLY), new byte[updateBytes], false);
    }

    /** The log of a backup may hold updates faster than it applies them, and must not pile them up in memory. */
    @Test
    void deliveriesWaitWhileManyUpdatesAreToBeApplied() {
        AtomicInteger delivered = new AtomicInteger();
        run(1, 40);
        Thread delivering = DaemonThreads.start("amo-test-deliver", () -> {
            try {
                for (long position = 1; position <= 40; position++) {
                    runs.awaitRoom();
                    accept(position, 1 << 20);
                    delivered.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        // One is being applied.
        await().atMost(BOUND).until(() -> delivered.get() == 17 && delivering.getState() == Thread.State.WAITING);
        servant.applies.countDown();
        await().atMost(BOUND).until(() -> inState.get() == 40);
    }

    /** A large one alone must not stop the deliveries, nor those that a snapshot has made needless. */
    @Test
    void deliveriesGoOnBehindOneLargeUpdateAndBehindASnapshot() throws InterruptedException {
        accept(1, 20 << 20);
        runs.awaitRoom();
        accept(2, 20 << 20);
        runs.beginDrop();
        runs.awaitRoom();
        runs.endDrop();
        runs.awaitRoom();
    }

    /** Only the primary runs a request that may end members: else it ends a second one. */
    @Test
    void aRequestThatIsLetGoDoesNotRunAtAFormerPrimary() {
        Place held = new Place(7, 0);
        assertTrue(gate.hold(held));
        runs.onPrimary(true);
        Thread running = run(7, 7);
        await().atMost(BOUND).until(gate::isHolding);
        runs.onPrimary(false);
        gate.letGo(held);
        await().atMost(BOUND).until(() -> !gate.isHolding() && running.getState() == Thread.State.WAITING);
        servant.applies.countDown();
        accept(7, 1);
        await().atMost(BOUND).until(() -> inState.get() == 1);
        assertEquals(0, executedHere.get());
    }

    @Test
    void aRequestThatIsLetGoRunsAtThePrimary() {
        Place held = new Place(7, 0);
        assertTrue(gate.hold(held));
        runs.onPrimary(true);
        run(7, 7);
        await().atMost(BOUND).until(gate::isHolding);
        gate.letGo(held);
        await().atMost(BOUND).until(() -> told.equals(List.of("ran 1")));
        assertEquals(1, executedHere.get());
    }

    /** Pieces wait for a further delivery, so only updates that need none stop the deliveries. */
    @Test
    void gatheredPiecesWaitUntilNoUpdateIsToBeApplied() {
        runs.onGathered(20 << 20);
        assertTrue(runs.hasRoom());
        accept(1, 1);
        assertFalse(runs.hasRoom());
        runs.onGathered(0);
        assertTrue(runs.hasRoom());
    }

    @Test
    void theShellIsToldWhenGatheredPiecesAreDropped() {
        AtomicInteger rooms = new AtomicInteger();
        runs.onRoom(rooms::incrementAndGet);
        runs.onGathered(10);
        assertEquals(0, rooms.get());
        runs.onGathered(0);
        assertEquals(1, rooms.get());
    }

    @Test
    void anUpdateOverTheEntryLimitIsHandedOn() {
        servant.updateBytes = Request.MAX_BODY_BYTES + 1;
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("ran 1")));
    }

    @Test
    void theLongestReplyAndAnUpdateAreOneOutcome() {
        servant.updateBytes = 1_000;
        runs.onPrimary(true);
        run(1, 1, new byte[Request.MAX_BODY_BYTES]);
        await().atMost(BOUND).until(() -> told.equals(List.of("ran 1")));
        assertEquals(Request.MAX_BODY_BYTES, handed.get(0).length);
    }

    /** The log has room for it, and the heap of some member has not: that one would end at it in each of its lives. */
    @Test
    void anUpdateThatSomeMemberCannotHoldIsUndone() {
        runs.limitUpdates(1_000);
        servant.updateBytes = 1_001;
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        assertEquals(
                "the update of the state has 1001 bytes, and the members take at most 1000: 1 GiB, or a sixth of the"
                        + " smallest heap (-Xmx) among them",
                new String(handed.get(0), UTF_8));
    }

    @Test
    void anUpdateThatAllMembersCanHoldIsHandedOn() {
        runs.limitUpdates(1_000);
        servant.updateBytes = 1_000;
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("ran 1")));
    }

    @Test
    void aProcessHoldsUpdatesOfASixthOfItsHeap() {
        long sixth = Runtime.getRuntime().maxMemory() / 6;
        assertEquals(Math.min(1L << 30, sixth), PassiveRuns.mostUpdateBytesHere());
    }

    /** It goes into the entry and the kept reply of each request of the run, and to their clients. */
    @Test
    void theReasonThatClientsGetIsShortAndTheLogHasAllOfIt() {
        servant.failure = "x".repeat(1 << 20) + "\nend";
        servant.fails = true;
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        String reply = new String(handed.get(0), UTF_8);
        assertTrue(reply.length() < 400, reply);
        assertTrue(reply.contains("java.lang.IllegalStateException: xxx"), reply);
        assertTrue(reasons.get(0).contains("\nend"));
        runs.onUndone(List.of(execution(1)), List.of(REPLY), true);
        assertTrue(told.get(1).length() < 400, told.get(1));
    }

    @Test
    void theReasonThatClientsGetIsOneLine() {
        servant.failure = "first\r\nsecond";
        servant.fails = true;
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        assertEquals(
                "the service failed to give an update of its state (java.lang.IllegalStateException: first second)",
                new String(handed.get(0), UTF_8));
    }

    /** Half of a character has no bytes in UTF-8. */
    @Test
    void theReasonIsNotCutInsideACharacter() {
        servant.fails = true;
        runs.onPrimary(true);
        for (int letters = 0; letters < 2; letters++) {
            handed.clear();
            told.clear();
            servant.failure = "x".repeat(letters) + "\uD83D\uDE00".repeat(300);
            Thread running = run(1 + letters, 1 + letters);
            await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
            String reply = new String(handed.get(0), UTF_8);
            assertFalse(reply.contains("?"), reply);
            runs.beginDrop();
            await().atMost(BOUND).until(() -> !running.isAlive());
            runs.endDrop();
        }
    }

    /** It would end each primary in turn otherwise. */
    @Test
    void aRunIsUndoneIfTheServiceFailsToGiveAnUpdate() {
        servant.fails = true;
        runs.onPrimary(true);
        run(1, 2);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        assertEquals(
                "the service failed to give an update of its state (java.lang.IllegalStateException: planted)",
                new String(handed.get(0), UTF_8));
        assertTrue(runs.isWithoutUpdate());
        runs.onUndone(List.of(execution(1)), List.of(REPLY), true);
        assertEquals(
                List.of(
                        "undone 1",
                        "1/0 is undone: the service failed to give an update of its state"
                                + " (java.lang.IllegalStateException: planted)"),
                told);
        assertEquals(1, inState.get(), "the reply goes out");
        assertEquals(1, executedHere.get(), "nothing runs on that state");
    }

    /** As Java serialization does with a long chain of objects: each primary in turn would meet it behind the same request. */
    @Test
    void aRunIsUndoneIfItsStateNestsTooDeepForTheStack() {
        servant.whileTaking = () -> {
            throw new StackOverflowError("planted");
        };
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        assertTrue(new String(handed.get(0), UTF_8).contains("-Xss"));
    }

    /** A member whose servant gives no state ends, but the group undoes such a run first. */
    @Test
    void aRunIsWithoutAnUpdateUntilItIsTaken() {
        AtomicBoolean without = new AtomicBoolean();
        servant.whileTaking = () -> without.set(runs.isWithoutUpdate());
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("ran 1")));
        assertTrue(without.get());
        assertFalse(runs.isWithoutUpdate());
    }

    @Test
    void aRunIsUndoneIfTheServiceGivesNoState() {
        servant.offersNone = true;
        runs.onPrimary(true);
        run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        assertEquals("the service gives no state, which the backups need", new String(handed.get(0), UTF_8));
    }

    @Test
    void aBackupAppliesNothingOfARunThatIsUndone() {
        run(1, 1);
        runs.onUndone(List.of(execution(1)), List.of(REPLY), false);
        await().atMost(BOUND).until(() -> inState.get() == 1);
        assertEquals(1, servant.applies.getCount(), "the servant would wait for it");
        assertEquals(0, executedHere.get());
    }

    /** The member takes the state of another one, and must not count as executed what its own state has not. */
    @Test
    void behindAnUpdateThatCannotBeAppliedNothingIsApplied() throws InterruptedException {
        servant.refuses = true;
        Thread running = run(1, 2);
        accept(1, 1);
        accept(2, 1);
        await().atMost(BOUND).until(() -> told.contains("1/0 was not applied"));
        runs.stop();
        running.join(BOUND.toMillis());
        assertFalse(running.isAlive());
        assertEquals(List.of("1/0 was not applied"), told);
        assertEquals(0, inState.get());
    }

    @Test
    void aSnapshotTakesThePlaceOfTheStateOfAnUndoneRun() throws InterruptedException {
        servant.fails = true;
        runs.onPrimary(true);
        Thread running = run(1, 1);
        await().atMost(BOUND).until(() -> told.equals(List.of("undone 1")));
        runs.beginDrop();
        running.join(BOUND.toMillis());
        assertFalse(running.isAlive());
        runs.endDrop();
        assertFalse(runs.isWithoutUpdate());
    }
}
