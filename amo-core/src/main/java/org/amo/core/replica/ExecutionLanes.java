package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which executions may run at the same time (docs/decisions/0092-parallel-execution-by-key.md). Executions with a common
 * key run one after another, in the order of their admission. An execution without keys runs alone: behind all earlier ones, and
 * before all later ones. Results leave in the order of admission, in whichever order the executions end.
 *
 * <p>Invariant: the first execution of a lane that has not ended is the only one of that lane that may run. An execution runs when
 * it is the first in the lanes of all its keys. Not safe for several threads: the caller has a lock.
 */
public final class ExecutionLanes {
    /** Admitted, and its result has not left; in the order of admission. */
    private final ArrayDeque<Item> open = new ArrayDeque<>();

    /** Those that wait for an execution that runs alone, and that one itself while it waits. */
    private final ArrayDeque<Item> behind = new ArrayDeque<>();

    private final Map<Object, ArrayDeque<Item>> lanes = new HashMap<>();
    private final PriorityQueue<Item> ready =
            new PriorityQueue<>(Comparator.comparing((Item item) -> item.execution.place()));
    private final Map<Place, Item> running = new HashMap<>();

    /** In the lanes or alone, and not ended. */
    private int unended;

    private boolean alone;

    /**
     * An execution that has ended.
     *
     * @param ran false if the group skipped it
     */
    public record Result(Execution execution, byte[] reply, boolean ran) {}

    private static final class Item {
        private final Execution execution;
        private final Set<Object> keys;
        /** Lanes in which another execution is before it. */
        private int blocked;

        private @Nullable Result result;

        Item(Execution execution, Set<Object> keys) {
            this.execution = execution;
            this.keys = keys;
        }
    }

    /**
     * The next execution of the order.
     *
     * @param keys by their equality; empty if it runs alone
     */
    public void admit(Execution execution, Set<Object> keys) {
        Item item = new Item(execution, Set.copyOf(keys));
        open.add(item);
        behind.add(item);
        fill();
    }

    /** The next execution of the order has its reply and does not run. It touches nothing, so it waits for no other. */
    public void skip(Execution execution, byte[] reply) {
        Item item = new Item(execution, Set.of());
        item.result = new Result(execution, reply, false);
        open.add(item);
    }

    /** Begins the earliest execution that may run now; empty if there is none. */
    public Optional<Execution> start() {
        Item item = ready.poll();
        if (item == null) {
            return Optional.empty();
        }
        running.put(item.execution.place(), item);
        return Optional.of(item.execution);
    }

    /** An execution that was begun has ended. */
    public void ended(Execution execution, byte[] reply) {
        Item item = running.remove(execution.place());
        if (item == null) {
            throw new IllegalStateException("ended and was not begun: " + execution.place());
        }
        item.result = new Result(execution, reply, true);
        unended--;
        alone = false;
        item.keys.forEach(this::leave);
        fill();
    }

    private void leave(Object key) {
        ArrayDeque<Item> lane = Objects.requireNonNull(lanes.get(key));
        lane.remove();
        if (lane.isEmpty()) {
            lanes.remove(key);
        } else {
            unblock(lane.element());
        }
    }

    private void unblock(Item item) {
        item.blocked--;
        if (item.blocked == 0) {
            ready.add(item);
        }
    }

    /** Takes those into the lanes that wait for no execution that runs alone. */
    private void fill() {
        while (!behind.isEmpty() && !alone) {
            Item next = behind.element();
            if (next.keys.isEmpty()) {
                if (unended > 0) {
                    return;
                }
                alone = true;
            }
            behind.remove();
            unended++;
            for (Object key : next.keys) {
                ArrayDeque<Item> lane = lanes.computeIfAbsent(key, first -> new ArrayDeque<>());
                next.blocked += lane.isEmpty() ? 0 : 1;
                lane.add(next);
            }
            if (next.blocked == 0) {
                ready.add(next);
            }
        }
    }

    /** Takes the results of the executions before the first one that has not ended, in the order of admission. */
    public List<Result> takeResults() {
        List<Result> results = new ArrayList<>();
        while (!open.isEmpty()) {
            Result result = open.element().result;
            if (result == null) {
                break;
            }
            open.remove();
            results.add(result);
        }
        return results;
    }

    /** Whether every execution has ended and its result has left. */
    public boolean isIdle() {
        return open.isEmpty();
    }
}
