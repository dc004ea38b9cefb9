package org.amo.core.replica;

import java.util.Collection;
import java.util.List;

/** When equal votes at a mark speak for the group: a function of the voters, and of nothing else. */
@FunctionalInterface
interface MarkRule {

    /** More than half of the members; a vote of a former member counts for nothing. */
    MarkRule MAJORITY =
            (members, voters) -> 2 * members.stream().filter(voters::contains).count() > members.size();

    /**
     * @param members of the group, as all of these voters name them
     * @param voters with equal votes
     */
    boolean agrees(List<String> members, Collection<String> voters);
}
