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
    BANK {
        @Override
        Function<MemberProgram.Of, MemberProgram> members() {
            return MemberProgram::bank;
        }

        @Override
        LoadPrograms clients() {
            return LoadPrograms.bank(true);
        }

        @Override
        SequentialModel<?> model() {
            return LedgerModel.bank();
        }

        @Override
        Path reference(ProcessGroup group, WorkFolder folder) {
            return group.replicas().get(0).reference();
        }

        @Override
        boolean changesMembers() {
            return true;
        }
    },

    /**
     * A bank that stamps its changes with clocks and random numbers, and sets timers. Only the agent makes them equal at all members.
     * Style passive has no timers, and goes without the agent: under it, an execution at a backup would draw the primary's numbers.
     */
    NONDETERMINISTIC {
        /** The accounts of the bank are not in the jar of this servant. */
        private static final String STATE = "-Damo.stateClasses=org.amo.examples.bank.*";

        @Override
        Function<MemberProgram.Of, MemberProgram> members() {
            return of -> MemberProgram.bank(of, DrawingBank.class);
        }

        @Override
        List<String> options(Style style) {
            return style == Style.PASSIVE
                    ? List.of(STATE, "-Damo.deterministic=none")
                    : List.of(STATE, "-Damo.threads=ordered", "-D" + DrawingBank.TIMERS + "=true");
        }

        @Override
        LoadPrograms clients() {
            return BANK.clients();
        }

        @Override
        SequentialModel<?> model() {
            return BANK.model();
        }

        @Override
        Path reference(ProcessGroup group, WorkFolder folder) {
            return BANK.reference(group, folder);
        }

        @Override
        boolean changesMembers() {
            return true;
        }
    },

    /** The counters, a plain Java object behind amo's own transport, which has no command for members yet. */
    COUNTER {
        @Override
        Function<MemberProgram.Of, MemberProgram> members() {
            return MemberProgram::counters;
        }

        @Override
        LoadPrograms clients() {
            return LoadPrograms.counters();
        }

        @Override
        SequentialModel<?> model() {
            return LedgerModel.counters();
        }

        @Override
        Path reference(ProcessGroup group, WorkFolder folder) {
            return LoadPrograms.counterReference(group, CounterProgram.GROUP, folder);
        }

        @Override
        boolean changesMembers() {
            return false;
        }
    },

    /** Counters in a chain of three groups: an operation of the first calls the second, whose operations call the third. */
    CHAIN {
        @Override
        Function<MemberProgram.Of, MemberProgram> members() {
            return of -> MemberProgram.counters(of, ChainProgram.class);
        }

        @Override
        LoadPrograms clients() {
            return COUNTER.clients();
        }

        @Override
        SequentialModel<?> model() {
            return COUNTER.model();
        }

        @Override
        Path reference(ProcessGroup group, WorkFolder folder) {
            return COUNTER.reference(group, folder);
        }

        @Override
        boolean changesMembers() {
            return false;
        }
    };

    /** How its members are started. */
    abstract Function<MemberProgram.Of, MemberProgram> members();

    /** Further options of a member's virtual machine. */
    List<String> options(Style style) {
        return List.of();
    }

    /** The programs that load and audit it. */
    abstract LoadPrograms clients();

    /** The model of the required answers. */
    abstract SequentialModel<?> model();

    /** The file that says where the service is. */
    abstract Path reference(ProcessGroup group, WorkFolder folder);

    /** Whether members can join and leave. */
    abstract boolean changesMembers();
}
