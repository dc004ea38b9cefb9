package org.amo.lab.attack;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.amo.lab.cluster.CounterProgram;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.ScmpCounterServer;
import org.amo.lab.cluster.WorkFolder;
import org.amo.lab.load.BankAudit;
import org.amo.lab.load.LoadPrograms;

/** The service under attack. */
enum Service {
    /** The bank, an unmodified servant, beside an object with operations that can be misused. */
    BANK(3),

    /** The counters, plain Java, with methods that can be misused. */
    COUNTER(3),

    /** The same; its members prove themselves to each other by certificates. */
    COUNTER_TLS(3),

    /** One server of the counters, called by at-most-once datagrams. */
    SCMP(1);

    private final int members;

    Service(int members) {
        this.members = members;
    }

    /** How many members it has. */
    int members() {
        return members;
    }

    /** The name of its group. */
    String group() {
        return this == BANK ? ProcessGroup.GROUP : CounterProgram.GROUP;
    }

    /** How one member is started and asked. */
    MemberProgram member(MemberProgram.Of of) {
        return switch (this) {
            case BANK -> MemberProgram.bank(of, AttackedBankServer.class);
            case COUNTER, COUNTER_TLS -> MemberProgram.counters(of, AttackedCounterServer.class);
            case SCMP -> ScmpCounterServer.member(of);
        };
    }

    /** Options of each member's virtual machine; makes the files that they name. */
    List<String> options(WorkFolder folder, List<String> members) {
        if (this != COUNTER_TLS) {
            return List.of();
        }
        Path stores = folder.file("stores");
        Certificates.make(stores, group(), members);
        return List.of("-D" + AttackedCounterServer.STORES + "=" + stores);
    }

    /** Its honest clients. */
    LoadPrograms clients() {
        return this == BANK ? LoadPrograms.bank(true) : LoadPrograms.counters();
    }

    /** The file that says where the service is. */
    Path reference(ProcessGroup group, WorkFolder folder) {
        if (this == BANK) {
            return group.replicas().get(0).reference();
        }
        return this == SCMP
                ? LoadPrograms.scmpReference(group, group(), folder)
                : LoadPrograms.counterReference(group, group(), folder);
    }

    /** How many operations ran on an account, each of which added 1. */
    long executions(BankAudit.Line line) {
        return this == BANK ? line.changes() : line.balance();
    }

    /** As users write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
