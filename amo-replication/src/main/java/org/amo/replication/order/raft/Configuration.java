package org.amo.replication.order.raft;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.core.order.Member;

/**
 * The members of a group after so many changes. Every member applies the same changes in the order of the log.
 *
 * @param version how many changes have been applied since the group began
 * @param gone ids that were removed. They are as much a part of the state as the members: a log that begins behind a snapshot
 *     does not tell of removals before it
 */
record Configuration(long version, List<Member> members, Set<String> gone) {

    Configuration {
        members = List.copyOf(members);
        gone = Set.copyOf(gone);
    }

    /** Of a group that has removed no member. */
    Configuration(long version, List<Member> members) {
        this(version, members, Set.of());
    }

    List<String> ids() {
        return members.stream().map(Member::id).toList();
    }

    boolean has(String id) {
        return members.stream().anyMatch(member -> member.id().equals(id));
    }

    /** Whether a member of this id was removed. An old log may have added it again. */
    boolean wasRemoved(String id) {
        return gone.contains(id) && !has(id);
    }

    /** With this member, at the end; one of the same id is replaced. */
    Configuration with(Member added) {
        List<Member> all = new ArrayList<>(members);
        all.removeIf(member -> member.id().equals(added.id()));
        all.add(added);
        return new Configuration(version + 1, all, gone);
    }

    Configuration without(String id) {
        List<Member> all = new ArrayList<>(members);
        all.removeIf(member -> member.id().equals(id));
        Set<String> removed = new HashSet<>(gone);
        removed.add(id);
        return new Configuration(version + 1, all, removed);
    }
}
