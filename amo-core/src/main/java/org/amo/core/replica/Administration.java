package org.amo.core.replica;

import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.order.OrderedLogException;

/**
 * The questions of an operator to one member, in the words that the ports of CORBA and of Java clients carry alike, and the reading of the
 * answers. Questions are never ordered, but for the change that one of them asks for. Any thread.
 */
public final class Administration {
    /** Asks for the status, as JSON. */
    public static final String STATUS = "status";

    /** Asks for the group's members as this one knows them. */
    public static final String MEMBERS = "members";

    /** Asks for a {@link MemberChange}, which is the argument. */
    public static final String CHANGE = "member";

    private static final String DONE = "done ";
    private static final String REFUSED = "refused ";
    private static final String FAILED = "failed ";

    private Administration() {}

    /**
     * A member's view of its group.
     *
     * @param leader empty for none
     */
    public record Known(GroupMembers members, String leader) {}

    /** The outcome of a change. */
    public enum Outcome {
        /** The group has these members now. */
        DONE,
        /** The change is a mistake, and would be one again. */
        REFUSED,
        /** It was not made, or that is not known. */
        FAILED
    }

    /**
     * The answer to a change.
     *
     * @param text the members afterwards, or the reason
     */
    public record Changed(Outcome outcome, String text) {}

    /**
     * Answers one question; does not wait.
     *
     * @param answer told once, at once or by the thread that ends a change; empty if a member has no such question
     */
    public static void answer(
            ReplicatedService member, String question, String argument, Consumer<Optional<String>> answer) {
        switch (question) {
            case STATUS -> answer.accept(Optional.of(ObservedReplica.json(member.status())));
            case MEMBERS -> answer.accept(Optional.of(members(member)));
            case CHANGE -> change(member, argument, told -> answer.accept(Optional.of(told)));
            default -> answer.accept(Optional.empty());
        }
    }

    private static String members(ReplicatedService member) {
        return member.members()
                .map(now -> format(now, member.status().leader()))
                .orElse("");
    }

    private static String format(GroupMembers members, String leader) {
        return members.version() + " " + leader + " " + Member.format(members.members());
    }

    private static void change(ReplicatedService member, String line, Consumer<String> answer) {
        CompletionStage<GroupMembers> changing;
        try {
            changing = member.changeMembers(MemberChange.parse(line));
        } catch (IllegalArgumentException | UnsupportedOperationException | OrderedLogException e) {
            answer.accept(refused(String.valueOf(e.getMessage())));
            return;
        }
        CompletionStage<Void> unused = changing.handle(
                        (after, thrown) -> thrown == null ? DONE + format(after, "") : failure(thrown))
                .thenAccept(answer);
    }

    private static String failure(Throwable thrown) {
        Throwable why = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        boolean passes =
                why instanceof OrderedLogException known && known.fault() == OrderedLogException.Fault.ENVIRONMENT;
        return (passes ? FAILED : REFUSED) + why.getMessage();
    }

    /** The answer to a change that has not ended in time. */
    public static String unknown() {
        return FAILED
                + "it is not known whether the change was made; run './amo member' again: it makes the change, or says"
                + " that it was made";
    }

    /** The answer to a change that this member does not even try. */
    public static String refused(String why) {
        return REFUSED + why;
    }

    /**
     * Reads the answer to {@link #MEMBERS}.
     *
     * @return empty if the group's members never change
     * @throws IllegalArgumentException in one line if it is none
     */
    public static Optional<Known> readMembers(String answer) {
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        String[] words = answer.split(" ", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException("'" + answer + "' names no members");
        }
        return Optional.of(new Known(new GroupMembers(Long.parseLong(words[0]), Member.parseList(words[2])), words[1]));
    }

    /** Reads the answer to {@link #CHANGE}. */
    public static Changed readChange(String answer) {
        if (answer.startsWith(DONE)) {
            return new Changed(Outcome.DONE, answer.substring(answer.lastIndexOf(' ') + 1));
        }
        return answer.startsWith(REFUSED)
                ? new Changed(Outcome.REFUSED, answer.substring(REFUSED.length()))
                : new Changed(Outcome.FAILED, answer.startsWith(FAILED) ? answer.substring(FAILED.length()) : answer);
    }
}
