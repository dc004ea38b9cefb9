package org.amo.core.replica;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** When the group skips a request that ended members: a function of the members' reports, and of nothing else. */
@FunctionalInterface
interface SkipRule {

    /**
     * All members have reported, no report says EXECUTED or RAN, at least one says DIED, and a majority says DIED or BLOCKED.
     * Stricter than a majority: a silent member may have executed the request and answered its client.
     */
    SkipRule UNANIMOUS = (members, words) -> words.keySet().containsAll(members)
            && words.values().stream().noneMatch(Word::forbidsSkipping)
            && words.containsValue(Word.DIED)
            && isMajority(members, words, EnumSet.of(Word.DIED, Word.BLOCKED));

    /**
     * In style passive one member that died of it is enough: while that member leads and holds the request, no other one runs
     * it. All members have reported, and none has run it to its end.
     */
    SkipRule OF_BACKUPS = (members, words) -> words.keySet().containsAll(members)
            && words.values().stream().noneMatch(Word::forbidsSkipping)
            && words.containsValue(Word.DIED);

    /**
     * @param members of the group, as all of them name them
     * @param words the reports so far, by member; also of some that are no members any more
     */
    boolean skips(List<String> members, Map<String, Word> words);

    /** Whether more than half of the members said one of these. */
    static boolean isMajority(Collection<String> members, Map<String, Word> words, Set<Word> said) {
        long count = members.stream()
                .filter(member -> words.containsKey(member) && said.contains(words.get(member)))
                .count();
        return 2 * count > members.size();
    }
}
