package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.AmoState;

/**
 * A member without CORBA with a service that keeps the last request, as the paper's server keeps its greeting:
 * {@code -Damo.id -Damo.members -Damo.data [-Dbench.log=fsync] JavaServer FILE}. It writes its id to the file when it serves,
 * and then twice a second its ordered totals to {@code FILE.ordered}: requests, entries with requests, bytes of entries, and 1
 * if it leads; and its {@link Allocations}.
 */
final class JavaServer {
    static final String GROUP = "bytes";
    private static final byte[] NOTHING = {};
    private static final long EVERY_MILLIS = 500;

    private JavaServer() {}

    private static final class Kept implements AmoState {
        private byte[] last = NOTHING;

        /** Answers with the request kept before. */
        byte[] keep(byte[] request) {
            byte[] before = last;
            last = request;
            return before;
        }

        @Override
        public byte[] take() {
            return last;
        }

        @Override
        public void restore(byte[] state) {
            last = state;
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Kept kept = new Kept();
        AmoReplica replica = AmoReplica.builder(GROUP)
                .id(System.getProperty("amo.id", ""))
                .members(System.getProperty("amo.members", ""))
                .data(Path.of(System.getProperty("amo.data", "")))
                .insecure()
                .log(ReplicaSettings.Log.valueOf(
                        System.getProperty("bench.log", "memory").toUpperCase(Locale.ROOT)))
                .handler((request, context) -> kept.keep(request))
                .reads((request, context) -> kept.last)
                .state(kept)
                .onEnded(why -> {
                    System.err.println(why.getMessage());
                    Runtime.getRuntime().halt(1);
                })
                .start();
        Path file = Path.of(args[0]);
        Path ordered = ordered(file);
        PublishedFile.write(ordered, "0 0 0 0");
        Allocations.publish(file, 0);
        PublishedFile.write(file, replica.id());
        while (true) {
            Thread.sleep(EVERY_MILLIS);
            ReplicaStatus status = replica.status();
            long entries = status.orderedEntries().getOrDefault("requests", 0L);
            int leads = status.leader().equals(status.id()) ? 1 : 0;
            PublishedFile.write(ordered, status.executed() + " " + entries + " " + status.orderedBytes() + " " + leads);
            Allocations.publish(file, status.executed());
        }
    }

    static Path ordered(Path file) {
        return file.resolveSibling(file.getFileName() + ".ordered");
    }
}
