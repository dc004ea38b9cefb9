package org.amo.core.replica;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** When the group skips a request that ended members: a function of what they said, and of nothing else. */
@FunctionalInterface
public interface SkipRule {

    /**
     * A majority died of it, all others have not begun it, and no member executed it. Stricter than a majority: a
     * member that has not been heard may have executed it and answered its client, so the group waits for that member.
     */
    SkipRule UNANIMOUS = (members, words) -> words.keySet().containsAll(members)
            && !words.containsValue(Word.EXECUTED)
            && isMajority(members, words, Word.DIED);

    /**
     * @param members of the group, as all of them name them
     * @param words what was said so far, by member; also by some that are no members any more
     */
    boolean skips(List<String> members, Map<String, Word> words);

    /** Whether more than half of the members said that. */
    static boolean isMajority(Collection<String> members, Map<String, Word> words, Word word) {
        long count =
                members.stream().filter(member -> words.get(member) == word).count();
        return 2 * count > members.size();
    }
}
