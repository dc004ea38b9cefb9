package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;

/** Opens files of this machine, with syncs that a test may fail. */
record InterposedDisk(ReplicaSettings settings, FaultHooks interposer) implements Disk {

    @Override
    public FileChannel open(Path file) throws IOException {
        return LOCAL.open(file);
    }

    @Override
    public void force(FileChannel file, boolean metadata) throws IOException {
        interposer.beforeSync(settings);
        LOCAL.force(file, metadata);
    }
}
