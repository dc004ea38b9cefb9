package org.amo.core.replica;

import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaSettings.Divergence;

/**
 * The options of a {@link Replica}.
 *
 * @param id this member
 * @param members all members' ids, this one too
 * @param incarnation drawn at random for each start of the process
 * @param plainClient the first of the ids under which calls without an id are ordered, one a principal; drawn at random
 *     for each start
 * @param parameters proposed for the group if this member starts it
 * @param divergence whether digests are compared, and the consequence if none has a majority
 */
public record ReplicaOptions(
        String id,
        List<String> members,
        long incarnation,
        ClientId plainClient,
        GroupParameters parameters,
        Divergence divergence) {

    /** Without the comparison of digests. */
    public ReplicaOptions(
            String id, List<String> members, long incarnation, ClientId plainClient, GroupParameters parameters) {
        this(id, members, incarnation, plainClient, parameters, Divergence.OFF);
    }

    public ReplicaOptions {
        members = List.copyOf(members);
        if (!members.contains(id)) {
            throw new IllegalArgumentException("member " + id + " is not among " + members);
        }
    }
}
