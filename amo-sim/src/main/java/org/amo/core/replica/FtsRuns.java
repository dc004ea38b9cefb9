package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The executions of a member in style passive, in virtual time: as the primary it executes runs ahead of the order, as a backup it
 * applies updates. As the shell does it with threads.
 */
final class FtsRuns {
    private static final int MOST_AHEAD = 4;

    private final FtsNode node;
    private final ArrayDeque<Accepted> accepted = new ArrayDeque<>();
    private boolean primary;
    private int ahead;

    /** Outcomes on their way to the replica. */
    private int handing;

    private record Accepted(List<Execution> executions, List<byte[]> replies, byte[] update) {
        Place first() {
            return executions.get(0).place();
        }
    }

    FtsRuns(FtsNode node) {
        this.node = node;
    }

    /** The process ended, or has the state of a snapshot. */
    void reset() {
        accepted.clear();
        ahead = 0;
        handing = 0;
    }

    void restarted() {
        reset();
        primary = false;
    }

    /** Whether a snapshot can take the place of what waits here. */
    boolean isQuiet() {
        return handing == 0;
    }

    void onPrimary(boolean now) {
        primary = now;
        node.later(0, node::executeNext);
    }

    void onAccepted(List<Execution> executions, List<byte[]> replies, byte[] update, boolean own) {
        if (own) {
            ahead--;
            handing++;
            node.later(0, () -> {
                handing--;
                node.handBack(executions, replies);
                node.executeNext();
            });
            return;
        }
        accepted.add(new Accepted(executions, replies, update));
        executions.forEach(execution -> node.ranElsewhere(execution.place()));
        node.later(0, node::executeNext);
    }

    private enum Next {
        NOTHING,
        APPLY,
        EXECUTE
    }

    private Next next(Execution head) {
        if (!accepted.isEmpty()) {
            // Otherwise this process has executed its places itself, and is about to end.
            return accepted.element().first().equals(head.place()) ? Next.APPLY : Next.NOTHING;
        }
        return primary && ahead < MOST_AHEAD ? Next.EXECUTE : Next.NOTHING;
    }

    /** Begins the next step, if nothing is under way. */
    void next() {
        ArrayDeque<Execution> waiting = node.waiting();
        if (waiting.isEmpty()) {
            return;
        }
        switch (next(waiting.element())) {
            case APPLY -> node.busy(node.between(0, 500), this::apply);
            case EXECUTE -> {
                if (node.beginsFirst()) {
                    node.busy(node.executionMicros(), this::execute);
                }
            }
            case NOTHING -> {}
        }
    }

    private void apply() {
        Accepted next = accepted.remove();
        node.reaches(next.first().position());
        next.executions().forEach(execution -> node.waiting().remove());
        node.servant().apply(next.update());
        node.handBack(next.executions(), next.replies());
    }

    private void execute() {
        ArrayDeque<Execution> waiting = node.waiting();
        long position = waiting.element().position();
        List<Execution> done = new ArrayList<>();
        List<byte[]> replies = new ArrayList<>();
        FtsServant.Update update = new FtsServant.Update();
        long count = node.between(1, 3);
        node.reaches(position);
        while (done.size() < count && !waiting.isEmpty() && waiting.element().position() == position) {
            ExecutionNotes.Turn turn = node.begin(waiting.element());
            if (turn == ExecutionNotes.Turn.WAIT) {
                break;
            }
            Execution execution = waiting.remove();
            if (turn == ExecutionNotes.Turn.SKIP) {
                done.add(execution);
                replies.add(FtsServant.skipped());
                continue;
            }
            if (node.diesOf(execution)) {
                return;
            }
            done.add(execution);
            replies.add(node.runs(execution, update));
        }
        if (!done.isEmpty()) {
            ahead++;
            node.handRun(done, replies, update.encode());
        }
    }
}
