package org.amo.core.replica;

import java.util.List;

/**
 * Questions to members with another digest at a mark, in turns: the executions of one of them show the first difference.
 *
 * <p>Each member asks the others in rising order. So all members that differ from the first of them compare with that one, and
 * the earliest difference in the group is found although each member compares with one other alone.
 *
 * <p>One thread owns it.
 */
final class TrailQuestions {
    private static final long ASK_EVERY_MILLIS = 500;

    /** With this many unanswered questions, the search may be given up. */
    private static final int MANY = 4;

    private final long after;
    private final long mark;
    private final List<String> members;

    private int asked;
    private long askedMillis;
    private boolean ended;

    /**
     * @param after position up to which this member is known to be equal to others
     * @param members with another digest at the mark, at least one
     */
    TrailQuestions(long after, long mark, List<String> members) {
        this.after = after;
        this.mark = mark;
        this.members = members;
    }

    long after() {
        return after;
    }

    long mark() {
        return mark;
    }

    List<String> members() {
        return members;
    }

    /** Whether a question must go: none has gone, or the last one has no answer so far. */
    boolean isDue(long nowMillis) {
        return !ended && (asked == 0 || nowMillis - askedMillis >= ASK_EVERY_MILLIS);
    }

    /** The member to be asked now. */
    String next(long nowMillis) {
        String member = members.get(asked % members.size());
        asked++;
        askedMillis = nowMillis;
        return member;
    }

    boolean wereMany() {
        return asked >= MANY;
    }

    boolean isAnsweredBy(String member, PeerMessage.Trail trail) {
        return !ended && trail.upTo() == mark && members.contains(member);
    }

    void end() {
        ended = true;
    }
}
