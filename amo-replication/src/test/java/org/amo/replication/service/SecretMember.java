package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;

/**
 * A member in a process of its own, which counts calls: {@code SecretMember ID MEMBERS DATA SECRETFILE}. Each line on standard input asks
 * for its status.
 */
public final class SecretMember {
    private SecretMember() {}

    public static void main(String[] arguments) throws IOException {
        AtomicLong count = new AtomicLong();
        AmoReplica replica = AmoReplica.builder("count")
                .id(arguments[0])
                .members(arguments[1])
                .data(Path.of(arguments[2]))
                .log(ReplicaSettings.Log.FILE)
                .secretFile(Path.of(arguments[3]))
                .handler((request, context) ->
                        Long.toString(count.incrementAndGet()).getBytes(UTF_8))
                .withoutSnapshots()
                .start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            Map<String, Long> secrets = status.secrets();
            System.out.println("at " + status.executedPosition() + " accepted " + secrets.get("accepted") + " changes "
                    + secrets.get("changes") + " leader " + status.leader());
            System.out.flush();
        }
        System.exit(0);
    }
}
