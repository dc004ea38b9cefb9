package org.amo.replication;

import java.util.Arrays;
import org.amo.base.observe.TimeHistogram;

/** Measures the time from the submission of each entry of this process to its delivery here. One thread; the histogram any. */
final class CommitTimes {
    /** More submissions under way than that are not measured, the oldest first. */
    private static final int MOST = 1 << 10;

    private final long[] submissions = new long[MOST];
    private final long[] nanos = new long[MOST];
    private final TimeHistogram histogram = new TimeHistogram();

    CommitTimes() {
        Arrays.fill(submissions, -1);
    }

    TimeHistogram histogram() {
        return histogram;
    }

    void submitted(long submission, long nowNanos) {
        int place = place(submission);
        submissions[place] = submission;
        nanos[place] = nowNanos;
    }

    void delivered(long submission, long nowNanos) {
        int place = place(submission);
        if (submissions[place] == submission) {
            submissions[place] = -1;
            histogram.add(nowNanos - nanos[place]);
        }
    }

    private static int place(long submission) {
        return (int) (submission & (MOST - 1));
    }
}
