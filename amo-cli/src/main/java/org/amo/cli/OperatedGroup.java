package org.amo.cli;

import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;

/** A group as an operator's command finds it: of CORBA members, or of a Java service. One thread. */
final class OperatedGroup {
    private static final int ASK_MILLIS = 3_000;

    private final String group;
    private final OperatorOptions access;
    private final Optional<String> secret;

    /** Made once: a secret may have to be stretched. */
    private Optional<MemberPort> java = Optional.empty();

    /** Known since a member answered. */
    private Optional<MemberPort> port = Optional.empty();

    /** @throws CliException if the options do not say how to prove the command */
    OperatedGroup(String group, OperatorOptions access) {
        this.group = group;
        this.access = access;
        this.secret = access.secret();
    }

    /** @throws AdministrationException also when the group's members never change */
    Administration.Known ask(Member member, int timeoutMillis) throws AdministrationException {
        if (port.isPresent()) {
            return known(port.get(), member.host(), member.clientPort(), timeoutMillis);
        }
        try {
            return found(MemberPort.IIOP, member, timeoutMillis);
        } catch (AdministrationException byIiop) {
            if (byIiop.reason() != AdministrationException.Cause.NO_MEMBER) {
                throw byIiop;
            }
            try {
                return found(java(), member, timeoutMillis);
            } catch (AdministrationException asAClient) {
                throw asAClient.reason() == AdministrationException.Cause.NO_MEMBER ? byIiop : asAClient;
            }
        }
    }

    /**
     * Asks these members for the members and the leader; the answer that knows most counts.
     *
     * @throws CliException if none of them answers
     */
    Administration.Known askEach(List<Member> members) {
        Optional<Administration.Known> best = Optional.empty();
        Optional<CliException> failure = Optional.empty();
        for (Member one : members) {
            try {
                Administration.Known known = ask(one, ASK_MILLIS);
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
        return best.orElseThrow(() -> CliException.environment(
                "none of the members answers: " + Member.format(members) + "; start a majority of them"));
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

    /** @throws CliException if the text is no list of members */
    static List<Member> parse(String list) {
        try {
            return Member.parseList(list);
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }

    /** @throws CliException if there is none with this id */
    static Member memberOf(List<Member> members, String id) {
        return members.stream()
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow(() ->
                        CliException.user("there is no member '" + id + "'; there are " + Member.format(members)));
    }

    /**
     * The status of a member, as JSON. Another question has been answered before.
     *
     * @throws AdministrationException if there is no answer
     */
    String status(Member member) throws AdministrationException {
        return port.orElseThrow().ask(member.host(), member.clientPort(), Administration.STATUS, "", ASK_MILLIS);
    }

    private MemberPort java() {
        MemberPort made = java.orElseGet(() -> access.java(group));
        java = Optional.of(made);
        return made;
    }

    private Administration.Known found(MemberPort tried, Member member, int timeoutMillis)
            throws AdministrationException {
        Administration.Known known = known(tried, member.host(), member.clientPort(), timeoutMillis);
        port = Optional.of(tried);
        return known;
    }

    /** @throws AdministrationException also when the group's members never change */
    static Administration.Known known(MemberPort port, String host, int clientPort, int timeoutMillis)
            throws AdministrationException {
        String where = host + ":" + clientPort;
        String answer = port.ask(host, clientPort, Administration.MEMBERS, "", timeoutMillis);
        try {
            return Administration.readMembers(answer)
                    .orElseThrow(() -> new AdministrationException(
                            AdministrationException.Cause.REFUSED,
                            where + " has members that never change (order sequencer)"));
        } catch (IllegalArgumentException e) {
            throw new AdministrationException(
                    AdministrationException.Cause.NO_MEMBER,
                    where + " does not name its members (" + e.getMessage() + ")");
        }
    }

    /**
     * Has a member change its group.
     *
     * @param asked the leader; for a snapshot the member that is to take it
     * @param wanted to be added, to be removed, to lead, or to take a snapshot
     * @param known the members as they were asked for before
     * @throws AdministrationException if it is not known whether the change was made
     */
    Administration.Changed change(
            Member asked, MemberChange.Kind kind, Member wanted, Administration.Known known, int timeoutMillis)
            throws AdministrationException {
        MemberChange change =
                MemberChange.of(group, kind, wanted, known.members().version(), secret);
        return Administration.readChange(port.orElseThrow()
                .ask(asked.host(), asked.clientPort(), Administration.CHANGE, change.format(), timeoutMillis));
    }

    /** @throws CliException unless the change was made */
    static void checkDone(Administration.Changed answer) {
        switch (answer.outcome()) {
            case DONE -> {}
            case REFUSED -> throw CliException.user(answer.text());
            default -> throw CliException.environment(answer.text());
        }
    }
}
