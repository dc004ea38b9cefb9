package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;

/**
 * A member whose service has operations that end their process, in a process of its own: {@code FragileMember ID MEMBERS
 * DATA}. Each line on standard input asks where it is.
 */
public final class FragileMember {
    private FragileMember() {}

    /** What clients call. */
    interface Fragile {
        long add(long value);

        /** As {@link #add}; takes a second and a half at a member with a file {@code slow-ID} beside its data. */
        long addSlowly(long value);

        /** Ends the members that are named, by a stack that overflows when the sum has changed already. */
        long overflowAt(String members);

        /** The same by a heap that is used up. */
        long exhaustAt(String members);

        /** How many bytes came. */
        int take(byte[] bytes);
    }

    static final class Service implements Fragile {
        private final String id;
        private long sum;

        private final Path slow;

        Service(String id, Path data) {
            this.id = id;
            this.slow = data.resolve("slow-" + id);
        }

        @Override
        public long addSlowly(long value) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1_500);
            while (Files.exists(slow) && System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            return add(value);
        }

        @Override
        public long add(long value) {
            sum += value;
            return sum;
        }

        @Override
        public long overflowAt(String members) {
            sum += 1_000;
            return members.contains(id) ? deeper(sum) : sum;
        }

        @SuppressWarnings("InfiniteRecursion")
        private long deeper(long value) {
            return 1 + deeper(value + 1);
        }

        @Override
        public long exhaustAt(String members) {
            sum += 1_000;
            List<byte[]> kept = new ArrayList<>();
            while (members.contains(id)) {
                kept.add(new byte[1 << 20]);
            }
            return sum + kept.size();
        }

        @Override
        public int take(byte[] bytes) {
            sum += bytes.length;
            return bytes.length;
        }
    }

    /** Its state is the sum: the id is this member's own. */
    record SumOf(Service service) implements AmoState {
        @Override
        public byte[] take() {
            return Long.toString(service.sum).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void restore(byte[] state) {
            service.sum = Long.parseLong(new String(state, StandardCharsets.UTF_8));
        }
    }

    public static void main(String[] arguments) throws IOException {
        Service service = new Service(arguments[0], Path.of(arguments[2]));
        AmoReplica replica = AmoReplica.builder("fragile")
                .id(arguments[0])
                .members(arguments[1])
                .data(Path.of(arguments[2]))
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .service(Fragile.class, service)
                .state(new SumOf(service))
                .start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            System.out.println("at " + status.position() + " " + status.executedPosition() + " " + status.digest());
            System.out.flush();
        }
        System.exit(0);
    }
}
