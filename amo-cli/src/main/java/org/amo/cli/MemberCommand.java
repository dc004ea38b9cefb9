package org.amo.cli;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.amo.core.order.Member;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo member}: adds a member to a running group or removes one, through its log. */
@Command(
        name = "member",
        description = "Add a member to a running group, or remove one, while calls run.",
        sortOptions = false)
final class MemberCommand implements Callable<Integer> {
    private static final int ASK_MILLIS = 3_000;
    private static final int CHANGE_MILLIS = 25_000;

    /** Ten seconds: an election after a leader fell silent takes up to 8.5 s. */
    private static final int ATTEMPTS = 20;

    private static final long PAUSE_NANOS = 500_000_000;
    private static final String NO_LEADER =
            "no member leads the group; start a majority of its members, or wait for an election and try again";

    /** The change to make. */
    enum Action {
        add,
        remove
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "add|remove", description = "What to do.")
    private Action action = Action.add;

    @Parameters(
            index = "1",
            paramLabel = "ID=HOST:ORDERPORT/CLIENTPORT",
            description = "The member; its id is enough to remove it.")
    private String member = "";

    @Option(
            names = "--members",
            required = true,
            paramLabel = "LIST",
            description = "The known members of the group: ID=HOST:ORDERPORT/CLIENTPORT,... ; one is enough.")
    private String members = "";

    @Option(names = "--group", required = true, paramLabel = "NAME", description = "The group's name.")
    private String group = "";

    @Mixin
    final OperatorOptions access = new OperatorOptions();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        OperatedGroup operated = new OperatedGroup(group, access);
        List<Member> asked = parse(members);
        checkOneMember();
        Administration.Changed answer = new Administration.Changed(Administration.Outcome.FAILED, NO_LEADER);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Optional<Administration.Known> known = known(operated, asked);
            if (known.isEmpty()) {
                throw CliException.environment(
                        "none of the members answers: " + members + "; start a majority of them");
            }
            answer = change(operated, known.get());
            boolean again = answer.outcome() != Administration.Outcome.DONE && isPassing(answer.text());
            if (!again) {
                break;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        switch (answer.outcome()) {
            case DONE -> spec.commandLine().getOut().println("members " + answer.text());
            case REFUSED -> throw CliException.user(answer.text());
            default -> throw CliException.environment(answer.text());
        }
        return 0;
    }

    /** Another member leads by now, or none does yet; or the members are changing, and are read anew. Nothing was changed. */
    private static boolean isPassing(String reason) {
        return reason.equals(NO_LEADER)
                || reason.contains("does not lead")
                || reason.contains("another change of members is in progress")
                || reason.contains("have changed since");
    }

    private void checkOneMember() {
        if (member.indexOf(',') >= 0) {
            throw CliException.user(
                    "one member at a time: '" + member + "'; " + action + " the next one when this one is done");
        }
    }

    private Administration.Changed change(OperatedGroup operated, Administration.Known known) {
        Optional<Member> leader = known.members().members().stream()
                .filter(one -> one.id().equals(known.leader()))
                .findFirst();
        if (leader.isEmpty()) {
            return new Administration.Changed(Administration.Outcome.FAILED, NO_LEADER);
        }
        Member wanted = wanted(known.members().members());
        try {
            return operated.change(leader.get(), action == Action.add, wanted, known, CHANGE_MILLIS);
        } catch (AdministrationException e) {
            throw CliException.environment(
                    "it is not known whether the change was made (" + e.getMessage() + "); try again");
        }
    }

    private Member wanted(List<Member> now) {
        if (action == Action.remove && member.indexOf('=') < 0) {
            return now.stream()
                    .filter(one -> one.id().equals(member))
                    .findFirst()
                    .orElseThrow(() ->
                            CliException.user("there is no member '" + member + "'; there are " + Member.format(now)));
        }
        return parse(member).get(0);
    }

    private static Optional<Administration.Known> known(OperatedGroup operated, List<Member> asked) {
        Optional<Administration.Known> best = Optional.empty();
        Optional<CliException> failure = Optional.empty();
        for (Member one : asked) {
            try {
                Administration.Known known = operated.ask(one, ASK_MILLIS);
                boolean better = best.isEmpty()
                        || known.members().version() > best.get().members().version()
                        || best.get().leader().isEmpty();
                if (better) {
                    best = Optional.of(known);
                }
            } catch (AdministrationException e) {
                failure = failure.or(() -> failureOf(e));
            }
        }
        // A member that hangs does not keep the others from its removal.
        if (best.isEmpty() && failure.isPresent()) {
            throw failure.get();
        }
        return best;
    }

    /** Empty for a member that does not run. */
    private static Optional<CliException> failureOf(AdministrationException thrown) {
        String message = String.valueOf(thrown.getMessage());
        return switch (thrown.reason()) {
            case UNREACHABLE -> Optional.empty();
            case SILENT -> Optional.of(CliException.environment(message + "; " + StatusCommand.REMEDY_OF_SILENCE));
            case NO_MEMBER ->
                Optional.of(CliException.user(message + "; give the clients' ports behind the / in --members"));
            case REFUSED -> Optional.of(CliException.user(message));
        };
    }

    private static List<Member> parse(String list) {
        try {
            return Member.parseList(list);
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }
}
