package org.amo.net;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What the server's and the client's connections and the Exon endpoint hand over with. */
class InboxTest {
    private static final int EACH = 3;

    private interface Box {
        /** Returns whether the owner has to be asked to run. */
        boolean put(int item);

        /** The owner has been asked once. */
        void takeAll(IntConsumer taker);
    }

    @Test
    void everythingIsTakenInTheOrderOfItsThread() {
        Meetings.prove(() -> handing(new Sound()), () -> handing(new FlagAfterTheLook()));
    }

    @Test
    void eachItemIsRefusedOnceThatTheOwnerDoesNotTake() {
        Meetings.prove(
                () -> {
                    AtomicInteger refused = new AtomicInteger();
                    Inbox<Integer> inbox = new Inbox<>(item -> refused.incrementAndGet());
                    return ending(() -> inbox.put(1), inbox::end, refused);
                },
                () -> {
                    AtomicInteger refused = new AtomicInteger();
                    LookBeforeTheItem inbox = new LookBeforeTheItem(refused);
                    return ending(inbox::put, inbox::end, refused);
                });
    }

    private static Meeting ending(Runnable put, Runnable end, AtomicInteger refused) {
        return Meeting.of(() -> refused.get() == 1 ? "" : "refused: " + refused, put::run, end::run);
    }

    /** Two threads hand over, the third owns: it runs as often as it was asked, as an event loop does. */
    private static Meeting handing(Box box) {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger handing = new AtomicInteger(2);
        List<Queue<Integer>> taken = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        return Meeting.of(
                () -> taken.stream().allMatch(one -> List.copyOf(one).equals(List.of(0, 1, 2)))
                        ? ""
                        : "taken: " + taken,
                putting(box, asked, handing, 0),
                putting(box, asked, handing, 1),
                owning(box, asked, handing, taken));
    }

    private static Meeting.Act putting(Box box, AtomicInteger asked, AtomicInteger handing, int thread) {
        return () -> {
            for (int i = 0; i < EACH; i++) {
                if (box.put(thread * EACH + i)) {
                    asked.incrementAndGet();
                }
            }
            handing.decrementAndGet();
        };
    }

    @SuppressWarnings("ThreadPriorityCheck") // for the others, where cores are few
    private static Meeting.Act owning(Box box, AtomicInteger asked, AtomicInteger handing, List<Queue<Integer>> taken) {
        return () -> {
            int ran = 0;
            while (handing.get() > 0 || asked.get() > ran) {
                if (asked.get() > ran) {
                    ran++;
                    box.takeAll(item -> taken.get(item / EACH).add(item % EACH));
                } else {
                    Thread.yield();
                }
            }
        };
    }

    private static final class Sound implements Box {
        private final Inbox<Integer> inbox = new Inbox<>();

        @Override
        public boolean put(int item) {
            inbox.put(item);
            return inbox.wake();
        }

        @Override
        public void takeAll(IntConsumer taker) {
            inbox.awake();
            for (Integer next = inbox.poll(); next != null; next = inbox.poll()) {
                taker.accept(next);
            }
        }
    }

    /** Looks first whether it has ended, so that an item of that moment is left behind. */
    private static final class LookBeforeTheItem {
        private final ConcurrentLinkedQueue<Integer> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger refused;
        private volatile boolean ended;

        LookBeforeTheItem(AtomicInteger refused) {
            this.refused = refused;
        }

        @SuppressWarnings("ThreadPriorityCheck") // so that the end comes in between soon
        void put() {
            boolean late = ended;
            Thread.yield();
            waiting.add(1);
            if (late) {
                refuse();
            }
        }

        void end() {
            ended = true;
            refuse();
        }

        private void refuse() {
            while (waiting.poll() != null) {
                refused.incrementAndGet();
            }
        }
    }

    /** Lowers the flag when it found nothing more, so that what came in between is left behind. */
    private static final class FlagAfterTheLook implements Box {
        private final ConcurrentLinkedQueue<Integer> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean woken = new AtomicBoolean();

        @Override
        public boolean put(int item) {
            waiting.add(item);
            return !woken.getAndSet(true);
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // so that others come in between soon
        public void takeAll(IntConsumer taker) {
            for (Integer next = waiting.poll(); next != null; next = waiting.poll()) {
                taker.accept(next);
            }
            Thread.yield();
            woken.set(false);
        }
    }
}
