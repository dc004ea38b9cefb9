package org.amo.replication.order.raft;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.order.Member;

/**
 * Finds processes that take part in a group's channel without being members, and members that {@code --members} names and the group does
 * not have. The list of members is fixed at the first start, so either may be the sign of a list that was edited later: with a
 * new folder it begins a second group under the same name.
 *
 * <p>Only a leader knows all changes of members, so it asks. Each id is named once. Removed ids are not: their processes end, and lists of
 * before their removal may stay.
 *
 * <p>One thread owns it.
 */
final class Strangers {
    private final String group;
    private final List<String> named;
    private final Set<String> toldOfProcess = new HashSet<>();
    private final Set<String> toldOfName = new HashSet<>();

    /** @param settings the members that the settings of this process name */
    Strangers(String group, List<Member> settings) {
        this.group = group;
        this.named = settings.stream().map(Member::id).toList();
    }

    /** @return a line for the operator, if there is a process that was not named before */
    Optional<String> inView(List<String> ids, Configuration now) {
        return unknown(ids, now, toldOfProcess)
                .map(found -> "the channel of group " + group + " has processes that are no members: " + found
                        + " (the members are " + Member.format(now.members())
                        + "); add them with ./amo member add, or stop them");
    }

    /** @return a line for the operator, if the settings name a member that was not named before */
    Optional<String> inSettings(Configuration now) {
        return unknown(named, now, toldOfName)
                .map(found -> "--members names " + found + ", but the members of group " + group + " are "
                        + Member.format(now.members())
                        + "; the list of the first start holds, so give that one, or add members with ./amo member add"
                        + " before they start");
    }

    private static Optional<String> unknown(List<String> ids, Configuration now, Set<String> told) {
        List<String> found = ids.stream()
                .filter(id -> !now.has(id) && !now.wasRemoved(id) && told.add(id))
                .toList();
        return found.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", found));
    }
}
