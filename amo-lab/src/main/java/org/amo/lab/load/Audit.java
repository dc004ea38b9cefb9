package org.amo.lab.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.amo.cli.CliException;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.Status;
import org.amo.lab.cluster.WorkFolder;

/** The end of a run: the bank's own books, and the history of all processes with them. */
public final class Audit {
    private static final long AUDIT_MILLIS = 60_000;

    private Audit() {}

    /** Asks the service for its books, through the group. */
    public static BankAudit.Books books(LoadPrograms programs, Path reference, WorkFolder folder, Processes processes) {
        Path file = folder.file("books.json");
        Child child =
                processes.start(() -> Child.quiet("audit", programs.audit(reference, file), folder.file("audit.log")));
        try {
            if (child.awaitEnd(AUDIT_MILLIS) && child.exitCode() == 0) {
                return new ObjectMapper().readValue(file.toFile(), BankAudit.Books.class);
            }
        } catch (IOException e) {
            throw CliException.environment("cannot read the service's books (" + e.getMessage() + ")");
        }
        throw CliException.environment(
                "the service's books could not be had: " + child.lastWords() + "; see " + folder.path());
    }

    /**
     * Writes the events of clients and replicas into one file.
     *
     * @param books empty: then no final states are written
     */
    public static void writeHistory(
            Path target, Clients clients, ProcessGroup group, Optional<BankAudit.Books> books, LoadPrograms programs) {
        try {
            HistoryMerge merge =
                    new HistoryMerge(books.map(all -> Set.copyOf(all.callIds())).orElse(Set.of()), programs::reply);
            for (Path history : clients.histories()) {
                merge.source().file(history);
            }
            for (ReplicaProcess replica : group.replicas()) {
                HistoryMerge.Source source = merge.source();
                for (int life = 1; life <= replica.lives(); life++) {
                    source.file(replica.history(life));
                    replica.end(life)
                            .ifPresent(nanos -> source.event(
                                    "{\"type\":\"crash\",\"replica\":\"" + replica.id() + "\",\"t\":" + nanos + "}"));
                }
                if (replica.isUp()) {
                    books.ifPresent(all -> source.event(finalState(replica, group, all)));
                }
            }
            merge.write(target);
        } catch (IOException e) {
            throw CliException.environment("cannot write " + target + " (" + e.getMessage()
                    + "); give --history a file in a folder that exists");
        }
    }

    /**
     * The books were read through the log, so every replica has answered them itself, and equal digests at equal
     * positions mean that it answered the same.
     */
    private static String finalState(ReplicaProcess replica, ProcessGroup group, BankAudit.Books books) {
        String digest = replica.last().map(Status::digest).orElse("");
        String usual = group.replicas().stream()
                .filter(ReplicaProcess::isUp)
                .flatMap(other -> other.last().stream())
                .map(Status::digest)
                .findFirst()
                .orElse("");
        Map<String, Object> state = new TreeMap<>();
        if (digest.equals(usual)) {
            books.lines().forEach(line -> state.put(line.account(), line.balance()));
        } else {
            state.put("digest", digest);
        }
        return new ObjectMapper()
                .createObjectNode()
                .put("type", "state")
                .put("replica", replica.id())
                .putPOJO("final", state)
                .put("t", System.nanoTime())
                .toString();
    }
}
