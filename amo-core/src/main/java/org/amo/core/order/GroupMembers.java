package org.amo.core.order;

import java.util.List;

/**
 * The present members of a group.
 *
 * @param version how many changes there have been; 0 for the members with which the group began
 */
public record GroupMembers(long version, List<Member> members) {

    public GroupMembers {
        members = List.copyOf(members);
    }
}
