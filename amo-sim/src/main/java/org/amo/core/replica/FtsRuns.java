package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

    /** Whether the last run has no update: nothing runs on that state, and no snapshot of it is taken. */
    private boolean undoing;

    /** @param update empty if the run is undone */
    private record Accepted(List<Execution> executions, List<byte[]> replies, Optional<byte[]> update) {
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
        undoing = false;
    }

    void restarted() {
        reset();
        primary = false;
    }

    /** Whether a snapshot can take the place of what waits here. */
    boolean isQuiet() {
        return handing == 0;
    }

    boolean isUndoing() {
        return undoing;
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
        add(new Accepted(executions, replies, Optional.of(update)));
    }

    void onUndone(List<Execution> executions, List<byte[]> replies, boolean own) {
        if (own) {
            handing++;
            node.later(0, () -> node.undoneHere(executions, replies));
            return;
        }
        add(new Accepted(executions, replies, Optional.empty()));
    }

    private void add(Accepted next) {
        accepted.add(next);
        next.executions().forEach(execution -> node.ranElsewhere(execution.place()));
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
        if (next.update().isEmpty()) {
            node.handBackUndone(next.executions(), next.replies());
            return;
        }
        node.servant().apply(next.update().get());
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
        if (done.isEmpty()) {
            return;
        }
        if (node.failsToGiveUpdate()) {
            undoing = true;
            node.handUndone(done, replies.stream().map(FtsRuns::undone).toList());
            return;
        }
        ahead++;
        node.handRun(done, replies, update.encode());
    }

    private static byte[] undone(byte[] reply) {
        return FtsServant.isSkipped(reply) ? reply : FtsServant.undone();
    }
}
