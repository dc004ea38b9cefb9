package org.amo.cli;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code amo member}: the members of a running group, and their changes through its log. */
@Command(
        name = "member",
        description =
                "List the members of a running group, add or remove one, or have another one lead, while calls run.",
        sortOptions = false)
final class MemberCommand implements Callable<Integer> {
    private static final int CHANGE_MILLIS = 25_000;

    /** Ten seconds: an election after a leader fell silent takes up to 8.5 s. */
    private static final int ATTEMPTS = 20;

    private static final long PAUSE_NANOS = 500_000_000;
    private static final String NO_LEADER =
            "no member leads the group; start a majority of its members, or wait for an election and try again";

    /** The question or the change. */
    enum Action {
        add(MemberChange.Kind.ADD),
        remove(MemberChange.Kind.REMOVE),
        transferLeadership(MemberChange.Kind.LEAD),
        /** Changes nothing. */
        list();

        private final Optional<MemberChange.Kind> kind;

        Action(MemberChange.Kind kind) {
            this.kind = Optional.of(kind);
        }

        Action() {
            this.kind = Optional.empty();
        }

        /** As it is written on the command line. */
        @Override
        public String toString() {
            return this == transferLeadership ? "transfer-leadership" : name();
        }
    }

    /** Reads an {@link Action}. */
    static final class ActionConverter implements ITypeConverter<Action> {
        @Override
        public Action convert(String word) {
            return Arrays.stream(Action.values())
                    .filter(action -> action.toString().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + word + "' is none of add, remove, list, transfer-leadership"));
        }
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            paramLabel = "add|remove|list|transfer-leadership",
            converter = ActionConverter.class,
            description = "What to do.")
    private Action action = Action.add;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "ID=HOST:ORDERPORT/CLIENTPORT",
            description = "The member; its id is enough, except to add it. Not with list.")
    private String member = "";

    @Mixin
    final OperatedGroupOptions options = new OperatedGroupOptions();

    @Mixin
    final ConfigOption config = new ConfigOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        OperatedGroup operated = options.group();
        List<Member> asked = options.members();
        checkMember();
        if (action == Action.list) {
            list(operated.askEach(asked));
            return ExitCodes.OK;
        }
        Administration.Changed answer = new Administration.Changed(Administration.Outcome.FAILED, NO_LEADER);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            answer = change(operated, operated.askEach(asked));
            boolean again = answer.outcome() != Administration.Outcome.DONE && isPassing(answer.text());
            if (!again) {
                break;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        OperatedGroup.checkDone(answer);
        spec.commandLine()
                .getOut()
                .println(action == Action.transferLeadership ? "leader " + member : "members " + answer.text());
        return 0;
    }

    /** Another member leads by now, or none does yet; or the members are changing, and are read anew. Nothing was changed. */
    private static boolean isPassing(String reason) {
        return reason.equals(NO_LEADER)
                || reason.contains("does not lead")
                || reason.contains("is in progress")
                || reason.contains("have changed since");
    }

    private void list(Administration.Known known) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("members " + Member.format(known.members().members()));
        out.println("leader " + (known.leader().isEmpty() ? "none" : known.leader()) + ", "
                + known.members().version() + " changes of members so far");
        out.flush();
    }

    private void checkMember() {
        if (member.isEmpty() != (action == Action.list)) {
            throw CliException.user(
                    action == Action.list
                            ? "list takes no member: '" + member + "'"
                            : "name the member to " + action + ", for example d=10.0.0.4:7801/9801");
        }
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
            return operated.change(leader.get(), action.kind.orElseThrow(), wanted, known, CHANGE_MILLIS);
        } catch (AdministrationException e) {
            throw CliException.environment(
                    "it is not known whether the change was made (" + e.getMessage() + "); try again");
        }
    }

    private Member wanted(List<Member> now) {
        if (action != Action.add && member.indexOf('=') < 0) {
            return OperatedGroup.memberOf(now, member);
        }
        return OperatedGroup.parse(member).get(0);
    }
}
