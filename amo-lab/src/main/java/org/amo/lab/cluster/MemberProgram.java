package org.amo.lab.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;

/** How the program of one member is started and asked. Owned as its {@link ReplicaProcess} is. */
public interface MemberProgram {

    /** The command line of a new life; its events go to the file, if there is one. */
    List<String> words(Optional<Path> history);

    /** Its present status; empty when it does not answer. */
    Optional<Status> ask();

    /** Whether it has written all that clients need. */
    boolean isReady();

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
