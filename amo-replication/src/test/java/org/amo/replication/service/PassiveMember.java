package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;

/**
 * A member of style passive, whose service draws, in a process of its own: {@code PassiveMember ID MEMBERS DATA}. Each line on
 * standard input asks for its status.
 */
public final class PassiveMember {
    private PassiveMember() {}

    /** What clients call. */
    interface Draws {
        long draw(String call);

        /** Ends the process that runs it. */
        long deadly(int depth);

        Map<String, Long> drawn();
    }

    static final class Service implements Draws {
        private final Map<String, Long> drawn = new HashMap<>();
        private final transient Random random = new Random();

        @Override
        public long draw(String call) {
            long number = System.nanoTime() << 24 ^ random.nextInt();
            if (drawn.put(call, number) != null) {
                throw new IllegalStateException("call " + call + " runs a second time");
            }
            return number;
        }

        @Override
        @SuppressWarnings("InfiniteRecursion")
        public long deadly(int depth) {
            drawn.put("deadly", 1L);
            return 1 + deadly(depth + 1);
        }

        @Override
        public Map<String, Long> drawn() {
            return drawn;
        }
    }

    public static void main(String[] arguments) throws IOException {
        AmoReplica replica = AmoReplica.builder("draws")
                .id(arguments[0])
                .members(arguments[1])
                .data(Path.of(arguments[2]))
                .log(ReplicaSettings.Log.FILE)
                .style(ReplicaSettings.Style.PASSIVE)
                .insecure()
                .service(Draws.class, new Service())
                .start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            System.out.println("at " + status.executedPosition() + " " + status.digest() + " " + status.stateDigest()
                    + " primary " + status.primary());
            System.out.flush();
        }
        System.exit(0);
    }
}
