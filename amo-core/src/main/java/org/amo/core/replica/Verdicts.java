package org.amo.core.replica;

/**
 * Carries out the verdicts of {@link DivergenceMarks} on this member: a diverged member answers no client from its executions, until it
 * is trusted again.
 */
final class Verdicts {
    private final DivergenceMarks marks;
    private final GroupState group;
    private final Waiters waiters;
    private final OutcomeOrder outcomes;

    Verdicts(DivergenceMarks marks, GroupState group, Waiters waiters, OutcomeOrder outcomes) {
        this.marks = marks;
        this.group = group;
        this.waiters = waiters;
        this.outcomes = outcomes;
    }

    /** An earlier process of this member had diverged at this mark. Before the first delivery. */
    void distrust(long mark) {
        marks.distrust(mark);
        group.suspend(marks.isSuspended());
        // Attempts may have come before that was known.
        waiters.close();
    }

    /** A verdict on this member may have come or gone. */
    void settle(long nowMillis) {
        switch (marks.settle(nowMillis)) {
            case SUSPENDED -> {
                group.suspend(true);
                // Each waiting attempt gets the answer that is true here, and its client asks another member. No
                // attempt begins to wait before this member is trusted.
                waiters.close();
            }
            case TRUSTED -> group.suspend(false);
            case NONE -> {}
        }
        outcomes.onJudged();
    }
}
