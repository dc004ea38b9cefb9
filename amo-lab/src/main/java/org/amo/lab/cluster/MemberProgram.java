package org.amo.lab.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.examples.bank.BankServer;

/** How the program of one member is started and asked. Owned as its {@link ReplicaProcess} is. */
public interface MemberProgram {

    /** The command line of a new life; its events go to the file, if there is one. */
    List<String> words(Optional<Path> history);

    /** Its present status; empty when it does not answer. */
    Optional<Status> ask();

    /** Whether it has written all that clients need. */
    boolean isReady();

    /** The bank's server under {@code amo wrap server}. */
    static MemberProgram bank(Of of) {
        return bank(of, BankServer.class);
    }

    /**
     * The same with a program of the caller's.
     *
     * @param main takes the file for the bank's reference, as {@link BankServer} does; on the class path of the bank or this command
     */
    static MemberProgram bank(Of of, Class<?> main) {
        return new BankMember(of, main);
    }

    /** The counters as a plain Java member. */
    static MemberProgram counters(Of of) {
        return counters(of, CounterProgram.class);
    }

    /**
     * The same with a program of the caller's.
     *
     * @param main takes the words that {@link CounterProgram#serve} reads
     */
    static MemberProgram counters(Of of, Class<?> main) {
        return new CounterMember(of, main);
    }

    /**
     * Settings from which the program of a member is made.
     *
     * @param known members that it is told of, itself among them
     * @param secret file with the group's key
     * @param folder of the run
     */
    record Of(
            Member member,
            List<Member> known,
            ProcessGroup.Place place,
            ProcessGroup.Settings settings,
            Path secret,
            Path folder) {
        public Of {
            known = List.copyOf(known);
        }
    }
}
