package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;

/**
 * A member whose service is not deterministic, in a process of its own: {@code DivergentMember ID MEMBERS DATA}. Each line on
 * standard input asks for its status.
 */
public final class DivergentMember {
    private DivergentMember() {}

    /** What clients call. */
    interface Accounts {
        long add(long value);

        /** As {@link #add}; at a member with a file {@code odd-ID} beside its data the sum is another one. */
        long draw(long value);

        /** Another one at each member. */
        String token();
    }

    static final class Service implements Accounts {
        private final Path odd;
        private long sum;

        /** No field whose value amo could keep: without an {@link AmoState} this service has no snapshots. */
        private final InputStream in = System.in;

        Service(String id, Path data) {
            this.odd = data.resolve("odd-" + id);
        }

        @Override
        public long add(long value) {
            sum += value;
            return sum;
        }

        @Override
        public long draw(long value) {
            return add(Files.exists(odd) ? value + 1_000 : value);
        }

        @Override
        public String token() {
            return UUID.randomUUID() + " " + in.markSupported();
        }
    }

    /** Its state is the sum: the file is this member's own. */
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
        Path data = Path.of(arguments[2]);
        Service service = new Service(arguments[0], data);
        AmoReplica.Builder builder = AmoReplica.builder("accounts")
                .id(arguments[0])
                .members(arguments[1])
                .data(data)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .service(Accounts.class, service);
        Optional<AmoState> state =
                Files.exists(data.resolve("stateless")) ? Optional.empty() : Optional.of(new SumOf(service));
        AmoReplica replica =
                state.map(builder::state).orElseGet(builder::withoutSnapshots).start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            System.out.println("at " + status.position() + " " + status.executedPosition() + " " + status.digest() + " "
                    + status.diverged() + " " + status.divergedRepaired() + " [" + status.divergence() + "]");
            System.out.flush();
        }
        System.exit(0);
    }
}
