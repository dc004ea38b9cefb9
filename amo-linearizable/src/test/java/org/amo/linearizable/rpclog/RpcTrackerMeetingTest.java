package org.amo.linearizable.rpclog;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** Threads that share one lease. */
class RpcTrackerMeetingTest {
    private static final LeaseId CLIENT = new LeaseId(9);
    private static final int CALLS = 6;
    private static final int WINDOW = 4;

    /** Each number goes to one call, and ackId reaches the last one once all are finished: a lost one would hold it back. */
    @Test
    void eachNumberIsOneThreadsAndNoFinishedOneHoldsAckIdBack() {
        Meetings.prove(
                () -> {
                    RpcTracker tracker = new RpcTracker(CLIENT, WINDOW);
                    return calling(tracker::take, tracker::finish, tracker::ackId);
                },
                () -> {
                    WithoutLock tracker = new WithoutLock();
                    return calling(tracker::take, tracker::finish, () -> tracker.ackId);
                });
    }

    @Test
    void aHeaderNeverAcknowledgesItsOwnNumberOrALaterOne() {
        Meetings.prove(
                () -> {
                    RpcTracker tracker = new RpcTracker(CLIENT, WINDOW);
                    return asking(tracker, number -> tracker.header(number, ClusterTime.ZERO, ClusterTime.ZERO)
                            .ackId());
                },
                () -> {
                    RpcTracker tracker = new RpcTracker(CLIENT, WINDOW);
                    // What the lock is for: number and ackId of a copy fit together.
                    return asking(tracker, number -> tracker.ackId());
                });
    }

    private static Meeting calling(Supplier<OptionalLong> take, LongConsumer finish, Supplier<Long> ackId) {
        List<Long> one = new ArrayList<>();
        List<Long> other = new ArrayList<>();
        return Meeting.of(
                () -> {
                    int taken = one.size() + other.size();
                    boolean twice = one.stream().anyMatch(other::contains);
                    return ackId.get() == taken && !twice ? "" : one + " and " + other + " taken, ackId " + ackId.get();
                },
                calls(take, finish, one),
                calls(take, finish, other));
    }

    private static Meeting.Act calls(Supplier<OptionalLong> take, LongConsumer finish, List<Long> taken) {
        return () -> {
            for (int i = 0; i < CALLS; i++) {
                OptionalLong number = take.get();
                if (number.isPresent()) {
                    taken.add(number.getAsLong());
                    finish.accept(number.getAsLong());
                }
            }
        };
    }

    private static Meeting asking(RpcTracker tracker, LongUnaryOperator ackIdOf) {
        long first = tracker.take().orElseThrow();
        String[] wrong = {""};
        return Meeting.of(() -> wrong[0], () -> tracker.finish(first), () -> {
            long acknowledged = ackIdOf.applyAsLong(first);
            if (acknowledged >= first) {
                wrong[0] = "a copy of " + first + " acknowledges " + acknowledged;
            }
        });
    }

    /** The same numbers without the lock. */
    private static final class WithoutLock {
        private final boolean[] finished = new boolean[WINDOW];
        private long ackId;
        private long last;

        OptionalLong take() {
            if (last - ackId == WINDOW) {
                return OptionalLong.empty();
            }
            finished[(int) (++last % WINDOW)] = false;
            return OptionalLong.of(last);
        }

        void finish(long number) {
            finished[(int) (number % WINDOW)] = true;
            while (ackId < last && finished[(int) ((ackId + 1) % WINDOW)]) {
                ackId++;
            }
        }
    }
}
