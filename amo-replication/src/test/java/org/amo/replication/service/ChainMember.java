package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;

/**
 * A member of a group that calls another one, or of the called one, in a process of its own: {@code ChainMember front ID MEMBERS DATA
 * BACKS} or {@code ChainMember back ID MEMBERS DATA}. Each line on standard input asks where it is, and for the leader.
 */
public final class ChainMember {
    /** The called group may elect a leader meanwhile, on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ChainMember() {}

    /** What clients call. */
    interface Front {
        /** Calls the other group twice. */
        long move();

        long moves();
    }

    /** What operations call. */
    interface Back {
        /** Takes a while, so that callers are killed meanwhile. */
        long add(long value);

        long total();
    }

    static final class FrontService implements Front {
        private final transient Back back;
        private long moves;
        private long last;

        FrontService(Back back) {
            this.back = back;
        }

        @Override
        public long move() {
            moves++;
            last = back.add(1) + back.add(1);
            return last;
        }

        @Override
        public long moves() {
            return moves;
        }
    }

    static final class BackService implements Back {
        private long sum;

        @Override
        public long add(long value) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            sum += value;
            return sum;
        }

        @Override
        public long total() {
            return sum;
        }
    }

    public static void main(String[] arguments) throws IOException {
        AmoReplica.Builder builder = AmoReplica.builder(arguments[0])
                .id(arguments[1])
                .members(arguments[2])
                .data(Path.of(arguments[3]))
                .log(ReplicaSettings.Log.FILE)
                .insecure();
        if (arguments[0].equals("front")) {
            AmoClient back = AmoClient.builder("back")
                    .members(arguments[4])
                    .insecure()
                    .deadline(PATIENCE)
                    .build();
            builder.service(Front.class, new FrontService(back.proxy(Back.class)))
                    .orderNestedCalls();
        } else {
            builder.service(Back.class, new BackService());
        }
        AmoReplica replica = builder.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            System.out.println("at " + status.executedPosition() + " " + status.digest() + " " + status.leader());
            System.out.flush();
        }
        System.exit(0);
    }
}
