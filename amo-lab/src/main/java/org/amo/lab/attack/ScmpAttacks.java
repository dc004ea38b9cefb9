package org.amo.lab.attack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.amo.scmp.ConnectionId;

/** The port of a server of at-most-once datagrams: strangers, recordings, and clients with the key that mean no good. */
final class ScmpAttacks {
    private static final int LARGEST = 60_000;
    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final long CENTURY_MICROS = 3_155_760_000_000_000L;

    private ScmpAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onScmp(
                        "scmp-flood",
                        "datagrams of random bytes, and calls with the seal of another key, up to 60 kB, 5,000 a second",
                        ScmpAttacks::flood),
                Attack.onScmp(
                        "scmp-replay",
                        "500 calls are recorded, then replayed as often as time permits, 2,000 a second",
                        ScmpAttacks::replay),
                Attack.onScmp(
                                "scmp-clients",
                                "100,000 clients with the key, one call of up to 60 kB each, acknowledge no reply, some of them with stamps an"
                                        + " hour to centuries ahead and behind, 2,000 a second",
                                ScmpAttacks::clients)
                        .thatLeaves("100,000 clients, kept for the retention"));
    }

    private static ScmpWire insider(Target target) throws IOException {
        return new ScmpWire(target.member(0).clientPort(), Files.readAllBytes(target.secretFile()));
    }

    /** The larger a datagram, the rarer it is. */
    private static int size(Random random) {
        return 1 + random.nextInt(random.nextInt(20) == 0 ? LARGEST : 200);
    }

    private static long nowMicros() {
        return System.currentTimeMillis() * 1_000;
    }

    private static void flood(Target target, AttackRate pace) throws IOException, InterruptedException {
        Random random = target.random();
        String account = target.account();
        byte[] other = "the secret of another group".getBytes(StandardCharsets.UTF_8);
        target.expect(account, 0, 0);
        try (ScmpWire wire = new ScmpWire(target.member(0).clientPort(), other)) {
            pace.each(Integer.MAX_VALUE, 5_000, i -> {
                if (i % 2 == 0) {
                    byte[] bytes = new byte[size(random)];
                    random.nextBytes(bytes);
                    wire.send(bytes);
                } else {
                    String words = "add " + account + " 1 " + "x".repeat(size(random));
                    wire.send(wire.call(ScmpWire.connection(random), nowMicros(), words));
                }
            });
        }
    }

    private static void replay(Target target, AttackRate pace) throws IOException, InterruptedException {
        Random random = target.random();
        String account = target.account();
        List<byte[]> recorded = new ArrayList<>();
        long[] answered = new long[1];
        try (ScmpWire wire = insider(target)) {
            pace.each(500, 500, i -> {
                ConnectionId connection = ScmpWire.connection(random);
                long timestamp = nowMicros();
                byte[] call = wire.call(connection, timestamp, "add " + account + " 1");
                recorded.add(call);
                wire.send(call);
                if (wire.awaitsReply(connection, timestamp)) {
                    answered[0]++;
                }
            });
            pace.each(Integer.MAX_VALUE, 2_000, i -> wire.send(recorded.get(i % recorded.size())));
        } finally {
            target.expectSome(account, answered[0], recorded.size());
        }
    }

    private static void clients(Target target, AttackRate pace) throws IOException, InterruptedException {
        long[] shifts = {
            0, 0, 0, 0, HOUR_MICROS, -HOUR_MICROS, CENTURY_MICROS, -CENTURY_MICROS, 13_000_000, -290_000_000
        };
        Random random = target.random();
        String account = target.account();
        long[] sent = new long[1];
        try (ScmpWire wire = insider(target)) {
            pace.each(100_000, 2_000, i -> {
                sent[0]++;
                String words = "add " + account + " 1 " + "x".repeat(size(random));
                long timestamp = Math.max(0, nowMicros() + shifts[i % shifts.length]);
                wire.send(wire.call(ScmpWire.connection(random), timestamp, words));
            });
            pace.hold();
        } finally {
            target.expectSome(account, 0, sent[0]);
        }
    }
}
