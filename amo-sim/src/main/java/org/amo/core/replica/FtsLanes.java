package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.replica.ExecutionLanes.Result;

/** The executions of a member that run at the same time, in virtual time. As the shell does it with threads. */
final class FtsLanes {
    private static final int THREADS = 4;

    private final FtsNode node;
    private final FtsParallel parallel;
    private ExecutionLanes lanes = new ExecutionLanes();
    private boolean[] busy = new boolean[THREADS];

    FtsLanes(FtsNode node, FtsParallel parallel) {
        this.node = node;
        this.parallel = parallel;
    }

    /** The process ended. */
    void restarted() {
        lanes = new ExecutionLanes();
        busy = new boolean[THREADS];
    }

    /** Admits those that may be admitted, and begins those that may begin. */
    void next() {
        admit();
        for (int slot = 0; slot < THREADS; slot++) {
            if (!busy[slot]) {
                Optional<Execution> begun = lanes.start();
                if (begun.isEmpty()) {
                    break;
                }
                begin(slot, begun.get());
            }
        }
        node.running(!lanes.isIdle());
    }

    private void admit() {
        ArrayDeque<Execution> waiting = node.waiting();
        while (!waiting.isEmpty()) {
            Execution execution = waiting.element();
            if (node.isStateDue(execution.position())) {
                if (!lanes.isIdle() && parallel.waitsForState()) {
                    return;
                }
                node.reaches(execution.position());
            }
            ExecutionNotes.Turn turn = node.admit(execution);
            if (turn == ExecutionNotes.Turn.WAIT) {
                return;
            }
            waiting.remove();
            if (turn == ExecutionNotes.Turn.SKIP) {
                lanes.skip(execution, FtsServant.skipped());
                handBack();
            } else {
                lanes.admit(execution, node.runsAlone(execution) ? Set.of() : parallel.lanes(execution));
            }
        }
    }

    private void begin(int slot, Execution execution) {
        busy[slot] = true;
        node.begins(slot, execution);
        node.later(node.executionMicros(), () -> {
            if (node.diesOf(slot, execution)) {
                return;
            }
            lanes.ended(execution, node.ends(slot, execution));
            busy[slot] = false;
            handBack();
            next();
            node.idle();
        });
    }

    private void handBack() {
        List<Result> results = lanes.takeResults();
        if (!results.isEmpty()) {
            node.running(!lanes.isIdle());
            node.endedUpTo(results.get(results.size() - 1).execution());
            node.handBack(
                    results.stream().map(Result::execution).toList(),
                    results.stream().map(Result::reply).toList());
        }
    }
}
