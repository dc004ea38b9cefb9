package org.amo.core.replica;

/** A comparison of digests with a planted bug. */
final class MutantDetector extends DivergenceDetector {
    private final DetectorBug bug;

    MutantDetector(String self, DetectorBug bug) {
        super(
                self,
                bug == DetectorBug.LESS_THAN_A_MAJORITY ? (members, voters) -> !voters.isEmpty() : MarkRule.MAJORITY);
        this.bug = bug;
    }

    @Override
    void marked(long position, long name, ExecutionProgress progress) {
        super.marked(position, name, progress);
        if (bug == DetectorBug.MARK_BEFORE_EXECUTION) {
            executed(position, progress.digest(), progress.requests());
        }
    }

    @Override
    boolean isSuspended() {
        return bug != DetectorBug.MINORITY_KEEPS_SERVING && super.isSuspended();
    }

    @Override
    boolean isConfirmed(long position) {
        return bug == DetectorBug.KEEPS_ANY_SNAPSHOT || super.isConfirmed(position);
    }
}
