package org.amo.replication;

import java.util.Optional;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.FeatureLevels;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.reply.RecordMemory;

/**
 * Makes the replicas of a process those of another build of amo: with the feature levels that the system property {@code
 * amo.test.featureLevels} names, such as {@code 1..2}. Without the property it stands aside. There is no other build so far that a
 * test could run.
 */
public final class OtherBuild implements FaultHooks {
    private static final String PROPERTY = "amo.test.featureLevels";

    /** The option of a virtual machine whose build speaks these levels. */
    public static String option(int lowest, int highest) {
        return "-D" + PROPERTY + "=" + lowest + ".." + highest;
    }

    @Override
    public Optional<Replica> replica(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory) {
        return Optional.ofNullable(System.getProperty(PROPERTY)).map(levels -> {
            int dots = levels.indexOf("..");
            FeatureLevels spoken = new FeatureLevels(
                    Integer.parseInt(levels.substring(0, dots)), Integer.parseInt(levels.substring(dots + 2)));
            ReplicaOptions other = new ReplicaOptions(
                    options.id(),
                    options.members(),
                    options.incarnation(),
                    options.plainClient(),
                    options.parameters(),
                    options.divergence(),
                    options.settings(),
                    options.style(),
                    options.guarantee(),
                    options.mostQueuedBytes(),
                    spoken);
            return new Replica(other, effects, memory);
        });
    }
}
