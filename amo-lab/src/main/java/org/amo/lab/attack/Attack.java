package org.amo.lab.attack;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One way to attack a group. Holds no state of a run, so that one instance serves all runs. */
interface Attack {

    /** Words joined by hyphens, unique among all attacks. */
    String name();

    /** One line: the messages, their destination and their number. */
    String description();

    /** Services that it can attack; the first one is the default. */
    Set<Service> services();

    /** Whether members may end because of it, provided that they come back when a supervisor starts them again. */
    boolean mayEndMembers();

    /** Further options of each member's virtual machine, for a group with other settings than the defaults. */
    List<String> memberOptions();

    /**
     * Attacks until the pace is over or there is nothing left to do. Runs on a thread of its own.
     *
     * @throws IOException if it could not even begin; a connection that a member refuses or closes is no failure
     * @throws InterruptedException if it has to end
     */
    void run(Target target, AttackRate pace) throws IOException, InterruptedException;

    /** The body of an attack. */
    @FunctionalInterface
    interface Action {
        void run(Target target, AttackRate pace) throws IOException, InterruptedException;
    }

    /** An attack on CORBA members. */
    static Attack onBank(String name, String description, Action action) {
        return new Named(name, description, EnumSet.of(Service.BANK), false, List.of(), action);
    }

    /** An attack on plain Java members. */
    static Attack onCounter(String name, String description, Action action) {
        return new Named(name, description, EnumSet.of(Service.COUNTER, Service.COUNTER_TLS), false, List.of(), action);
    }

    /** An attack on the ports, which all services have. */
    static Attack onAll(String name, String description, Action action) {
        return new Named(
                name,
                description,
                EnumSet.of(Service.BANK, Service.COUNTER, Service.COUNTER_TLS),
                false,
                List.of(),
                action);
    }

    /** An attack on members with certificates. */
    static Attack onCertificates(String name, String description, Action action) {
        return new Named(name, description, EnumSet.of(Service.COUNTER_TLS), false, List.of(), action);
    }

    /** An attack on a server of datagrams. */
    static Attack onScmp(String name, String description, Action action) {
        return new Named(name, description, EnumSet.of(Service.SCMP), false, List.of(), action);
    }

    /** The same, and members may end because of it. */
    default Attack thatMayEndMembers() {
        return new Named(name(), description(), services(), true, memberOptions(), this::run);
    }

    /** The same, on members with these options. */
    default Attack onMembersWith(String... options) {
        return new Named(name(), description(), services(), mayEndMembers(), List.of(options), this::run);
    }

    /** An attack in its parts. */
    record Named(
            String name,
            String description,
            Set<Service> services,
            boolean mayEndMembers,
            List<String> memberOptions,
            Action action)
            implements Attack {
        @Override
        public void run(Target target, AttackRate pace) throws IOException, InterruptedException {
            action.run(target, pace);
        }
    }
}
