package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.replication.ProcessEnd;

/**
 * A member in a process of its own, of the build that {@link org.amo.replication.OtherBuild} makes: {@code UpgradedMember ID MEMBERS DATA}.
 * Each line on standard input asks for its status; at the end of the input it leaves.
 */
public final class UpgradedMember {
    private UpgradedMember() {}

    /** What clients call. */
    interface Tally {
        /** Returns how many keys there are then. A key that comes twice is the client's mistake, or ours. */
        long add(String key);

        Map<String, Long> all();
    }

    static final class Service implements Tally {
        private final TreeMap<String, Long> results = new TreeMap<>();

        @Override
        public long add(String key) {
            long next = results.size() + 1L;
            if (results.put(key, next) != null) {
                throw new IllegalStateException("call " + key + " runs a second time");
            }
            return next;
        }

        @Override
        public Map<String, Long> all() {
            return results;
        }
    }

    public static void main(String[] arguments) throws IOException {
        AmoReplica replica;
        try {
            replica = AmoReplica.builder("tally")
                    .id(arguments[0])
                    .members(arguments[1])
                    .data(Path.of(arguments[2]))
                    .log(ReplicaSettings.Log.FILE)
                    .insecure()
                    .service(Tally.class, new Service())
                    .start();
        } catch (OrderedLogException e) {
            ProcessEnd.because(e);
            return;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            System.out.println(
                    "at " + status.executedPosition() + " " + status.digest() + " level " + status.featureLevel());
            System.out.flush();
        }
        replica.close();
        System.exit(0);
    }
}
