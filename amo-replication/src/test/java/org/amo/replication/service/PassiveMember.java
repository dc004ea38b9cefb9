package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
        public synchronized long draw(String call) {
            long number = System.nanoTime() << 24 ^ random.nextInt();
            if (drawn.put(call, number) != null) {
                throw new IllegalStateException("call " + call + " runs a second time");
            }
            return number;
        }

        @Override
        @SuppressWarnings("InfiniteRecursion")
        public long deadly(int depth) {
            synchronized (this) {
                drawn.put("deadly", 1L);
            }
            return 1 + deadly(depth + 1);
        }

        @Override
        public Map<String, Long> drawn() {
            return drawn;
        }

        /** Equal for equal states; any thread. */
        synchronized int hash() {
            return drawn.hashCode();
        }
    }

    /** The fields of the service; a file {@code broken-ID} beside the data makes the next update fail, and is gone then. */
    record BreakableState(Service service, FieldState fields, Path broken) implements AmoState {
        @Override
        public byte[] take() {
            return fields.take();
        }

        @Override
        public boolean isComparable() {
            return fields.isComparable();
        }

        @Override
        public void restore(byte[] state) {
            synchronized (service) {
                fields.restore(state);
            }
        }

        @Override
        public void applyUpdate(byte[] update) {
            try {
                if (Files.deleteIfExists(broken)) {
                    throw new IllegalStateException("planted");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            restore(update);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path data = Path.of(arguments[2]);
        Service service = new Service();
        AmoReplica replica = AmoReplica.builder("draws")
                .id(arguments[0])
                .members(arguments[1])
                .data(data)
                .log(ReplicaSettings.Log.FILE)
                .style(ReplicaSettings.Style.PASSIVE)
                .insecure()
                .service(Draws.class, service)
                .state(new BreakableState(
                        service, new FieldState(service, false), data.resolve("broken-" + arguments[0])))
                .start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ReplicaStatus status = replica.status();
            System.out.println("at " + status.executedPosition() + " " + status.digest() + " " + service.hash()
                    + " primary " + status.primary());
            System.out.flush();
        }
        System.exit(0);
    }
}
