package org.amo.replication.order.raft;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RaftPositionsTest {
    private static final int POSITIONS = 24;
    private static final Configuration NOBODY = new Configuration(0, List.of());

    /** RAFT's thread delivers, and an entry of RAFT's own stands behind each position; another thread asks and forgets. */
    @Test
    void whoeverWritesASnapshotSeesEachPositionWhereItLies() {
        prove(Thread::yield);
    }

    /** The planted bug is hard to meet, so that the acts run far more often. */
    @Test
    @Tag("slow")
    void theSameBesideABugThatShowsForAMoment() {
        prove(() -> {});
    }

    /** @param moment between the read and the write of the planted bug */
    private static void prove(Runnable moment) {
        Meetings.prove(
                () -> {
                    RaftPositions positions = new RaftPositions();
                    positions.delivered(1, 2, NOBODY, index -> 1);
                    return asking(
                            at -> positions.delivered(at, 2 * at, NOBODY, index -> 1),
                            at -> positions.at(at).index(),
                            positions::forgetBefore);
                },
                () -> {
                    WithoutLock positions = new WithoutLock(moment);
                    positions.delivered(1);
                    return asking(positions::delivered, positions::at, positions::forgetBefore);
                });
    }

    private static Meeting asking(LongConsumer deliver, LongUnaryOperator indexOf, LongConsumer forgetBefore) {
        AtomicLong delivered = new AtomicLong(1);
        String[] wrong = {""};
        return Meeting.of(
                () -> indexOf.applyAsLong(POSITIONS) == 2 * POSITIONS ? wrong[0] : "a position is lost",
                () -> {
                    for (long at = 2; at <= POSITIONS; at++) {
                        deliver.accept(at);
                        delivered.set(at);
                    }
                },
                () -> {
                    for (int i = 0; i < POSITIONS; i++) {
                        long at = delivered.get();
                        long index = indexOf.applyAsLong(at);
                        if (index != 2 * at) {
                            wrong[0] = "position " + at + " lies at " + index;
                        }
                        forgetBefore.accept(at);
                    }
                });
    }

    /** One that delivers and one that forgets each go on from what they saw, and the later forgets what the other did. */
    private static final class WithoutLock {
        private final Runnable moment;
        private volatile TreeMap<Long, Long> distances = new TreeMap<>();

        WithoutLock(Runnable moment) {
            this.moment = moment;
        }

        void delivered(long position) {
            TreeMap<Long, Long> more = new TreeMap<>(distances);
            more.put(position, position);
            distances = more;
        }

        long at(long position) {
            return position + distances.floorEntry(position).getValue();
        }

        void forgetBefore(long position) {
            TreeMap<Long, Long> seen = distances;
            moment.run();
            distances = new TreeMap<>(seen.tailMap(seen.floorKey(position)));
        }
    }
}
