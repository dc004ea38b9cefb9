package org.amo.core.replica;

import java.util.List;
import org.amo.base.ClientId;

/**
 * The options of a {@link Replica}.
 *
 * @param id this member
 * @param members all members' ids, this one too
 * @param incarnation drawn at random for each start of the process
 * @param plainClient the first of the ids under which calls without an id are ordered, one a principal; drawn at random
 *     for each start
 * @param parameters proposed for the group if this member starts it
 */
public record ReplicaOptions(
        String id, List<String> members, long incarnation, ClientId plainClient, GroupParameters parameters) {

    public ReplicaOptions {
        members = List.copyOf(members);
        if (!members.contains(id)) {
            throw new IllegalArgumentException("member " + id + " is not among " + members);
        }
    }
}
