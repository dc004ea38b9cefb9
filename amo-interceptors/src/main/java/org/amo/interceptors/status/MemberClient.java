package org.amo.interceptors.status;

import java.util.Optional;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;

/** Asks a replica for its members, and the leader to change them; over the port of its clients, without an ORB. */
public final class MemberClient {
    static final String MEMBERS = "members";
    static final String CHANGE = "member";
    static final String DONE = "done ";
    static final String REFUSED = "refused ";
    static final String FAILED = "failed ";

    private MemberClient() {}

    /**
     * A replica's view of its group.
     *
     * @param leader empty for none
     */
    public record Known(GroupMembers members, String leader) {}

    /** The outcome of a change. */
    public enum Outcome {
        DONE,
        REFUSED,
        FAILED
    }

    /**
     * An answer to a change.
     *
     * @param text the members afterwards, or the reason
     */
    public record Answer(Outcome outcome, String text) {}

    /** @throws StatusException also when the group's members never change */
    public static Known ask(String host, int port, int timeoutMillis) throws StatusException {
        return known(host + ":" + port, StatusClient.ask(host, port, timeoutMillis, MEMBERS, Optional.empty()));
    }

    static Known known(String where, String line) throws StatusException {
        String[] words = line.split(" ", -1);
        if (words.length != 3) {
            throw new StatusException(
                    StatusException.Cause.NO_REPLICA, where + " has members that never change (--order sequencer)");
        }
        try {
            return new Known(new GroupMembers(Long.parseLong(words[0]), Member.parseList(words[2])), words[1]);
        } catch (IllegalArgumentException e) {
            throw new StatusException(
                    StatusException.Cause.NO_REPLICA, where + " does not name its members (" + e.getMessage() + ")");
        }
    }

    public static Answer change(Member leader, MemberChange change, int timeoutMillis) throws StatusException {
        String answer = StatusClient.ask(
                leader.host(), leader.clientPort(), timeoutMillis, CHANGE, Optional.of(change.format()));
        if (answer.startsWith(DONE)) {
            return new Answer(Outcome.DONE, answer.substring(answer.lastIndexOf(' ') + 1));
        }
        return answer.startsWith(REFUSED)
                ? new Answer(Outcome.REFUSED, answer.substring(REFUSED.length()))
                : new Answer(Outcome.FAILED, answer.replaceFirst("^" + FAILED, ""));
    }

    static String format(GroupMembers members, String leader) {
        return members.version() + " " + leader + " " + Member.format(members.members());
    }
}
