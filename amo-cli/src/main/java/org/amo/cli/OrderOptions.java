package org.amo.cli;

import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import picocli.CommandLine.Option;

/** {@code --order} and {@code --log}, the same wherever replicas are started. */
public final class OrderOptions {
    @Option(
            names = "--order",
            paramLabel = "raft|sequencer",
            defaultValue = "raft",
            description =
                    "The ordered log; sequencer is weaker than raft: see docs/explanation/failures.md. Default: ${DEFAULT-VALUE}.")
    private Order order = Order.RAFT;

    @Option(
            names = "--log",
            paramLabel = "fsync|file|memory",
            defaultValue = "fsync",
            description = "Place of raft's log; with memory, a member cannot come back after a crash."
                    + " Default: ${DEFAULT-VALUE}.")
    private Log log = Log.FSYNC;

    public Order order() {
        return order;
    }

    public Log log() {
        return log;
    }
}
