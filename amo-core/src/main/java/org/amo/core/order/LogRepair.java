package org.amo.core.order;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which actions a member with a damaged disk may take until it has the lost state from a leader again.
 *
 * <p>A leader counted this member's acknowledgements when it committed entries. A member that lost one of them must not vote
 * for a candidate without it. Leaders that are elected without its vote have every committed entry, since any two majorities
 * share a member, and one that votes is whole. So until the damage is repaired the member follows, and does not vote. Its
 * answers count: they speak of entries that equal the leader's and are on its disk again.
 *
 * <p>It is repaired when its log equals that of a leader of its own or a later term
 * <ul>
 *   <li>up to the last index that it may have acknowledged, or
 *   <li>up to an entry of a later term than all that it acknowledged: a leader has all older committed entries below its
 *       first own one (Raft, section 5.4.3).
 * </ul>
 *
 * <p>A member that lost its term and its vote does not know in which terms it voted. Each of those votes was for another
 * member, and that one had stored the term before it asked. So once every other member has told its term, no later term has
 * seen a vote of this one; in that term itself the vote counts as given. Until then the member takes no entries.
 *
 * <p>One thread owns it. Other threads may ask, but must not call a method with a name that begins with "on".
 */
public class LogRepair {

    /**
     * The extent of the damage; survives a crash until it is repaired.
     *
     * @param upTo the last index that may have been acknowledged
     * @param term the last term in which this member may have voted or acknowledged; only if the term is known
     * @param termKnown false if the stored term and vote were lost
     */
    public record Damage(long upTo, long term, boolean termKnown) {
        /** Both of two findings. */
        public Damage and(Damage other) {
            return new Damage(Math.max(upTo, other.upTo), Math.max(term, other.term), termKnown && other.termKnown);
        }
    }

    private final Map<String, Long> terms = new HashMap<>();
    private volatile Damage damage;
    private volatile boolean open = true;

    public LogRepair(Damage damage) {
        this.damage = damage;
    }

    public Damage damage() {
        return damage;
    }

    /** Whether the damage is still there. */
    public boolean isOpen() {
        return open;
    }

    /** Whether this member may vote and gather votes. */
    public boolean mayVote() {
        return !open;
    }

    /** Whether this member may take entries of a leader. */
    public boolean mayFollow() {
        return !open || damage.termKnown;
    }

    /** The condition for the repair of the damage, for the operator. */
    public String needs() {
        return mayFollow()
                ? "a leader, elected by a majority without damage, has to run"
                : "all other members have to run, since its term and vote are lost; if they do, it does not know the latest"
                        + " change of members for certain, and has to be replaced";
    }

    /**
     * Another member told its stored term, and the last index of its log, after this one had asked in its present life.
     *
     * @param others all other members
     * @return the damage with the term known, once all of them have told; to be stored before anything else happens
     */
    public Optional<Damage> onTerm(String member, long term, long lastIndex, List<String> others) {
        if (damage.termKnown || !others.contains(member)) {
            return Optional.empty();
        }
        terms.put(member, term);
        long latest = terms.values().stream().mapToLong(Long::longValue).max().orElse(0);
        boolean all = terms.keySet().containsAll(others);
        damage = new Damage(Math.max(damage.upTo, lastIndex), Math.max(damage.term, latest), all);
        return all ? Optional.of(damage) : Optional.empty();
    }

    /**
     * This log is now known to equal that of the leader up to an index.
     *
     * @param index up to there
     * @param entryTerm the term of the entry there
     * @return true once, when that repairs the damage
     */
    public boolean onVerified(long index, long entryTerm) {
        if (!open || !damage.termKnown || (index < damage.upTo && entryTerm <= damage.term)) {
            return false;
        }
        open = false;
        return true;
    }
}
