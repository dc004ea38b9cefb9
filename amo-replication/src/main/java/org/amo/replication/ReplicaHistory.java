package org.amo.replication;

import java.io.Closeable;
import java.nio.file.Path;
import org.amo.base.HistoryWriter;
import org.amo.core.replica.Execution;

/** Writes every execution of this replica, for an oracle that knows nothing of amo. */
final class ReplicaHistory implements Closeable {
    private final HistoryWriter events;

    ReplicaHistory(Path file, String member) {
        events = HistoryWriter.ofReplica(file, member);
    }

    /**
     * This member goes on from a state of that position, 0 being none: its process starts, or it installed a snapshot.
     * Entries behind that position that an earlier process executed are executed again from the log.
     */
    void joined(long position) {
        events.write("join", HistoryWriter.json("pos", position));
    }

    void executed(Execution execution, byte[] reply) {
        events.write(
                "exec",
                HistoryWriter.text("id", execution.request().id())
                        + HistoryWriter.json("pos", execution.position())
                        + HistoryWriter.value(reply));
    }

    /** Executions that end later are not written. */
    @Override
    public void close() {
        events.close();
    }
}
