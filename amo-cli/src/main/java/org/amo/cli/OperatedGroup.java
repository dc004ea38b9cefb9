package org.amo.cli;

import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;

/** A group as an operator's command finds it: of CORBA members, or of a Java service. One thread. */
final class OperatedGroup {
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
     * Has the leader change its group.
     *
     * @param wanted to be added, to be removed, or to lead
     * @param known the members as they were asked for before
     * @throws AdministrationException if it is not known whether the change was made
     */
    Administration.Changed change(
            Member leader, MemberChange.Kind kind, Member wanted, Administration.Known known, int timeoutMillis)
            throws AdministrationException {
        MemberChange change =
                MemberChange.of(group, kind, wanted, known.members().version(), secret);
        return Administration.readChange(port.orElseThrow()
                .ask(leader.host(), leader.clientPort(), Administration.CHANGE, change.format(), timeoutMillis));
    }
}
