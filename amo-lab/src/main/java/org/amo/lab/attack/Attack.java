package org.amo.lab.attack;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One way to attack a group. Holds no state of a run, so that one instance serves all runs.
 *
 * @param name words joined by hyphens, unique among all attacks
 * @param description one line: the messages, their destination and their number
 * @param services that it can attack; the first one is the default
 * @param mayEndMembers whether members may end because of it, provided that they come back when a supervisor starts them again
 * @param memberOptions further options of each member's virtual machine, for a group with other settings than the defaults
 * @param leaves what it leaves behind in the group that would change the result of another attack after it; empty for little
 */
record Attack(
        String name,
        String description,
        Set<Service> services,
        boolean mayEndMembers,
        List<String> memberOptions,
        Optional<String> leaves,
        Action action) {

    /** The body of an attack. */
    @FunctionalInterface
    interface Action {
        void run(Target target, AttackRate pace) throws IOException, InterruptedException;
    }

    /**
     * Attacks until the pace is over or there is nothing left to do. Runs on a thread of its own.
     *
     * @throws IOException if it could not even begin; a connection that a member refuses or closes is no failure
     * @throws InterruptedException if it has to end
     */
    void run(Target target, AttackRate pace) throws IOException, InterruptedException {
        action.run(target, pace);
    }

    private static Attack on(Set<Service> services, String name, String description, Action action) {
        return new Attack(name, description, services, false, List.of(), Optional.empty(), action);
    }

    /** An attack on CORBA members. */
    static Attack onBank(String name, String description, Action action) {
        return on(EnumSet.of(Service.BANK), name, description, action);
    }

    /** An attack on plain Java members. */
    static Attack onCounter(String name, String description, Action action) {
        return on(EnumSet.of(Service.COUNTER, Service.COUNTER_TLS), name, description, action);
    }

    /** An attack on the ports, which all services have. */
    static Attack onAll(String name, String description, Action action) {
        return on(EnumSet.of(Service.BANK, Service.COUNTER, Service.COUNTER_TLS), name, description, action);
    }

    /** An attack on members with certificates. */
    static Attack onCertificates(String name, String description, Action action) {
        return on(EnumSet.of(Service.COUNTER_TLS), name, description, action);
    }

    /** An attack on a server of datagrams. */
    static Attack onScmp(String name, String description, Action action) {
        return on(EnumSet.of(Service.SCMP), name, description, action);
    }

    /** The same, and members may end because of it. */
    Attack thatMayEndMembers() {
        return new Attack(name, description, services, true, memberOptions, leaves, action);
    }

    /** The same, and it is the last one on its group, since it leaves this behind. */
    Attack thatLeaves(String what) {
        return new Attack(name, description, services, mayEndMembers, memberOptions, Optional.of(what), action);
    }

    /** The same, on members with these options. */
    Attack onMembersWith(String... options) {
        return new Attack(name, description, services, mayEndMembers, List.of(options), leaves, action);
    }
}
