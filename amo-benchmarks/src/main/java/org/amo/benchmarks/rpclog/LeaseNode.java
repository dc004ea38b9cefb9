package org.amo.benchmarks.rpclog;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.lease.LeaseClient;
import org.amo.replication.lease.LeaseCollector;
import org.amo.replication.lease.LeaseService;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoHandler;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.AmoState;
import org.amo.replication.service.ReplicaContext;

/**
 * One member of a lease group in a process of its own: {@code LeaseNode ID MEMBERS FOLDER}. It says {@code ready}; then
 * each line on its standard input is answered with whether it leads. It ends with its input.
 */
final class LeaseNode {
    static final String GROUP = "leases";
    static final long TERM_MILLIS = 1_000_000;
    private static final int MOST_LEASES = 2_000_000;

    /** Begins a request of {@link #fill}; the lease service has none of that kind. */
    private static final int FILL = 100;

    private LeaseNode() {}

    /** Opens that many leases: a request of this program alone, so that a million are there within seconds. */
    static byte[] fill(int leases) {
        WireWriter writer = new WireWriter(8);
        writer.u8(FILL);
        writer.varint(leases);
        return writer.toBytes();
    }

    /** A lease service, and {@link #fill}. */
    private static final class Leases implements AmoHandler, AmoState {
        private static final byte[] OPEN = {1};
        private final LeaseService service = new LeaseService(TERM_MILLIS, MOST_LEASES);

        @Override
        public byte[] handle(byte[] request, ReplicaContext context) {
            if (request[0] != FILL) {
                return service.handle(request, context);
            }
            WireReader reader = new WireReader("fill", request);
            reader.u8("kind");
            long count = reader.varint("leases", 1, MOST_LEASES);
            for (long i = 0; i < count; i++) {
                // Ids begin with 1, as the load takes them.
                service.handle(new WireReader("open", OPEN), context.time().toEpochMilli(), () -> 0);
            }
            return new byte[0];
        }

        @Override
        public byte[] take() {
            return service.take();
        }

        @Override
        public void restore(byte[] state) {
            service.restore(state);
        }
    }

    public static void main(String[] args) throws IOException {
        AmoClient client = AmoClient.builder(GROUP).members(args[1]).insecure().build();
        LeaseClient order = new LeaseClient(client);
        Leases leases = new Leases();
        AmoReplica replica = AmoReplica.builder(GROUP)
                .id(args[0])
                .members(args[1])
                .data(Path.of(args[2]))
                .log(ReplicaSettings.Log.FSYNC)
                .handler(leases)
                .state(leases)
                .questions(new LeaseCollector(TERM_MILLIS, order))
                .insecure()
                .start();
        DaemonThreads.start("amo-bench-ticks", () -> tick(replica, order));
        System.out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(leads(replica));
        }
        // No caller waits for a graceful end.
        Runtime.getRuntime().halt(0);
    }

    private static boolean leads(AmoReplica replica) {
        return replica.status().leader().equals(replica.id());
    }

    /** As a coordinator does. */
    private static void tick(AmoReplica replica, LeaseClient order) {
        while (true) {
            try {
                if (leads(replica)) {
                    order.time().join();
                }
            } catch (CompletionException e) {
                System.err.println("no time: " + e.getMessage());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LeaseService.tickMillis(TERM_MILLIS)));
        }
    }
}
