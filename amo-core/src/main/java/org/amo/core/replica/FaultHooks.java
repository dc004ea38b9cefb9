package org.amo.core.replica;

import java.io.IOException;
import java.util.Optional;
import org.amo.core.order.LogTail;
import org.amo.core.order.OrderedLog;
import org.amo.core.reply.RecordMemory;

/**
 * Stands between a replica and its surroundings, to make faults at named points. Found through
 * {@link java.util.ServiceLoader}; only amo-testkit and amo-sim have one, so no process without these on its class path can
 * be disturbed. Each method is asked once, when the replica opens, but {@link #clockStepMillis} and {@link #beforeSync}; the
 * object that it returns must pass on all that it does not mean to disturb.
 */
public interface FaultHooks {
    /** Disturbs nothing. */
    FaultHooks NONE = new FaultHooks() {};

    /** A replica with a planted bug; empty for the one that is shipped. */
    @SuppressWarnings("exports") // the memory comes from amo's own modules
    default Optional<Replica> replica(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory) {
        return Optional.empty();
    }

    /** Added to the wall clock, at every look at it. */
    default long clockStepMillis() {
        return 0;
    }

    /** The way from the order to the servant. */
    default ServantPort around(ReplicaSettings settings, ServantPort servant) {
        return servant;
    }

    /** The way from the replica to the order and back. */
    default OrderedLog around(ReplicaSettings settings, OrderedLog log) {
        return log;
    }

    /**
     * Before the log forces a file to disk.
     *
     * @throws IOException the error that the disk would report
     */
    default void beforeSync(ReplicaSettings settings) throws IOException {}

    /** A log tail with a planted bug; empty for the one that is shipped. */
    default Optional<LogTail> tail() {
        return Optional.empty();
    }

    /** The way from the connections to the replica and back. */
    default ReplicatedService around(ReplicaSettings settings, ReplicatedService service) {
        return service;
    }
}
