package org.amo.lab.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.amo.core.order.Member;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.WorkFolder;
import org.amo.replication.service.AmoClient;

/**
 * Where counters are.
 *
 * @param carrier of calls
 * @param group its name
 * @param members as {@link Member#format} writes them
 * @param reached the members at the addresses by which clients reach them
 * @param secretFile with the group's key
 */
record CounterReference(Carrier carrier, String group, String members, String reached, Path secretFile) {
    /** The carriers of calls to the counters. */
    enum Carrier {
        /** The connections of a plain Java client to a group. */
        GROUP,

        /** Datagrams to a group, by clients that live for a few calls. */
        FIRST_CALLS,

        /** At-most-once datagrams to one server. */
        SCMP
    }

    /** Reads a file that {@link #write} wrote. */
    static CounterReference read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return new CounterReference(
                Carrier.valueOf(lines.get(0)), lines.get(1), lines.get(2), lines.get(3), Path.of(lines.get(4)));
    }

    /**
     * Writes the reference of a group to a file in the folder of its run.
     *
     * @param way from a member to the address by which clients reach it
     */
    static Path write(Carrier carrier, ProcessGroup group, String name, WorkFolder folder, UnaryOperator<Member> way) {
        List<Member> members =
                group.members().stream().map(ReplicaProcess::member).toList();
        List<Member> reached = members.stream().map(way).toList();
        try {
            return Files.write(
                    folder.file("counters.txt"),
                    List.of(
                            carrier.name(),
                            name,
                            Member.format(members),
                            Member.format(reached),
                            group.secret().toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client of them. */
    LoadedService open() throws IOException {
        return switch (carrier) {
            case GROUP -> new CounterService(this, AmoClient.Transport.TCP);
            case FIRST_CALLS -> new FirstCallService(this);
            case SCMP -> new ScmpCounterService(this);
        };
    }
}
