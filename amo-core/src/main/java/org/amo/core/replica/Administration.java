package org.amo.core.replica;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

    /** How long a change of members may take here; the group gives it up before. */
    private static final long CHANGE_SECONDS = 20;

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
     * @return ends within some 20 s and never fails; empty if a member has no such question
     */
    public static CompletionStage<Optional<String>> answer(ReplicatedService member, String question, String argument) {
        return switch (question) {
            case STATUS -> told(ObservedReplica.json(member.status()));
            case MEMBERS -> told(members(member));
            case CHANGE -> change(member, argument).thenApply(Optional::of);
            default -> CompletableFuture.completedFuture(Optional.empty());
        };
    }

    private static CompletionStage<Optional<String>> told(String answer) {
        return CompletableFuture.completedFuture(Optional.of(answer));
    }

    private static String members(ReplicatedService member) {
        return member.members()
                .map(now -> format(now, member.status().leader()))
                .orElse("");
    }

    private static String format(GroupMembers members, String leader) {
        return members.version() + " " + leader + " " + Member.format(members.members());
    }

    private static CompletionStage<String> change(ReplicatedService member, String line) {
        try {
            return member.changeMembers(MemberChange.parse(line))
                    .thenApply(after -> DONE + format(after, ""))
                    .toCompletableFuture()
                    .orTimeout(CHANGE_SECONDS, TimeUnit.SECONDS)
                    .exceptionally(Administration::failure);
        } catch (IllegalArgumentException | UnsupportedOperationException | OrderedLogException e) {
            return CompletableFuture.completedFuture(refused(String.valueOf(e.getMessage())));
        }
    }

    private static String failure(Throwable thrown) {
        Throwable why = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (why instanceof TimeoutException) {
            return FAILED
                    + "it is not known whether the change was made; run './amo member' again: it makes the change,"
                    + " or says that it was made";
        }
        boolean passes =
                why instanceof OrderedLogException known && known.fault() == OrderedLogException.Fault.ENVIRONMENT;
        return (passes ? FAILED : REFUSED) + why.getMessage();
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
