package org.amo.lab.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.amo.core.order.Member;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.WorkFolder;

/**
 * Where counters are.
 *
 * @param carrier of calls
 * @param group its name
 * @param members as {@link Member#format} writes them
 * @param secretFile with the group's key
 */
record CounterReference(Carrier carrier, String group, String members, Path secretFile) {
    /** The carriers of calls to the counters. */
    enum Carrier {
        /** The connections of a plain Java client to a group. */
        GROUP,

        /** At-most-once datagrams to one server. */
        SCMP
    }

    /** Reads a file that {@link #write} wrote. */
    static CounterReference read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return new CounterReference(Carrier.valueOf(lines.get(0)), lines.get(1), lines.get(2), Path.of(lines.get(3)));
    }

    /** Writes the reference of a group to a file in the folder of its run. */
    static Path write(Carrier carrier, ProcessGroup group, String name, WorkFolder folder) {
        List<Member> members =
                group.members().stream().map(ReplicaProcess::member).toList();
        try {
            return Files.write(
                    folder.file("counters.txt"),
                    List.of(
                            carrier.name(),
                            name,
                            Member.format(members),
                            group.secret().toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client of them. */
    LoadedService open() throws IOException {
        return carrier == Carrier.GROUP ? new CounterService(this) : new ScmpCounterService(this);
    }
}
