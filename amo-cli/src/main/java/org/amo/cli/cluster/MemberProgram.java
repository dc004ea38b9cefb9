package org.amo.cli.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;

/** How the program of one member is started and asked. Owned as its {@link Replica} is. */
public interface MemberProgram {

    /** The words of a new life, whose events go to the file, if there is one. */
    List<String> words(Optional<Path> history);

    /** What it says of itself now; empty when it does not answer. */
    Optional<Status> ask();

    /** Whether it has written all that clients need. */
    boolean isReady();

    /**
     * What the program of a member is made from.
     *
     * @param known members that it is told of, itself among them
     * @param secret file with the group's key
     * @param folder of the run
     */
    record Of(Member member, List<Member> known, Group.Place place, Group.Settings settings, Path secret, Path folder) {
        public Of {
            known = List.copyOf(known);
        }
    }
}
