package org.amo.lab.chaos;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.lab.cluster.CounterProgram;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.WorkFolder;
import org.amo.lab.load.LoadPrograms;
import org.amo.testkit.check.SequentialModel;

/** The service that a run replicates. */
enum ServiceUnderTest {
    /** The bank, an unmodified CORBA program. */
    BANK,
    /**
     * A bank that stamps its changes with clocks and random numbers, and sets timers. Only the agent makes them equal at all members.
     * Style passive has no timers, and goes without the agent: under it, an execution at a backup would draw the primary's numbers.
     */
    NONDETERMINISTIC,
    /** The counters, a plain Java object behind amo's own transport, which has no command for members yet. */
    COUNTER,
    /** Counters in a chain of three groups: an operation of the first calls the second, whose operations call the third. */
    CHAIN;

    /** The accounts of the bank are not in the jar of this servant. */
    private static final String STATE = "-Damo.stateClasses=org.amo.examples.bank.*";

    private boolean isBank() {
        return this == BANK || this == NONDETERMINISTIC;
    }

    /** How its members are started. */
    Function<MemberProgram.Of, MemberProgram> members() {
        return switch (this) {
            case BANK -> MemberProgram::bank;
            case NONDETERMINISTIC -> of -> MemberProgram.bank(of, DrawingBank.class);
            case COUNTER -> MemberProgram::counters;
            case CHAIN -> of -> MemberProgram.counters(of, ChainProgram.class);
        };
    }

    /** Further options of a member's virtual machine. */
    List<String> options(Style style) {
        if (this != NONDETERMINISTIC) {
            return List.of();
        }
        return style == Style.PASSIVE
                ? List.of(STATE, "-Damo.deterministic=none")
                : List.of(STATE, "-Damo.threads=ordered", "-D" + DrawingBank.TIMERS + "=true");
    }

    /** The programs that load and audit it. */
    LoadPrograms clients() {
        return isBank() ? LoadPrograms.bank(true) : LoadPrograms.counters();
    }

    /** The model of the required answers. */
    SequentialModel<?> model() {
        return isBank() ? LedgerModel.bank() : LedgerModel.counters();
    }

    /** The file that says where the service is. */
    Path reference(ProcessGroup group, WorkFolder folder) {
        return isBank()
                ? group.replicas().get(0).reference()
                : LoadPrograms.counterReference(group, CounterProgram.GROUP, folder);
    }

    /** Whether members can join and leave. */
    boolean changesMembers() {
        return isBank();
    }
}
