package org.amo.replication.order;

import org.amo.core.order.OrderedLog;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.raft.RaftLog;
import org.amo.replication.order.sequencer.SequencerLog;

/** Opens ordered logs. */
public final class OrderedLogs {

    private OrderedLogs() {}

    /**
     * The ordered log that {@code settings.order()} names, not started yet.
     *
     * @throws org.amo.core.order.OrderedLogException when the settings cannot work; one line
     */
    public static OrderedLog open(ReplicaSettings settings) {
        return open(settings, FaultHooks.NONE);
    }

    /** The same, on a disk that a test makes fail. */
    public static OrderedLog open(ReplicaSettings settings, FaultHooks interposer) {
        return switch (settings.order()) {
            case RAFT -> new RaftLog(settings, interposer);
            case SEQUENCER -> new SequencerLog(settings);
        };
    }
}
