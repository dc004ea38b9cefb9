package org.amo.replication;

import java.util.ServiceLoader;
import org.amo.core.replica.ReplicaInterposer;

/** What a test put between this process's replicas and their surroundings: nothing, in a process that is no test. */
final class Interposition {
    static final ReplicaInterposer INSTALLED = ServiceLoader.load(
                    ReplicaInterposer.class, Interposition.class.getClassLoader())
            .findFirst()
            .orElse(ReplicaInterposer.NONE);

    private Interposition() {}
}
