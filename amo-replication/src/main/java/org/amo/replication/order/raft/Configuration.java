package org.amo.replication.order.raft;

import java.util.ArrayList;
import java.util.List;
import org.amo.core.order.Member;

/**
 * The members of a group after so many changes. Every member applies the same changes in the order of the log.
 *
 * @param version how many changes have been applied since the group began
 */
record Configuration(long version, List<Member> members) {

    Configuration {
        members = List.copyOf(members);
    }

    List<String> ids() {
        return members.stream().map(Member::id).toList();
    }

    boolean has(String id) {
        return members.stream().anyMatch(member -> member.id().equals(id));
    }

    /** With this member, at the end; one of the same id is replaced. */
    Configuration with(Member added) {
        List<Member> all = new ArrayList<>(members);
        all.removeIf(member -> member.id().equals(added.id()));
        all.add(added);
        return new Configuration(version + 1, all);
    }

    Configuration without(String id) {
        List<Member> all = new ArrayList<>(members);
        all.removeIf(member -> member.id().equals(id));
        return new Configuration(version + 1, all);
    }
}
