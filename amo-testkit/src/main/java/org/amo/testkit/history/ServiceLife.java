package org.amo.testkit.history;

import java.util.List;
import java.util.Optional;

/**
 * The executions of one replica from one of its starts to the end of that process.
 *
 * @param number of this life of the replica, from 1
 * @param joinedAt everything up to this position came with a snapshot; 0 for nothing
 * @param crashed whether the process ended before the history did
 */
public record ServiceLife(String replica, int number, long joinedAt, boolean crashed, List<Execution> executions) {

    public ServiceLife {
        executions = List.copyOf(executions);
    }

    /** The servant was really invoked, here and now; {@code value} is empty where the replica does not write it. */
    public record Execution(String id, long position, Optional<Object> value) {}

    @Override
    public String toString() {
        return number == 1 ? replica : replica + " (life " + number + ")";
    }
}
