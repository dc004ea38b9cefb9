package org.amo.replication.order.sequencer;

import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LatestAcknowledgementTest {
    private static final long ENTRIES = 20;

    private interface Say {
        void set(long count, long hash);
    }

    private interface Hear {
        LatestAcknowledgement.Received take() throws InterruptedException;
    }

    @Test
    void theLastIsHeardNoneAfterALaterOneAndCountAndHashFit() {
        prove(Thread::yield);
    }

    /** The planted bug is hard to meet, so that the acts run far more often. */
    @Test
    @Tag("slow")
    void theSameBesideABugOfTwoWrites() {
        prove(() -> {});
    }

    /** @param moment between the two writes of the planted bug */
    private static void prove(Runnable moment) {
        Meetings.prove(
                () -> {
                    LatestAcknowledgement latest = new LatestAcknowledgement();
                    return telling(latest::set, latest::take);
                },
                () -> {
                    WithoutLock latest = new WithoutLock(moment);
                    return telling(latest::set, latest::take);
                });
    }

    private static Meeting telling(Say say, Hear hear) {
        String[] wrong = {""};
        return Meeting.of(
                () -> wrong[0],
                () -> {
                    for (long count = 1; count <= ENTRIES; count++) {
                        say.set(count, -count);
                    }
                },
                () -> {
                    long last = 0;
                    while (last < ENTRIES) {
                        LatestAcknowledgement.Received heard = hear.take();
                        if (heard.count() <= last || heard.hash() != -heard.count()) {
                            wrong[0] = heard + " after " + last;
                        }
                        last = Math.max(last + 1, heard.count());
                    }
                });
    }

    /** Count and hash one after the other, which the lock makes one. */
    private static final class WithoutLock {
        private final Runnable moment;
        private volatile long count;
        private volatile long hash;
        private volatile long taken;

        WithoutLock(Runnable moment) {
            this.moment = moment;
        }

        void set(long newCount, long newHash) {
            count = newCount;
            moment.run();
            hash = newHash;
        }

        @SuppressWarnings("ThreadPriorityCheck") // a wait without a lock
        LatestAcknowledgement.Received take() {
            while (count == taken) {
                Thread.yield();
            }
            taken = count;
            return new LatestAcknowledgement.Received(taken, hash);
        }
    }
}
