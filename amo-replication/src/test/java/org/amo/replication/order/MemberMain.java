package org.amo.replication.order;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;

/**
 * One member in a process of its own, driven by lines on its standard input and telling what happens on
 * its standard output: {@code leader ID}, {@code at POSITION HASH} in answer to {@code where}.
 *
 * <p>Arguments: id, members, order, log, data folder, secret (or "-").
 */
public final class MemberMain {

    private MemberMain() {}

    public static void main(String[] arguments) throws IOException {
        ReplicaSettings settings = ReplicaSettings.builder("processes", arguments[0], Member.parseList(arguments[1]))
                .order(ReplicaSettings.Order.valueOf(arguments[2].toUpperCase(Locale.ROOT)))
                .log(ReplicaSettings.Log.valueOf(arguments[3].toUpperCase(Locale.ROOT)))
                .data(Path.of(arguments[4]))
                .secret(arguments[5].equals("-") ? Optional.empty() : Optional.of(arguments[5]))
                .build();
        Deliveries deliveries = new Deliveries(settings.id());
        try (OrderedLog log = OrderedLogs.open(settings)) {
            log.start(deliveries);
            say("started");
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
                command(line.split(" "), log, deliveries);
            }
        }
        System.exit(0);
    }

    private static void command(String[] words, OrderedLog log, Deliveries deliveries) {
        switch (words[0]) {
            case "submit" -> {
                int count = Integer.parseInt(words[1]);
                for (int i = 0; i < count; i++) {
                    log.submit(i, new byte[Integer.parseInt(words[2])]);
                }
            }
            case "flow" -> deliveries.flow(log, Integer.parseInt(words[1]));
            case "where" -> say(deliveries.where());
            case "time" -> say(deliveries.time(log, Integer.parseInt(words[1])));
            default -> say("unknown " + words[0]);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static final class Deliveries implements LogListener {
        private final String id;
        private final CRC32C hash = new CRC32C();
        private final AtomicLong next = new AtomicLong();
        private long position;
        private long waitedFor = -1;

        Deliveries(String id) {
            this.id = id;
        }

        @Override
        public synchronized void onDelivered(long at, byte[] entry) {
            if (at <= position) {
                say("FALLING " + position + " " + at);
            }
            position = at;
            hash.update(ByteBuffer.allocate(Long.BYTES).putLong(at).array());
            hash.update(entry);
            if (entry.length >= Long.BYTES && ByteBuffer.wrap(entry).getLong() == waitedFor) {
                waitedFor = -1;
                notifyAll();
            }
        }

        @Override
        public void onRejected(long submission) {
            // The flow goes on with other entries.
        }

        @Override
        public void onLeader(String member) {
            say("leader " + member);
        }

        @Override
        public void onEnded(OrderedLogException why) {
            say("ended " + why.getMessage());
        }

        @Override
        public void onMessage(String member, byte[] message) {
            say("message " + member + " " + message.length);
        }

        synchronized String where() {
            return "at " + position + " " + hash.getValue();
        }

        /** Submits for so many milliseconds, an entry every two, from a thread of its own. */
        void flow(OrderedLog log, int millis) {
            Thread thread = new Thread(() -> {
                long end = System.nanoTime() + millis * 1_000_000L;
                while (System.nanoTime() < end) {
                    String text = id + " " + next.incrementAndGet();
                    log.submit(next.get(), text.getBytes(StandardCharsets.UTF_8));
                    java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
                }
                say("flowed " + next.get());
            });
            thread.setDaemon(true);
            thread.start();
        }

        /** Median microseconds from submit to own delivery, one at a time. */
        String time(OrderedLog log, int count) {
            long[] nanos = new long[count];
            for (int i = 0; i < count; i++) {
                long token = (System.nanoTime() << 8) ^ id.charAt(0);
                long start = System.nanoTime();
                synchronized (this) {
                    waitedFor = token;
                }
                log.submit(i, ByteBuffer.allocate(280).putLong(token).array());
                synchronized (this) {
                    while (waitedFor != -1) {
                        try {
                            wait(2_000);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                            return "interrupted";
                        }
                    }
                }
                nanos[i] = System.nanoTime() - start;
            }
            java.util.Arrays.sort(nanos);
            return "median " + nanos[count / 2] / 1_000 + " p95 " + nanos[count * 95 / 100] / 1_000;
        }
    }
}
