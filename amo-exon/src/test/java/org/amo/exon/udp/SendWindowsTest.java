package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.amo.exon.NodeId;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class SendWindowsTest {
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The planted bug loses room for good: whoever waits for it spins until then. */
    private static final long SPINNING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private interface Window {
        boolean acquire(NodeId to, int bytes, long deadlineNanos) throws InterruptedException;

        void release(NodeId to, int bytes);

        long pending();
    }

    /** Whoever finds no room is woken by what makes some; a sender that slept to its deadline was forgotten. */
    @Test
    void aSenderThatWaitsForRoomIsWokenAndNoMoreIsUnderWayThanFits() {
        Meetings.prove(() -> sending(sound(), SOON_NANOS), () -> sending(new CountsBeforeItWaits(), SPINNING_NANOS));
    }

    /** Else each message that arrives wakes a sender that sends one more and waits again. */
    @Test
    void aWindowThatWasFullOpensWhenAnEighthIsFreeForAllAlike() throws InterruptedException {
        SendWindows windows = new SendWindows(80);
        NodeId node = new NodeId(0, 1);
        NodeId other = new NodeId(0, 2);
        assertTrue(windows.acquire(node, 80, 0));
        assertFalse(windows.acquire(node, 1, System.nanoTime()));
        windows.release(node, 9);
        assertFalse(windows.acquire(node, 1, System.nanoTime()), "71 of 80 are under way");
        assertTrue(windows.acquire(other, 80, 0), "windows of others do not matter");
        windows.release(node, 1);
        assertTrue(windows.acquire(node, 10, 0), "70 of 80 were under way");
        assertFalse(windows.acquire(node, 1, System.nanoTime()));
        windows.release(node, 80);
        windows.release(other, 80);
        assertEquals(0, windows.pending());
        assertTrue(windows.awaitEmpty(System.nanoTime()));
    }

    private static Window sound() {
        SendWindows windows = new SendWindows(10);
        return new Window() {
            @Override
            public boolean acquire(NodeId to, int bytes, long deadlineNanos) throws InterruptedException {
                return windows.acquire(to, bytes, deadlineNanos);
            }

            @Override
            public void release(NodeId to, int bytes) {
                windows.release(to, bytes);
            }

            @Override
            public long pending() {
                return windows.pending();
            }
        };
    }

    private static Meeting sending(Window window, long patienceNanos) {
        NodeId node = new NodeId(0, 1);
        String[] wrong = {"", ""};
        return Meeting.of(
                () -> window.pending() == 0 ? wrong[0] + wrong[1] : window.pending() + " bytes stay under way",
                sending(window, node, wrong, 0, patienceNanos),
                sending(window, node, wrong, 1, patienceNanos));
    }

    private static Meeting.Act sending(Window window, NodeId node, String[] wrong, int thread, long patienceNanos) {
        return () -> {
            for (int i = 0; i < 3; i++) {
                if (!window.acquire(node, 8, System.nanoTime() + patienceNanos)) {
                    wrong[thread] = "thread " + thread + " was not woken";
                    return;
                }
                if (window.pending() > 10) {
                    wrong[thread] = "more is under way than fits";
                }
                window.release(node, 8);
            }
        };
    }

    /** Asks for room and takes it without one lock around both. */
    private static final class CountsBeforeItWaits implements Window {
        private volatile long pending;

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // so that the other comes in between soon
        public boolean acquire(NodeId to, int bytes, long deadlineNanos) {
            while (pending + bytes > 10) {
                if (System.nanoTime() > deadlineNanos) {
                    return false;
                }
                Thread.yield();
            }
            long seen = pending;
            Thread.yield();
            pending = seen + bytes;
            return true;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // planted
        public void release(NodeId to, int bytes) {
            pending -= bytes;
        }

        @Override
        public long pending() {
            return pending;
        }
    }
}
