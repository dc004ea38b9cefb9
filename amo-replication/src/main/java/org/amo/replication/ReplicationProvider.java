package org.amo.replication;

import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.core.replica.ServantPort;
import org.amo.replication.order.OrderedLogs;

/** Opens replicas over the ordered logs of this module; named in META-INF/services. */
public final class ReplicationProvider implements ReplicatedServiceProvider {

    @Override
    public ReplicatedService open(ReplicaSettings settings, ServantPort servant) {
        RunningReplica replica = new RunningReplica(settings, servant, OrderedLogs.open(settings));
        replica.start();
        return replica;
    }
}
