package org.amo.sim.lease;

import org.jspecify.annotations.Nullable;

/**
 * An object of {@code lease}, with every operation that led to its state: only the checks look at those.
 *
 * @param version one more with each change
 * @param value last written
 * @param last the operation executed last, one that changed nothing too
 */
record LeaseObject(long version, long value, @Nullable Step last) {
    static final LeaseObject NONE = new LeaseObject(0, 0, null);

    /** One operation executed. */
    record Step(LeaseOperation operation, long result, @Nullable Step before) {}
}
